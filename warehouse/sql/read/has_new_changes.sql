-- has_new_changes: whether tonight has a change of any dataset.
SELECT count(*) > 0 FROM changes WHERE snapshot_date = $date;
