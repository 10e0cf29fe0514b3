-- has_dated_back: whether tonight proves a departure that dates from an earlier night, or that two vessels were one.
SELECT (SELECT count(*) FROM listed WHERE absent_on = $date AND missing_since < $date) + (SELECT count(*) FROM links WHERE proved AND from_date < $date) > 0;
