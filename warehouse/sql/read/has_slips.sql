-- has_slips: whether a ship shows another's IMO number tonight.
SELECT count(*) > 0 FROM imo_slips;
