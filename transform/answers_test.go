package transform

import (
	"encoding/json"
	commandline "flag"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fleetlake/fleetlake/extract/journal"
)

var update = commandline.Bool("update", false, "write the golden files")

// payloads has the request of each answer in testdata.
var payloads = map[string]struct{ operation, parameters string }{
	"by-type":     {"by-type", "country=Panama&page=1"},
	"by-status":   {"by-status", "for_order=true&laden=ballast&navigational_status=moored&vessel_type=wood-chips+carrier&world_zone=north-sea"},
	"info-detail": {"info", "imo_or_mmsi=9345128"},
	"info-flat":   {"info", "imo_or_mmsi=306111000"},
	"particulars": {"particulars", "imo_or_mmsi=9345128"},
	"location":    {"location", "imo_or_mmsi=538001234"},
}

func payload(t testing.TB, name string) string {
	t.Helper()
	body, err := os.ReadFile(filepath.Join("testdata", name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

// allPayloads is a night that got every answer in testdata.
func allPayloads(t testing.TB) []journal.Entry {
	var entries []journal.Entry
	for i, name := range slices.Sorted(maps.Keys(payloads)) {
		entries = append(entries, answerTo(i+1, payloads[name].operation, payloads[name].parameters, payload(t, name)))
	}
	return night(entries...)
}

func TestAnswersBecomeRows(t *testing.T) {
	got := dump(t, batchOf(t, allPayloads(t)))
	path := filepath.Join("testdata", "rows.golden")
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Error(diff)
	}
}

// TestEveryFieldIsAccountedFor writes something else under each key of each answer, whether
// it has a value or not: the rows must change, since every value has a column, or is in raw
// or extra, or makes an issue.
func TestEveryFieldIsAccountedFor(t *testing.T) {
	envelope := map[string]bool{"total": true, "limit": true, "page": true} // not about a vessel
	for name, asked := range payloads {
		t.Run(name, func(t *testing.T) {
			rows := func(v any) string {
				body, err := json.Marshal(v)
				if err != nil {
					t.Fatal(err)
				}
				e := answerTo(1, asked.operation, asked.parameters, string(body))
				return dump(t, batchOf(t, night(e)))
			}
			var root map[string]any
			if err := json.Unmarshal([]byte(payload(t, name)), &root); err != nil {
				t.Fatal(err)
			}
			whole, keys := rows(root), 0
			walk(root, func(of map[string]any, key string) {
				if envelope[key] {
					return
				}
				keys++
				v := of[key]
				of[key] = "~ something else ~"
				if rows(root) == whole {
					t.Errorf("%q: what came for %v leaves no trace", key, v)
				}
				of[key] = v
			})
			if keys < 10 {
				t.Errorf("only %d keys were tried", keys)
			}
		})
	}
}

// walk visits every key of every object.
func walk(v any, visit func(of map[string]any, key string)) {
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			walk(e, visit)
		}
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			visit(v, key)
			walk(v[key], visit)
		}
	}
}

func TestSameEntriesGiveSameRows(t *testing.T) {
	entries := allPayloads(t)
	for i := range 5 {
		entries = append(entries, answerTo(10+i, "by-type", "page=1&type_specific=Bulk+Carrier", listingPage(i%3, 100)))
		entries = append(entries, answerTo(20+i, "by-status", "navigational_status=aground", payload(t, "by-status")))
		entries = append(entries, journal.Entry{N: 30 + i, Kind: journal.KindIntent, Operation: "by-type", Parameters: "country=Malta&page=1", Credits: 10})
	}
	want := dump(t, batchOf(t, entries))
	if got := dump(t, batchOf(t, entries)); got != want {
		t.Errorf("the second time differs: %s", cmp.Diff(want, got))
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 10 {
		rest := slices.Clone(entries)
		random.Shuffle(len(rest)-1, func(i, j int) { rest[i+1], rest[j+1] = rest[j+1], rest[i+1] })
		if got := dump(t, batchOf(t, rest)); got != want {
			t.Fatalf("another order differs: %s", cmp.Diff(want, got))
		}
	}
}

func TestRowsMayBeAskedForBetweenEntries(t *testing.T) {
	entries := allPayloads(t)
	want := dump(t, batchOf(t, entries))
	b := batchOf(t, nil)
	for _, e := range entries {
		b.Add(journal.Exchange{Entry: e})
		_ = dump(t, b)
	}
	if diff := cmp.Diff(want, dump(t, b)); diff != "" {
		t.Error(diff)
	}
}

// FuzzAnswers checks that an answer, however broken, never changes the rows of another.
func FuzzAnswers(f *testing.F) {
	for name, asked := range payloads {
		f.Add(asked.operation, asked.parameters, []byte(payload(f, name)))
	}
	f.Add("by-type", "page=x&country=%zz", []byte(`{"items":[{"imo":9218301,"imo":"\ud83d"},{}],"total":"1e9"}`))
	f.Add("info", "", []byte(`{"detail":{"imo":"9218301","engine":{"a":[]},"latitude":1}}`))
	f.Fuzz(func(t *testing.T, operation, parameters string, body []byte) {
		bad := answerTo(1, operation, parameters, "")
		bad.SetBody(body)
		if with, without := fingerprints(bad); with != without {
			t.Errorf("the fingerprint is %x with its rows, and %x with the numbers alone", with, without)
		}
		good := answerTo(2, "by-type", "country=Malta&page=1", `{"total":1,"items":[{"imo":"9074729","name":"GOOD"}]}`)
		b := NewBatch() // with Go's own memory: the allocator that looks for leaks is dear
		for x := range journal.Pair(sequence(night(bad, good))) {
			b.Add(x)
		}
		rows := map[string][]map[string]string{}
		for _, table := range Tables {
			rows[table.Name] = rowsIn(t, b, table)
			if !reflect.DeepEqual(rows[table.Name], rowsIn(t, b, table)) {
				t.Errorf("written twice, the rows of %s differ", table.Name)
			}
		}
		if got := b.Rows(Requests); got != 2 {
			t.Errorf("%d requests", got)
		}
		found := slices.ContainsFunc(rows[Listings.Name], func(r map[string]string) bool { return r["vessel_id"] == "IMO9074729" })
		if !found {
			t.Error("the good answer has no row")
		}
		for table, all := range rows {
			for _, row := range all {
				for _, column := range []string{"raw", "extra"} {
					if s, ok := row[column]; ok && !json.Valid([]byte(s)) {
						t.Errorf("%s.%s is no JSON: %s", table, column, s)
					}
				}
			}
		}
		earlier := NewBatch()
		earlier.AddEarlier(bad)
		for _, table := range []Table{Listings, Sightings, Particulars, Engine, Management, Positions, Requests, Issues} {
			if n := earlier.Rows(table); n != 0 {
				t.Errorf("an earlier answer makes %d rows of %s", n, table.Name)
			}
		}
	})
}
