-- has_aliases: whether tonight has linked an id without an IMO number to a vessel that has one.
SELECT count(*) > 0 FROM vessel_aliases WHERE snapshot_date = $date;
