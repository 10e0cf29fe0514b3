-- engine: comments of the table engine.
COMMENT ON TABLE engine IS 'The engine: one row per version. A column without a value in an answer keeps its value.';
COMMENT ON COLUMN engine.fuel_type IS 'Fuel.';
COMMENT ON COLUMN engine.propeller IS 'Kind of propeller.';
COMMENT ON COLUMN engine.engine_type IS 'Model of the engine.';
COMMENT ON COLUMN engine.engine_builder IS 'Maker of the engine.';
COMMENT ON COLUMN engine.engine_power_kw IS 'Kilowatts.';
