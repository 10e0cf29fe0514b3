-- checksums: read every value of a table, and so every block of the file that holds any: DuckDB
-- compares each with its checksum.
SELECT bit_xor(hash(t)) FROM query_table($1) AS t;
