// Package news reports what nights brought about vessels: changes, and what coverage proved. The page's feeds
// and the notifications take it from here. It only reads; a crash leaves nothing.
package news

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
	"time"

	"github.com/fleetlake/fleetlake/warehouse"
)

//go:embed sql/*.sql
var files embed.FS

var statements = warehouse.Statements{Files: files}

// Kinds lists the kinds of news, the gravest first.
var Kinds = []string{"aground", "gone dark", "identity in doubt", "left the list", "reflagged", "new owner", "new manager", "renamed", "new mmsi"}

// Item is one piece of news about a vessel.
type Item struct {
	Night    string     `json:"night"` // that first showed it, as YYYY-MM-DD
	Kind     string     `json:"kind"`  // one of Kinds
	VesselID string     `json:"vessel_id"`
	Name     string     `json:"name,omitempty"` // that the vessel has now
	Was      string     `json:"was,omitempty"`
	Now      string     `json:"now,omitempty"`
	Before   *time.Time `json:"not_before,omitempty"` // it happened after this observation
	After    *time.Time `json:"not_after,omitempty"`  // and before this one, which showed it
	Run      string     `json:"run,omitempty"`        // the evidence: its run, and the entry of the answer
	Entry    int        `json:"entry"`                // -1 is none: coverage proves it, and no single answer
}

// Key identifies the news of a night, so that nobody hears it twice.
func (i Item) Key() string {
	return fmt.Sprintf("%s/%s/%s/%s/%s", i.Night, i.Kind, i.VesselID, i.Was, i.Now)
}

// longest is the length of the longest value in words, in characters: the names of companies are shorter, and
// anybody may send a longer one by radio.
const longest = 120

// short cuts a value to that length.
func short(value string) string {
	if runes := []rune(value); len(runes) > longest {
		return string(runes[:longest]) + "…"
	}
	return value
}

// Words is the news in one line, in which a value that is too long is cut.
func (i Item) Words() string {
	i.Name, i.Was, i.Now = short(i.Name), short(i.Was), short(i.Now)
	name := i.VesselID
	if i.Name != "" {
		name = i.Name + " (" + i.VesselID + ")"
	}
	switch i.Kind {
	case "aground":
		return name + ": aground" + within(i.Now)
	case "gone dark":
		return fmt.Sprintf("%s: gone dark; last sighted %s on %s, and on no search of all statuses and zones since", name, i.Was, i.Now)
	case "left the list":
		return fmt.Sprintf("%s: left the list; last listed on %s", name, i.Was)
	case "identity in doubt":
		return fmt.Sprintf("%s: identity in doubt: %s (%s)", name, i.Now, i.Was)
	}
	return fmt.Sprintf("%s: %s, %s to %s", name, i.Kind, i.Was, i.Now)
}

func within(zone string) string {
	if zone == "" {
		return ""
	}
	return " in " + zone
}

// Between returns the news of the nights from first to last, both as YYYY-MM-DD, the oldest first: of all
// vessels, or of those that a list names by vessel_id, IMO number or MMSI. Its errors are those of reading,
// as warehouse.Warehouse describes.
func Between(ctx context.Context, w *warehouse.Warehouse, first, last string, vessels []string) ([]Item, error) {
	if vessels == nil {
		vessels = []string{}
	}
	return warehouse.Collect(ctx, w, statements.Text("between"), func(rows *sql.Rows) (i Item, err error) {
		return i, rows.Scan(&i.Night, &i.Kind, &i.VesselID, &i.Name, &i.Was, &i.Now, &i.Before, &i.After, &i.Run, &i.Entry)
	}, first, last, vessels)
}

// Without returns the news that is not among those that were known before.
func Without(all, known []Item) (fresh []Item) {
	seen := map[string]bool{}
	for _, i := range known {
		seen[i.Key()] = true
	}
	for _, i := range all {
		if !seen[i.Key()] {
			fresh = append(fresh, i)
		}
	}
	return fresh
}
