// Package export publishes a data directory in a store: the facts of the published nights, the
// derived tables with their history, the warehouse file and their description.
//
//	current.json                                     the manifest in force, replaced last
//	_fleetlake/manifests/<export>.json               the same content, for each export that changed something
//	_fleetlake/pins/<name>.json                      files that another index needs
//	facts/<table>/night=…/<run>-<hash>               a file of the lake
//	facts/<table>/snapshot_month=…/<hash>            the files of a closed month, merged by Compact
//	history/<table>/<hash>                           a table of the published warehouse, whole
//	warehouse/fleet-<run>-<hash>.duckdb              the published warehouse
//	README.md dictionary.* ddl/*                     documents
//
// Files are named by their content, written once and never replaced. A reader that takes the list of
// current.json sees every night whole: the objects come first, the documents and the copy of the
// manifest after them, and current.json last, by a replacement that fails if another export
// was faster. Then the export is planned again.
//
// # What a crash leaves
//
//	before current.json   files that no manifest lists. The next export finds them and does not
//	                      upload them again
//	after current.json    everything
//
// What no manifest of ours lists is never removed or replaced.
package export
