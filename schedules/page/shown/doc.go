// Package shown is what the parts of the page share: how rows of the published file are read, and how values, days, names
// of columns, zones and statuses are shown to people.
package shown
