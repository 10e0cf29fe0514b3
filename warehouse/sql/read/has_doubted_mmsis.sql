-- has_doubted_mmsis: whether tonight's rows may be of another ship than the registration with their MMSI.
SELECT count(*) > 0 FROM mmsi_doubted;
