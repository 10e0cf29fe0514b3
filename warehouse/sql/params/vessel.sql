-- vessel: every id and number that a vessel has or had.
SELECT vessel_id FROM registration UNION SELECT imo::VARCHAR FROM registration WHERE imo IS NOT NULL UNION SELECT mmsi FROM registration WHERE mmsi IS NOT NULL
UNION SELECT alias_id FROM vessel_aliases UNION SELECT mmsi FROM second_mmsi_claims
