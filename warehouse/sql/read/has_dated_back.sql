-- has_dated_back: whether tonight proves a departure that dates from an earlier night.
SELECT count(*) > 0 FROM listed WHERE absent_on = $date AND missing_since < $date;
