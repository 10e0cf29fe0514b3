-- nights_of_file: whether a text is a night or an instant, the day of it, and the first and the last night of the file.
SELECT regexp_full_match($1, '\d{4}-\d{2}-\d{2}') AND TRY_CAST($1 AS DATE) IS NOT NULL,
       TRY_CAST($1 AS TIMESTAMPTZ) IS NOT NULL AND TRY_CAST(left($1, 10) AS DATE) IS NOT NULL,
       coalesce(left($1, 10) < min(snapshot_date)::VARCHAR, false) OR coalesce(left($1, 10) > greatest(max(snapshot_date), max((finished_at AT TIME ZONE 'UTC')::DATE))::VARCHAR, false),
       coalesce(min(snapshot_date)::VARCHAR, ''), coalesce(max(snapshot_date)::VARCHAR, '')
FROM   runs
