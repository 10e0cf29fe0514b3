-- profiles: comments of the tables particulars, engine and management.
COMMENT ON TABLE particulars IS 'Dimensions, tonnage, build and capacity: one row per version. A column without a value in an answer keeps its value. The lake''s table of the same name has a row per observation.';
COMMENT ON TABLE engine IS 'The engine: one row per version. A column without a value in an answer keeps its value. The lake''s table of the same name has a row per observation.';
COMMENT ON TABLE management IS 'Who owns, manages, classes and insures a vessel: one row per version. A column without a value in an answer keeps its value. The lake''s table of the same name has a row per observation.';
