// Package listen opens the sockets of page and Flight SQL, and bounds their connections, so that no client keeps the
// others out.
//
// A Unix socket is for the user and the group of its process, from the moment that it is there. It replaces one that
// nobody listens on, and goes with its process.
//
// A new connection is always accepted. When there are as many as may be, one that waits for its client is closed: of
// the client who has the most of them, and of these the one that has been without a request for longest, whatever part
// of one it has sent. Connections whose client has shown a token go last. A connection that is held, since a request of it is being answered, is never closed: whoever holds
// connections bounds how many, below the limit.
//
// # What a crash leaves
//
// A Unix socket that nobody listens on, which the next Open replaces.
package listen
