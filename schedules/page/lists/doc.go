// Package lists reads tables and views of the warehouse page by page: sorted, filtered and counted within bounds that a reader
// waits for, or whole for a file.
package lists
