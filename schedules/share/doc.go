// Package share offers the published warehouse over HTTP, so that any DuckDB attaches it without a
// copy:
//
//	/warehouse/current.json        which version is the newest, and which others are kept
//	/warehouse/fleet.duckdb        the newest version
//	/warehouse/fleet-<run>.duckdb  the version whose latest run is <run>, while it is kept
//
// HEAD and GET, with ranges. Each answer has a strong ETag that names the content of the file, so
// that a reader who asks for range after range notices that another night was published: DuckDB then
// ends its query with an error, and a download with If-Range starts again. An answer that has begun
// is sent from the file that was open, whatever is published meanwhile.
//
// The package does not decide who may read: the caller guards it as the status page.
//
// # What a crash leaves
//
// Nothing. The package writes no file.
package share
