package main

import (
	"fmt"
	"regexp"
	"runtime/debug"
	"strings"
	"time"
)

// Versions of programs that were not built from a tag.
const (
	untagged       = "untagged" // a commit is known
	unknownVersion = "unknown"  // built without version control, as tests are
)

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
