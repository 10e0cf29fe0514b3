package export

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// identity is one of a data directory in a place.
func identity(id, directory string) Identity {
	return Identity{ID: id, Host: "etl", Directory: directory}
}

// TestAnExportHasOneDataDirectory exports to a target, and then from a directory that is the same one, a copy, or
// another one.
func TestAnExportHasOneDataDirectory(t *testing.T) {
	const first = "20261101T030000.000Z-aaaa"
	nights := []night{{date: "2026-11-01", id: first, ships: 2}, {date: "2026-11-02", id: "20261102T030000.000Z-bbbb", ships: 2}}
	both, older := published(t, nights...), published(t, nights[0])
	stranger := published(t, night{date: "2026-11-02", id: "20261102T030000.000Z-ffff", ships: 1})
	none := Identity{Host: "etl", Directory: "/none"}
	facts, history := Options{}, Options{Tables: []string{"history"}}
	behind := "the export, of a (/a on etl), has nights up to 2026-11-02 (run 20261102T030000.000Z-bbbb); this directory, " + older +
		", has nights up to 2026-11-01 (run " + first + "), and lacks 1 runs of the export, the earliest of 2026-11-02 (run 20261102T030000.000Z-bbbb)"
	for name, c := range map[string]struct {
		what   Options  // that the first one exports
		before Identity // who exported first, from a directory with both nights
		dir    string
		own    Identity
		want   string // "" is accepted; else part of the reason
		source string // the id that the export has then
	}{
		"the same one":                                   {facts, identity("a", "/a"), both, identity("a", "/a"), "", "a"},
		"the same one, which lost a night":               {facts, identity("a", "/a"), older, identity("a", "/a"), behind, ""},
		"such a one, of an export without facts":         {history, identity("a", "/a"), older, identity("a", "/a"), behind, ""},
		"the same one, moved":                            {facts, identity("a", "/a"), both, identity("a", "/b"), "", "a"},
		"a copy that lacks a night":                      {facts, identity("a", "/a"), older, identity("a", "/b"), behind, ""},
		"such a copy, of an export without facts":        {history, identity("a", "/a"), older, identity("a", "/b"), behind, ""},
		"another one":                                    {facts, identity("a", "/a"), stranger, identity("b", "/b"), "it is of a (/a on etl), and this directory is b (/b on etl)", ""},
		"another one with the same nights":               {facts, identity("a", "/a"), both, identity("b", "/a"), "and this directory is b", ""},
		"another one, where nothing says which runs":     {history, identity("a", "/a"), stranger, identity("b", "/b"), "and this directory is b", ""},
		"one without an id":                              {facts, identity("a", "/a"), both, none, "", "a"},
		"another one without an id":                      {facts, identity("a", "/a"), stranger, none, "it is of a (/a on etl), and this directory has none of its runs", ""},
		"of an earlier program":                          {facts, none, both, identity("a", "/a"), "", "a"},
		"of an earlier program, one night in common":     {facts, none, older, identity("a", "/a"), "lacks 1 runs of the export", ""},
		"of an earlier program and another one":          {facts, none, stranger, identity("a", "/a"), "it is of one without an id, and this directory has none of its runs", ""},
		"of an earlier program, without facts":           {history, none, both, identity("a", "/a"), "", "a"},
		"of an earlier program and another, no facts":    {history, none, stranger, identity("a", "/a"), "has none of its runs, the latest of which is 20261102", ""},
		"of an earlier program, and still without an id": {facts, none, both, none, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := directoryStore(t)
			c.what.Source = c.before
			export(t, both, s, c.what)
			before := tree(t, s)
			_, err := Run(t.Context(), c.dir, s, Options{Source: c.own})
			if c.want == "" {
				if err != nil {
					t.Fatal(err)
				}
				if got := current(t, s).Source; (got == nil) != (c.source == "") || got != nil && (got.ID != c.source || got.Directory == "") {
					t.Errorf("the export is of %v, want %s", got, c.source)
				}
				return
			}
			if errors.Is(err, ErrOther) == errors.Is(err, ErrBehind) || errors.Is(err, ErrBehind) != strings.Contains(c.want, "lacks") || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "--replace") {
				t.Fatalf("got %v", err)
			}
			if diff := cmp.Diff(before, tree(t, s)); diff != "" {
				t.Errorf("the export was touched: %s", diff)
			}
			export(t, c.dir, s, Options{Source: c.own, Replace: true})
			if m := current(t, s); c.own.ID != "" && m.Source.ID != c.own.ID {
				t.Errorf("it was replaced, and is still of %v", m.Source)
			}
		})
	}
}

// TestTwoDirectoriesExportFirst has two data directories export to one empty target at once, in a directory and in S3:
// one of them is refused, whichever comes second.
func TestTwoDirectoriesExportFirst(t *testing.T) {
	dir := published(t, night{date: "2026-11-01", id: "20261101T030000.000Z-aaaa", ships: 2})
	other := published(t, night{date: "2026-11-02", id: "20261102T030000.000Z-ffff", ships: 1})
	for name, open := range targets(t) {
		t.Run(name, func(t *testing.T) {
			s := open(t)
			raced := false
			s.before = func(operation, key string) error {
				if operation != "replace" || raced {
					return nil
				}
				raced = true // the first has read the empty target, and is about to make its manifest the one in force
				export(t, other, s.Store, Options{Source: identity("b", "/b")})
				return nil
			}
			_, err := Run(t.Context(), dir, s, Options{Source: identity("a", "/a")})
			if m := current(t, s); !errors.Is(err, ErrOther) || m.Source.ID != "b" || len(m.Runs) != 1 {
				t.Errorf("got %v, and the export of %v", err, m.Source)
			}
		})
	}
}

// TestAnotherMachineMakesNoManifest exports again from another place: nothing has changed.
func TestAnotherMachineMakesNoManifest(t *testing.T) {
	dir, s := published(t, night{date: "2026-11-01", id: "20261101T030000.000Z-aaaa", ships: 2}), directoryStore(t)
	export(t, dir, s, Options{Source: identity("a", "/a")})
	if r := export(t, dir, s, Options{Source: Identity{ID: "a", Host: "another", Directory: "/a"}}); r.Export != "" {
		t.Errorf("the export %s is new", r.Export)
	}
	// Only the id of one that had none does: the next directory is compared with it.
	s = directoryStore(t)
	export(t, dir, s, Options{})
	if r := export(t, dir, s, Options{Source: identity("a", "/a")}); r.Export == "" || current(t, s).Source.ID != "a" {
		t.Errorf("the export is of %v", current(t, s).Source)
	}
}

// TestARestoredDirectoryCostsNoFacts exports five nights, and then, as told, from a directory that was restored in the
// same place with two of them. Expiries leave the facts of the other three until they are told otherwise, and the
// whole directory lists them again, without an upload.
func TestARestoredDirectoryCostsNoFacts(t *testing.T) {
	all, s := fiveNightsDir(t), directoryStore(t)
	restored := published(t, fiveNights()[:2]...)
	export(t, all, s, Options{Source: identity("a", "/a"), Now: at(3)})
	before := data(t, s)
	if _, err := Run(t.Context(), restored, s, Options{Source: identity("a", "/a")}); !errors.Is(err, ErrBehind) {
		t.Fatalf("got %v", err)
	}
	if _, err := Compact(t.Context(), restored, s, Options{Source: identity("a", "/a")}); !errors.Is(err, ErrBehind) {
		t.Fatalf("a compaction: got %v", err)
	}
	export(t, restored, s, Options{Source: identity("a", "/a"), Replace: true, Now: at(4)})
	facts := func(keys []string) (n int) {
		for _, key := range keys {
			if strings.HasPrefix(key, "facts/") {
				n++
			}
		}
		return n
	}
	lost := facts(before) - len(current(t, s).Files) + len(derived)
	got, err := Expire(t.Context(), s, ExpireOptions{Now: at(20)})
	if err != nil || got.LastCopies != lost || len(got.Notices) != 1 || facts(data(t, s)) != facts(before) {
		t.Fatalf("an expiry: %+v, %v; %d of %d files of facts are left, want %d last copies", got, err, facts(data(t, s)), facts(before), lost)
	}
	export(t, all, s, Options{Source: identity("a", "/a"), Now: at(21)})
	for key, n := range s.puts {
		if strings.HasPrefix(key, "facts/") && n != 1 {
			t.Errorf("%s was uploaded %d times", key, n)
		}
	}
	equalRows(t, all, s)
	export(t, restored, s, Options{Source: identity("a", "/a"), Replace: true, Now: at(22)})
	if got, err := Expire(t.Context(), s, ExpireOptions{Now: at(30), Unlisted: true}); err != nil || got.LastCopies != 0 || facts(data(t, s)) != facts(before)-lost {
		t.Errorf("told otherwise: %+v, %v; %d files of facts are left", got, err, facts(data(t, s)))
	}
}
