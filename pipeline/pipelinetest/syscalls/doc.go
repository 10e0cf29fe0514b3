// Package syscalls watches the system calls by which a process changes files, so that a test can kill
// the process before, in or after any one of them, or make it fail.
//
// The kernel reports each such call to the test and lets the process wait for the answer (seccomp user
// notification). So Go's calls, which go past the C library, and those of DuckDB in C++ are seen alike, it
// needs neither a tool nor privileges, and the calls of all threads have one order.
//
// The program under test calls Obey first of all; a process that Start did not start is not changed by
// it. A child of the process is watched, too.
//
// It works on Linux 5.19 and later on x86-64. Elsewhere, and where the kernel refuses, Start returns
// errors.ErrUnsupported.
package syscalls
