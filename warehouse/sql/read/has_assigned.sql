-- has_assigned: whether the number of a row alone does not say which vessel it is of.
SELECT (SELECT count(*) FROM mmsi_doubted) + (SELECT count(*) FROM imo_slips) > 0;
