-- management: comments of the table management.
COMMENT ON TABLE management IS 'Who owns, manages, classes and insures a vessel: one row per version. A column without a value in an answer keeps its value.';
