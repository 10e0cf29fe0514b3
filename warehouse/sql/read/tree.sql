-- tree: what DuckDB's parser makes of a text, as JSON. The text is neither bound nor run.
SELECT json_serialize_sql($1::VARCHAR)::VARCHAR;
