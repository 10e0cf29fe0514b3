-- parse: how many statements DuckDB's parser finds in a text if all of them only read; otherwise the
-- reason why not. The text is neither bound nor run.
SELECT coalesce(json_array_length(parsed, '$.statements'), 0)::BIGINT AS statements, coalesce(json_extract_string(parsed, '$.error_type'), '') AS problem
FROM   (SELECT json_serialize_sql($1::VARCHAR) AS parsed);
