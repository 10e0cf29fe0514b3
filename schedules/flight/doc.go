// Package flight answers SQL over Arrow Flight SQL, for clients that know nothing of this program: ADBC,
// JDBC, and the tools that are built on them.
//
//	client ── gRPC ──▶ Server: who asks, what is asked ──▶ worker.Pool: the query, in its own process
//
// The server itself decodes no SQL, no rows and no arguments: the text and the arguments of a statement
// go to the process as they came, and the rows of the answer come from there. It reads only: updates,
// ingestion and transactions are refused.
//
// Statements: the ticket of an answer has the whole text, so that the server keeps nothing of it.
// Prepared statements are kept until their client closes them, or others need the room. Metadata:
// catalogs, schemas, tables with their columns, types of tables and values, what the server can;
// primary and foreign keys are always none, as in the file.
//
// With tokens, each request needs one, as a bearer token, or as the password of any user. Without, only
// this machine may reach the server, which the caller takes care of.
//
// # What a crash leaves
//
// Nothing. The package writes no file.
package flight
