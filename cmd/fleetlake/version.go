package main

import (
	"fmt"
	"regexp"
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"github.com/fleetlake/fleetlake/cmd/fleetlake/console"
	"github.com/fleetlake/fleetlake/transform"
	"github.com/fleetlake/fleetlake/warehouse"
	"github.com/spf13/cobra"
)

// Versions of programs that were not built from a tag.
const (
	untagged       = "untagged" // a commit is known
	unknownVersion = "unknown"  // built without version control, as tests are
)

// build is what a program was built from, and what it writes.
type build struct {
	Version  string `json:"version"`
	DuckDB   string `json:"duckdb"`
	Schema   string `json:"schema"` // of the warehouse: the number of its newest migration
	Rules    int    `json:"rules"`  // by which values are read
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

func (a *app) versionCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "version",
		Short: "Print the version, with the commit, the engine and the schema",
		Long: `Print what this program was built from and what it writes. A warehouse with an older schema, or a lake of
older rules, is rebuilt from the journal by the next run; a newer one is refused.`,
		Example: "  fleetlake version\n  fleetlake version --json | jq -r .duckdb",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			b := build{version(), warehouse.EngineVersion(), warehouse.SchemaVersion(), transform.Rules, runtime.Version(), runtime.GOOS + "/" + runtime.GOARCH}
			if asJSON {
				return console.WriteJSON(a.stdout, b)
			}
			_, err := fmt.Fprintf(a.stdout, "fleetlake %s\nDuckDB    %s\nschema    %s of the warehouse, rules %d for values\n%s on %s\n",
				b.Version, b.DuckDB, b.Schema, b.Rules, b.Go, b.Platform)
			return err
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	return c
}

// version is the version of the program, with the commit and its date where the build has them.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return unknownVersion
	}
	return versionOf(info)
}

// pseudoVersion matches the version that Go gives a commit without a tag: its date and its first digits.
var pseudoVersion = regexp.MustCompile(`[-.](\d{14})-([0-9a-f]{12})$`)

// versionOf is "v1.2.3 (commit 0123456789ab of 2026-11-21T22:11:18Z)". `go build` in a checkout writes the
// commit and its date into the program; `go install` of a module writes only the module's version, which
// has them if the commit has no tag.
func versionOf(info *debug.BuildInfo) string {
	settings := map[string]string{}
	for _, s := range info.Settings {
		settings[s.Key] = s.Value
	}
	name, commit, date := strings.TrimSuffix(info.Main.Version, "+dirty"), settings["vcs.revision"], settings["vcs.time"]
	if m := pseudoVersion.FindStringSubmatch(name); m != nil {
		name = untagged
		if at, err := time.Parse("20060102150405", m[1]); err == nil && commit == "" {
			commit, date = m[2], at.Format(time.RFC3339)
		}
	}
	if name == "" || name == "(devel)" {
		name = untagged
	}
	switch {
	case commit == "" && name == untagged:
		return unknownVersion
	case commit == "":
		return name
	case settings["vcs.modified"] == "true":
		date += ", modified"
	}
	return fmt.Sprintf("%s (commit %s of %s)", name, commit[:min(12, len(commit))], date)
}
