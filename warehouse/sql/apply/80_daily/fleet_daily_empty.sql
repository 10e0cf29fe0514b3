-- fleet_daily_empty: a night has no row for a flag and category without a vessel on the list.
-- reads: listed
-- changes: fleet_daily
-- needs: listed WHERE absent_on = $date AND missing_since < $date or links WHERE proved AND from_date < $date
-- after: fleet_daily_dated_back
DELETE FROM fleet_daily WHERE listed = 0 AND snapshot_date >= (SELECT min(missing_since) FROM listed WHERE absent_on = $date);
