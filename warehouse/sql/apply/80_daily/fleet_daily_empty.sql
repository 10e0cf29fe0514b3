-- fleet_daily_empty: a night has no row for a flag and category without a vessel on the list.
DELETE FROM fleet_daily WHERE listed = 0 AND snapshot_date >= (SELECT min(missing_since) FROM listed WHERE absent_on = $date);
