// Package vectors makes Arrow records of DuckDB's vectors, and DuckDB's values of Arrow's.
//
// Most values of a vector are copied as they are in memory, because both have the same layout. A value of Arrow becomes
// one of DuckDB that is exactly the same, or an error.
//
//	BOOLEAN, integers, FLOAT, DOUBLE, DATE, VARCHAR, BLOB   their counterparts
//	HUGEINT                                                 decimal128(38, 0)
//	DECIMAL(p, s)                                           decimal128(p, s)
//	TIME, TIMESTAMP, TIMESTAMP_S, _MS and _NS               time64 and timestamp of the same unit
//	TIMESTAMP WITH TIME ZONE                                timestamp in microseconds, UTC
//	LIST, ARRAY, STRUCT, MAP                                list, fixed_size_list, struct, map
//	all others, and nested ones with one of them            utf8, as DuckDB writes them as text
package vectors
