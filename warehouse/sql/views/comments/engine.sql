-- engine: comments of the table engine.
COMMENT ON TABLE engine IS 'The engine: one row per version. A column without a value in an answer keeps its value.';
