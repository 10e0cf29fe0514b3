// Package history answers what the published warehouse knows of one vessel: its identity and the
// numbers that it had, the versions of each dataset, its stays on the list, where it was, which
// requests the service got about it, and which of its values were not accepted. Each fact names
// the answer in the journal that it comes from.
//
// The package only reads. Its SQL is in sql/, one statement a file.
package history

import (
	"embed"

	"github.com/fleetlake/fleetlake/warehouse"
)

//go:embed sql
var files embed.FS

var statements = warehouse.Statements{Files: files}
