-- checksums: read every value of a table, and with it every block that contains one: DuckDB compares
-- each block with its checksum.
SELECT bit_xor(hash(t)) FROM query_table($1) AS t;
