// Package exports runs the last phase of a night: it exports what is published to the target of the
// configuration, and then runs the program that registers the files as Iceberg tables, if there is
// one.
//
// The phase needs no lock of the data directory: it reads the published file that it has opened, and
// nothing waits for it. It ends with its context, and within its deadline. Its failure changes
// nothing about the night, which stays published. An export is due while the last success is not of
// the file that is published now, or was of other settings; so the next run, or the next start of the
// server, makes up for a failure and for an export that was interrupted.
//
// <data>/export.json has the last success and the last failure.
//
// # What a crash leaves
//
// Files in the target that no manifest lists, which the next export uses. export.json is replaced
// whole; without it the export is due.
package exports
