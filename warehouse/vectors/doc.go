// Package vectors makes Arrow records of DuckDB's vectors: most values are copied as they are in
// memory, because both have the same layout.
//
//	BOOLEAN, integers, FLOAT, DOUBLE, DATE, VARCHAR, BLOB   their counterparts
//	HUGEINT                                                 decimal128(38, 0)
//	DECIMAL(p, s)                                           decimal128(p, s)
//	TIME, TIMESTAMP, TIMESTAMP_S, _MS and _NS               time64 and timestamp of the same unit
//	TIMESTAMP WITH TIME ZONE                                timestamp in microseconds, UTC
//	LIST, ARRAY, STRUCT, MAP                                list, fixed_size_list, struct, map
//	all others, and nested ones with one of them            utf8, as DuckDB writes them as text
package vectors
