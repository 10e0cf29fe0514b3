// Package vessel makes the page of one vessel of what is known of her: who she was when, what she is, where she was, and the
// answers that all of it comes from.
package vessel
