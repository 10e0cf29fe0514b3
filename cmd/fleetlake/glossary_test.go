package main

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// retired are words that once had a private meaning here, each with the words of the field that took
// its place. They occur in no identifier, comment, message, help text, page or statement.
var retired = map[string]string{
	`purses?`:                      "credits, remaining",
	`yards?`:                       "builder, shipyard",
	`laws`:                         "limits, rules",
	`shel(f|ves)`:                  "cache",
	`books?|booked`:                "slot log, recorded",
	`brakes?`:                      "in flight, drain",
	`rosters?`:                     "fleet",
	`census`:                       "fleet of a day",
	`(take|takes|took) ?off|aloft`: "begin, in flight",
	`in the air`:                   "in flight",
	`(goes|go|going|gone|went) on (with|from)`: "resume, continue",
	`no more in the journal`:                   "",
	`that is all right`:                        "",
	`tellers?|telling`:                         "reader, report",
}

// camel splits identifiers into their words.
var camel = regexp.MustCompile(`([a-z0-9])([A-Z])`)

// TestRetiredWordsStayRetired reads every text of the project.
func TestRetiredWordsStayRetired(t *testing.T) {
	patterns := map[*regexp.Regexp]string{}
	pattern := func(words string) *regexp.Regexp {
		return regexp.MustCompile(`(?i)(^|[^a-z])(` + words + `)($|[^a-z])`)
	}
	for words, instead := range retired {
		patterns[pattern(words)] = instead
	}
	any := pattern(strings.Join(slices.Collect(maps.Keys(retired)), "|")) // one search instead of one for each
	read := 0
	root := filepath.Join("..", "..")
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() && (strings.HasPrefix(name, ".") && path != root && name != ".ci" || name == "testdata" || name == "fleetlake-demo" || name == "fleetlake-data") {
			return filepath.SkipDir
		}
		switch filepath.Ext(name) {
		case ".go", ".sql", ".md", ".yaml", ".html", ".service", ".mod":
		default:
			return nil
		}
		if name == "glossary_test.go" || strings.Contains(filepath.ToSlash(path), "simulator/tables") {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		read++
		for i, line := range strings.Split(string(text), "\n") {
			words := camel.ReplaceAllString(line, "$1 $2")
			if !any.MatchString(words) {
				continue
			}
			for pattern, instead := range patterns {
				if found := pattern.FindStringSubmatch(words); found != nil {
					t.Errorf("%s:%d: %q is retired, say: %s", path, i+1, found[2], instead)
				}
			}
		}
		return nil
	})
	if err != nil || read < 100 {
		t.Fatalf("%d files read: %v", read, err)
	}
}
