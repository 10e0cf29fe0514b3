-- shared_numbers.sql: whether the MMSI of a vessel without an IMO number is the IMO number of another one.
SELECT count(*) > 0 FROM registration WHERE imo IS NULL AND vessel_number < 10000000 AND vessel_number IN (SELECT imo FROM registration);
