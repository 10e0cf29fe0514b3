// Package dictionary says what each table and column means: of the warehouse, as its file has it, and of
// the lake. Comments of the warehouse are SQL's own; package warehouse has what these cannot carry, and
// this package what the lake's files cannot. Everything that is printed, written as JSON or served as a
// page comes from here, and the documents of an export as well.
//
// The package only reads: a crash leaves nothing.
package dictionary
