// Package assistant answers AI assistants over the Model Context Protocol: what there is to ask, questions with their SQL,
// one statement that reads, the history of a vessel, and which nights count.
//
//	assistant ── JSON-RPC ──▶ Server: tools ──▶ worker.Pool: the statement, in its own process
//	                                        ──▶ published.Files: dictionary, vessels, nights
//
// An assistant writes its statements from texts of strangers, such as the names of vessels. So its statements get what
// those of any stranger get: a process of their own, a list of what may be called, and limits. Nothing here writes,
// spends a credit or sends a request.
//
// Each answer carries the night that it is of and whether that night can be trusted. If a night is published while a
// statement runs, the statement runs again, so that no answer carries the verdict of another night.
//
// The package keeps nothing; a crash leaves what the pool leaves.
package assistant
