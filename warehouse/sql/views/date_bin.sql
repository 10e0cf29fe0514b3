-- date_bin: PostgreSQL's name of time_bucket, as Grafana's macro $__dateBin sends it: with an origin, which without a zone is
-- in the time zone of the session.
CREATE OR REPLACE MACRO date_bin(stride, source, origin) AS time_bucket(stride, source, origin);
COMMENT ON MACRO date_bin IS 'date_bin(stride, source, origin): the beginning of the interval of length stride, counted from origin, in which an instant is: PostgreSQL''s name of DuckDB''s time_bucket(stride, source, origin). Grafana''s macro $__dateBin writes it.';
