// Package memory is a network in memory: a server and those who call it in one process, without
// sockets, so that both can live in one bubble of virtual time. It is for tests.
package memory
