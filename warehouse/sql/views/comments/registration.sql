-- registration: comments of the table registration.
COMMENT ON TABLE registration IS 'Who a vessel is and under which flag: one row per version. A column without a value in an answer keeps its value.';
COMMENT ON COLUMN registration.imo IS 'IMO number; null if none was reported.';
COMMENT ON COLUMN registration.mmsi IS 'The MMSI in use: nine digits, leading zeros count.';
COMMENT ON COLUMN registration.source IS 'The lake table of the evidence: listings, particulars, or sightings for a vessel that neither of them has reported.';
COMMENT ON COLUMN registration.known_since IS 'First observation of the vessel in any of its versions, including those while it was known by its MMSI alone.';
COMMENT ON COLUMN registration.doubtful IS 'flag, vessel_type or both, separated by a comma, if the list of one night gave several and no later night has decided; null otherwise. The others are in identity_conflicts.';
