-- plan: what DuckDB's binder makes of a statement, as JSON, with the macros and views that it names in place. The
-- statement is not run.
SELECT json_serialize_plan($1::VARCHAR)::VARCHAR;
