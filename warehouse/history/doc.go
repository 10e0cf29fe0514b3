// Package history answers what the published warehouse knows of one vessel: its identity and the
// numbers that it had, the versions of each dataset, its stays on the list, where it was, which
// requests the service got about it, and which of its values were not accepted. Each fact names
// the answer in the journal that it comes from.
//
// The package only reads. Its SQL is in sql/, one statement a file.
package history

import (
	"embed"
	"strings"
	"text/template"
)

//go:embed sql
var files embed.FS

// statement returns the SQL in sql/name.sql. A missing file is a bug, not an error.
func statement(name string) string {
	b, err := files.ReadFile("sql/" + name + ".sql")
	if err != nil {
		panic(err)
	}
	return string(b)
}

// filled executes the template in sql/name.sql. A bad file is a bug, not an error.
func filled(name string, values any) string {
	var b strings.Builder
	if err := template.Must(template.New(name).Parse(statement(name))).Execute(&b, values); err != nil {
		panic(err)
	}
	return b.String()
}
