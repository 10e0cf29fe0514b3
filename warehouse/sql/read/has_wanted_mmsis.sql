-- has_wanted_mmsis: whether the holder of an MMSI must be found tonight.
SELECT count(*) > 0 FROM mmsi_wanted;
