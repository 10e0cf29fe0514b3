// Package warehousetest has what others may try on the warehouse, for the tests of all ways to it.
package warehousetest

// Attacks are statements that would do more than read the warehouse. FILE is a file that must
// not be created, SECRET one that must not be read, DATA the published file.
var Attacks = map[string][]string{
	"writes files": {
		"COPY runs TO 'FILE'", "COPY runs TO 'DATA'", "COPY (SELECT 1) TO 'FILE' (FORMAT parquet)", "COPY runs TO 'FILE' (FORMAT csv, PARTITION_BY (job))",
		"EXPORT DATABASE 'FILE'", "EXPORT DATABASE 'FILE' (FORMAT parquet)",
		"ATTACH 'FILE' AS other", "ATTACH 'FILE' AS other (READ_ONLY)", "ATTACH ':memory:' AS m", "ATTACH 'DATA' AS mine", "DETACH fleet", "USE memory",
		"EXPLAIN ANALYZE COPY runs TO 'FILE'", "EXPLAIN COPY runs TO 'FILE'", "EXPLAIN EXPORT DATABASE 'FILE'", "EXPLAIN ANALYZE EXPORT DATABASE 'FILE'",
		"CALL enable_logging('QueryLog', storage := 'file', storage_path := 'FILE')",
		"PRAGMA enable_profiling", "PRAGMA profiling_output='FILE'", "SET profiling_output='FILE'", "PRAGMA enable_profiling='json'", "PRAGMA log_query_path='FILE'", "SET log_query_path='FILE'",
		"CREATE PERSISTENT SECRET s (TYPE http)", "SET secret_directory='FILE'", "SET temp_directory='FILE'", "SET extension_directory='FILE'", "SET home_directory='FILE'",
		"COPY FROM DATABASE fleet TO memory",
	},
	"hides behind a prefix": {
		";EXPORT DATABASE 'FILE'", ";;;COPY runs TO 'FILE'", "\u00a0EXPORT DATABASE 'FILE'", "\ufeffEXPORT DATABASE 'FILE'", "\u00a0;\ufeffCOPY runs TO 'FILE'", "\u3000EXPORT DATABASE 'FILE'",
		"\v\fEXPORT DATABASE 'FILE'", "-- why\nEXPORT DATABASE 'FILE'", "/* /* */ */ EXPORT DATABASE 'FILE'", "/* /* */ EXPLAIN */ EXPLAIN ANALYZE COPY runs TO 'FILE'",
		"(COPY runs TO 'FILE')", "SELECT 1\x00; EXPORT DATABASE 'FILE'", "EXPLAIN\u00a0ANALYZE COPY runs TO 'FILE'", ";EXPLAIN ANALYZE COPY runs TO 'FILE'",
		"EXPLAIN (FORMAT json) COPY runs TO 'FILE'", "EXPLAIN EXPLAIN ANALYZE COPY runs TO 'FILE'",
	},
	"is several statements": {
		"SELECT 1; SELECT 2", "SELECT 1; COPY runs TO 'FILE'", "COPY runs TO 'FILE'; SELECT 1", "SELECT 1; COPY runs TO 'FILE'; SELECT 2", "CREATE TEMP TABLE x AS SELECT 1; FROM x",
		"PIVOT runs ON job USING count(*); COPY runs TO 'FILE'", "COPY runs TO 'FILE'; PIVOT runs ON job USING count(*)", "PIVOT runs ON job USING count(*); SELECT 1",
		"CREATE TEMP TABLE x AS SELECT 1; PIVOT runs ON job USING count(*)", "SELECT 1); COPY runs TO 'FILE'; SELECT (2", "PIVOT runs ON job USING count(*)); COPY runs TO 'FILE'; FROM (SELECT 1",
		"EXPLAIN SELECT 1; COPY runs TO 'FILE'", "BEGIN; COPY runs TO 'FILE'; COMMIT",
	},
	"wraps a PIVOT": {
		"COPY (PIVOT runs ON job USING count(*)) TO 'FILE'", "CREATE TABLE x AS PIVOT runs ON job USING count(*)", "INSERT INTO runs PIVOT runs ON job USING count(*)",
		"EXPLAIN ANALYZE COPY (PIVOT runs ON job USING count(*)) TO 'FILE'", "EXPLAIN ANALYZE CREATE TABLE x AS PIVOT runs ON job USING count(*)", "EXPLAIN PIVOT runs ON job USING count(*); COPY runs TO 'FILE'",
		"EXPLAIN ANALYZE PIVOT runs ON job USING count(*)); COPY runs TO 'FILE'; FROM (SELECT 1", "DESCRIBE PIVOT runs ON job USING count(*); COPY runs TO 'FILE'", "EXPLAIN COPY runs TO 'FILE'; PIVOT runs ON job USING count(*)",
	},
	"reads files": {
		"FROM read_text('SECRET')", "FROM read_blob('SECRET')", "FROM read_csv('SECRET')", "FROM read_json('SECRET')", "FROM read_ndjson_objects('SECRET')", "FROM 'SECRET'", "FROM glob('DIR/*')",
		"FROM sniff_csv('SECRET')", "FROM parquet_metadata('SECRET')", "FROM parquet_schema('SECRET')", "FROM read_parquet('SECRET')", "FROM read_text('/etc/passwd')", "FROM read_text('/proc/self/environ')",
		"FROM read_text(['SECRET'])", "SELECT * FROM query('FROM read_text(''SECRET'')')", "FROM query_table('SECRET')", "DESCRIBE FROM 'SECRET'", "SUMMARIZE FROM read_csv('SECRET')", "EXPLAIN ANALYZE FROM read_text('SECRET')",
		"SELECT (SELECT content FROM read_text('SECRET'))", "PIVOT (FROM read_csv('SECRET')) ON a USING count(*)", "IMPORT DATABASE 'DIR'", "COPY runs FROM 'SECRET'", "FROM duckdb_extensions()",
		"SELECT * FROM json_execute_serialized_sql(json_serialize_sql('FROM read_text(''SECRET'')'))", "SELECT getenv('HOME')",
	},
	"reaches the network or fetches code": {
		"FROM 'http://127.0.0.1:9/x.csv'", "FROM read_csv('https://127.0.0.1:9/x')", "FROM 's3://bucket/x.parquet'", "INSTALL httpfs", "LOAD httpfs", "LOAD 'FILE'", "INSTALL spatial FROM community", "UPDATE EXTENSIONS", "FORCE INSTALL httpfs",
		"CREATE SECRET s (TYPE http)",
	},
	"changes settings": {
		"SET memory_limit='64GB'", "RESET memory_limit", "SET GLOBAL threads=64", "SET enable_external_access=true", "SET lock_configuration=false", "RESET lock_configuration", "PRAGMA memory_limit='64GB'", "PRAGMA threads=64",
		"SET allowed_directories=['/']", "SET VARIABLE x=1", "SET max_temp_directory_size='1TB'", "CALL pragma_version()",
	},
	"changes data or state": {
		"INSERT INTO runs (run_id) VALUES ('x')", "UPDATE runs SET job='x'", "DELETE FROM runs", "TRUNCATE runs", "DROP TABLE runs", "ALTER TABLE runs ADD COLUMN x INTEGER", "CREATE TABLE x (a INTEGER)", "CREATE TEMP TABLE x AS SELECT 1",
		"CREATE OR REPLACE TEMP VIEW runs AS SELECT 1", "CREATE TEMP MACRO m() AS 1", "CREATE SCHEMA s", "CREATE SEQUENCE s", "CREATE TYPE t AS ENUM ('a')", "CHECKPOINT", "FORCE CHECKPOINT", "VACUUM", "ANALYZE", "BEGIN", "COMMIT", "ROLLBACK",
		"PREPARE p AS SELECT 1", "EXECUTE p", "DEALLOCATE p", "COMMENT ON TABLE runs IS 'x'", "MERGE INTO runs USING runs AS r ON true WHEN MATCHED THEN DELETE",
	},
	"reads files by other names": {
		"FROM read_csv_auto('SECRET')", "FROM read_json_auto('SECRET')", "FROM read_json_objects('SECRET')", "FROM read_json_objects_auto('SECRET')", "FROM read_ndjson('SECRET')", "FROM read_ndjson_auto('SECRET')", "FROM parquet_scan('SECRET')",
		"FROM parquet_kv_metadata('SECRET')", "FROM parquet_file_metadata('SECRET')", "FROM parquet_bloom_probe('SECRET', 'a', 1)", "FROM 'DIR/*.csv'", "FROM \"SECRET\"", "FROM read_csv(['SECRET', 'SECRET'])", "FROM read_text('DIR/*')",
		"FROM 'file:SECRET'", "FROM read_text('/proc/self/cmdline')", "FROM read_blob('/dev/urandom')", "WITH a AS (FROM read_text('SECRET')) FROM a", "SELECT * FROM runs, read_text('SECRET')", "FROM runs WHERE run_id IN (SELECT content FROM read_text('SECRET'))",
		"FROM sqlite_scan('SECRET', 'x')", "FROM iceberg_scan('DIR')", "FROM delta_scan('DIR')", "FROM postgres_scan('', '', '')", "FROM st_read('SECRET')", "FROM read_xlsx('SECRET')",
	},
	"changes by other statements": {
		"COPY (FROM runs) TO 'FILE' (FORMAT json)", "COPY runs TO '/dev/stdout'", "COPY (SELECT 1) TO 'http://127.0.0.1:9/x'", "CREATE OR REPLACE TABLE runs AS SELECT 1", "CREATE VIEW v AS SELECT 1", "CREATE OR REPLACE VIEW vessels AS SELECT 1", "CREATE MACRO m() AS 1",
		"CREATE INDEX i ON runs (run_id)", "INSERT OR REPLACE INTO runs (run_id) VALUES ('x')", "DROP VIEW vessels", "ALTER VIEW vessels RENAME TO x", "ATTACH IF NOT EXISTS 'FILE' AS other", "ATTACH 'http://127.0.0.1:9/x.duckdb' AS other", "ATTACH 'DATA' AS mine (TYPE sqlite)",
		"SET schema='main'", "SET search_path='main'", "USE fleet", "SET threads TO 64", "SET max_memory='1TB'", "SET GLOBAL TimeZone='Asia/Tokyo'", "SET allow_unsigned_extensions=true", "SET custom_user_agent='x'", "LOAD 'parquet'", "START TRANSACTION", "ABORT",
		"EXPLAIN ANALYZE INSERT INTO runs (run_id) VALUES ('x')", "EXPLAIN ANALYZE CREATE TABLE x AS SELECT 1", "EXPLAIN ANALYZE ATTACH 'FILE' AS other", "CALL duckdb_functions()", "PRAGMA version",
	},
}

// Bombs are statements that read, and would take more time, memory or disk than a machine has.
var Bombs = map[string]string{
	"recursion":                    "WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r) SELECT count(*) FROM r",
	"recursion that stores":        "WITH RECURSIVE r(i, s) AS (SELECT 1, repeat('x', 1000) UNION ALL SELECT i + 1, s FROM r) SELECT max(s) FROM r",
	"a join of all with all":       "SELECT count(*) FROM range(100000000) AS a, range(100000) AS b",
	"rows without an end":          "FROM range(1000000000000)",
	"a large text":                 "SELECT length(repeat('x', 4000000000))",
	"a larger text":                "SELECT repeat(repeat('x', 1000000), 1000000)",
	"a text that doubles":          "WITH RECURSIVE r(i, s) AS (SELECT 1, 'xxxxxxxx' UNION ALL SELECT i + 1, s || s FROM r WHERE i < 60) SELECT max(length(s)) FROM r",
	"padding":                      "SELECT lpad('', 2000000000, 'x')",
	"many texts":                   "SELECT list(md5(i::VARCHAR)) FROM range(20000000) AS r(i)",
	"a list of lists":              "SELECT len(list(l)) FROM (SELECT range(100000) AS l FROM range(100000))",
	"a long list":                  "SELECT len(range(3000000000))",
	"distinct values":              "SELECT count(*) FROM (SELECT DISTINCT md5(i::VARCHAR) FROM range(200000000) AS r(i))",
	"an order of many":             "SELECT md5(i::VARCHAR) AS a FROM range(200000000) AS r(i) ORDER BY a LIMIT 1 OFFSET 100000000",
	"windows over many":            "SELECT max(n) FROM (SELECT count(*) OVER (ORDER BY md5(i::VARCHAR) ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS n FROM range(50000000) AS r(i))",
	"a regular expression":         "SELECT regexp_matches(repeat('a', 30000000), '(a*)*b|(a|b|ab)*c')",
	"all matches of an expression": "SELECT len(regexp_extract_all(repeat('ab', 50000000), '(a|b|ab)+?'))",
	"replacing":                    "SELECT length(regexp_replace(repeat('a', 20000000), 'a', repeat('b', 1000), 'g'))",
	"distances of texts":           "SELECT levenshtein(repeat('a', 200000), repeat('b', 200000))",
	"an approximate product":       "SELECT product(i) FROM range(1, 100000000000) AS r(i)",
	"a pivot of many":              "PIVOT (SELECT i FROM range(3000000) AS r(i)) ON i USING count(*)",
	"formatting":                   "SELECT length(printf('%2000000000d', 1))",
	"generated days":               "SELECT count(*) FROM generate_series(TIMESTAMP '0001-01-01', TIMESTAMP '9999-12-31', INTERVAL 1 MICROSECOND)",
}
