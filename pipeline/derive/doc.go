// Package derive makes published rows from segments of the journal: lake files, a new warehouse file
// and the reports of the runs. It sends no request and spends nothing, so that everything here can be
// done again, with the same rows.
//
//	segment ─ Write ─▶ lake files, report ─ Publish ─▶ warehouse ─▶ held_back.json
//
// It owns the file held_back.json of a data directory: the runs that are paid for and not published,
// because suddenly many of their values are refused. A run that is held back keeps no other from
// being published, except those that resume it.
//
// # What a crash leaves
//
//	in Write     lake files without a manifest, which load.Clean removes
//	in Publish   the published file as it was, or with the new runs
//	after it     held_back.json without the newest runs; the next start tries to publish them, and lists them
package derive
