// Package memory is a network in memory. It connects a server and its clients within one process,
// without sockets, so that a test can run both in one bubble of virtual time (testing/synctest).
package memory
