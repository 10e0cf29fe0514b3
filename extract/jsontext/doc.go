// Package jsontext reads JSON from its start to its end, without a tree of it and without copies, and accepts
// exactly the grammar of JSON. It keeps nothing: a value is a part of the text that was read.
package jsontext
