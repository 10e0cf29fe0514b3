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

	"github.com/fleetlake/fleetlake/extract/api"
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

// FuzzPagingCountsRows compares what api.Read, by which a harvest is billed and buys pages, counts in an answer with
// what becomes of the answer in the lake: a row for each vessel, or an issue of the record that was refused.
func FuzzPagingCountsRows(f *testing.F) {
	vessel := `{"imo":"9074729","name":"A"}`
	for _, body := range []string{
		`{"total":1,"items":[` + vessel + `]}`, `{"Total":1,"Items":[` + vessel + `]}`, `{"detail":{"items":[` + vessel + `]}}`,
		`{"items":[` + vessel + `],"items":[]}`, `{"items":[` + vessel + `,7,{},null,{"imo":[]}]}`, `{"items":[1,2]}`, `{"vessels":[` + vessel + `]}`,
		`{"detail":{"vessels":null}}`, `{"detail":` + vessel + `}`, `{"detail":"none","detail":` + vessel + `}`, vessel, `{"name":"-"}`, `[`, ``,
		"{\"items\":[{\"imo\":\"9074729\",\"name\":\"\xff\\ud800\"}]}", `{"detail":{"latitude":"1"},"x":1}`, `{"detail":{"teu":"5"}}`,
	} {
		for i := range api.Operations {
			f.Add(uint8(i), []byte(body))
		}
	}
	f.Fuzz(func(t *testing.T, operation uint8, body []byte) {
		o := api.Operations[int(operation)%len(api.Operations)]
		if o == api.Credits {
			t.Skip() // its answers have no rows
		}
		counted, err := api.Read(o, string(body))
		e := answerTo(1, o.Name, "", "")
		e.SetBody(body)
		b := NewBatch()
		for x := range journal.Pair(sequence(night(e))) {
			b.Add(x)
		}
		if o.List == "" {
			if rows := b.requests[0].rows; rows != counted.Rows {
				t.Errorf("%s %q has %d vessels in the lake; %d were counted, error %v", o.Name, body, rows, counted.Rows, err)
			}
			if kept := len(b.particulars.rows) + len(b.positions.rows); kept > 0 && counted.Rows == 0 {
				t.Errorf("%s %q has %d rows; no vessel was counted", o.Name, body, kept)
			}
			return
		}
		r, _ := b.searchRows(o.Name)
		rows, unusable := r.rows.n, 0
		for _, i := range b.issues {
			switch {
			case i.reason == NotARecord || i.reason == NoIdentity:
				rows++
			case i.field == "" && (i.reason == NotJSON || i.reason == UnexpectedShape):
				unusable++
			}
		}
		if err == nil && (rows != counted.Rows || unusable > 0) || err != nil && (rows > 0 || unusable != 1) {
			t.Errorf("%s %q: %d vessels were counted, error %v; the lake has %d, and %d issues of the answer", o.Name, body, counted.Rows, err, rows, unusable)
		}
	})
}
