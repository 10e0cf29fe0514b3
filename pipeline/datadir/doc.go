// Package datadir guards the directory that a lake lives in: one process writes into it at a time,
// and it is the directory that was used before.
//
// The lock is two locks of the kernel: on the directory, which nobody can remove while there is a
// file in it, and on the file lock in it, for file systems that lock no directories. The mark is the
// file fleetlake.id; the empty directory below a volume that is not mounted has none, and a run there
// would pay for everything again.
//
// # What a crash leaves
//
// No lock: the kernel releases it. A mark is written whole or not at all.
package datadir
