// Package server is what strangers reach: page, warehouse over HTTP and Flight SQL, in a process of their own, and what the
// scheduler answers to that process. Nothing of the pipeline, the scheduler or the other verbs imports it, nor page, flight,
// share, listen and network, from which it is made: the program can be built without them (the build tag no_network).
//
//	the scheduler's process           the network process
//	Start      sockets, Keeper  ───▶  Serve       page, flight, share on the sockets
//	Answers    the few answers  ◀───  Ask         what only the scheduler has in memory
//
// The network process may be taken over by who asks it: it holds no secret of others, and the scheduler answers with none.
package server
