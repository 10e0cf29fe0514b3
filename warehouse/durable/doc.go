// Package durable writes files so that they survive a crash, and appear whole or not at all.
//
// A file is written under a temporary name beside its own: the name followed by Part. It is
// synced to disk, renamed, and then the directory is synced, which makes the new name durable.
// Readers see the earlier file or the new one, never a part of it. Each write costs two syncs:
// a few milliseconds on most disks.
//
// The temporary name is the same for each write of a file. One process writes a file at a time:
// the callers lock the data directory, or write into a private directory.
//
// # What a crash leaves
//
//	before the rename   the earlier file, and perhaps a temporary one, which the next write of the
//	                    same file replaces
//	after the rename    the new file, or after a power cut the earlier one
//	after the return    the new file
package durable
