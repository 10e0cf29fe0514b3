package transform

import (
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/google/go-cmp/cmp"

	"github.com/fleetlake/fleetlake/extract/journal"
)

// columnsOf joins some columns of each row of a table.
func columnsOf(t *testing.T, b *Batch, table Table, columns ...string) []string {
	t.Helper()
	var lines []string
	for _, row := range rowsIn(t, b, table) {
		var cells []string
		for _, c := range columns {
			cells = append(cells, row[c])
		}
		lines = append(lines, strings.Join(cells, " "))
	}
	return lines
}

func TestListingsKeepEachVesselAndMMSIOnce(t *testing.T) {
	page := func(items ...string) string {
		return fmt.Sprintf(`{"total": %d, "items": [%s]}`, len(items), strings.Join(items, ","))
	}
	const old, now = `{"imo": "9218301", "mmsi": "371234000", "name": "OLD"}`, `{"imo": "9218301", "mmsi": "636012345", "name": "NOW"}`
	late := answerTo(3, "by-type", "country=Panama&page=1", page(old, `{"imo": "9218301", "mmsi": "371234000", "name": "OTHER"}`))
	early := answerTo(4, "by-type", "country=Liberia&page=1", page(now, now, old))
	late.Received, early.Received = early.Received, late.Received
	b := batchOf(t, night(early, late, answerTo(5, "by-type", "country=Malta&page=1", page(old, `{"mmsi": "371234000"}`))))
	want := []string{
		"IMO9218301 636012345 NOW 4", // seen first
		"IMO9218301 371234000 OLD 3", // the first entry that has it
		"MMSI371234000 371234000  5",
	}
	if diff := cmp.Diff(want, columnsOf(t, b, Listings, "vessel_id", "mmsi", "name", "entry")); diff != "" {
		t.Error(diff)
	}
}

// TestListingsKeepBothAnswers: a vessel that changes her flag or type while the list is read is on it with both.
func TestListingsKeepBothAnswers(t *testing.T) {
	one := func(country, kind string) string {
		return fmt.Sprintf(`{"total": 1, "items": [{"imo": "9218301", "mmsi": "371234000", "country": %q, "typeSpecific": %q}]}`, country, kind)
	}
	b := batchOf(t, night(
		answerTo(1, "by-type", "country=Liberia&page=1", one("Liberia", "Tug")), answerTo(2, "by-type", "country=Panama&page=1", one("Panama", "Tug")),
		answerTo(3, "by-type", "page=1&type_specific=Tug", one("Liberia", "Tug")), answerTo(4, "by-type", "page=1&type_specific=Pusher+Tug", one("Liberia", "Pusher Tug")),
	))
	if diff := cmp.Diff([]string{"1 LR Tug", "2 PA Tug", "4 LR Pusher Tug"}, columnsOf(t, b, Listings, "entry", "flag", "vessel_type")); diff != "" {
		t.Error(diff)
	}
}

func TestSightingsKeepARowForEachSweep(t *testing.T) {
	const body = `{"vessels": [{"imo": "9218301", "mmsi": "371234000"}, {"imo": "9218301", "mmsi": "371234000"}]}`
	b := batchOf(t, night(
		answerTo(1, "by-status", "navigational_status=moored&world_zone=north-sea", body),
		answerTo(2, "by-status", "navigational_status=moored&world_zone=baltic-sea", body),
		answerTo(3, "by-status", "for_order=false&navigational_status=moored&world_zone=baltic-sea", body),
		answerTo(4, "by-status", "navigational_status=moored&world_zone=north-sea", body),
	))
	want := []string{"1 north-sea ", "2 baltic-sea ", "3 baltic-sea false"}
	if diff := cmp.Diff(want, columnsOf(t, b, Sightings, "entry", "world_zone", "for_order")); diff != "" {
		t.Error(diff)
	}
}

// TestLookupsThatSayTheSameAreOneRow: a value that another answer had replaced is news when it returns.
func TestLookupsThatSayTheSameAreOneRow(t *testing.T) {
	body := payload(t, "particulars")
	other := strings.Replace(body, "183 m", "184 m", 1)
	b := batchOf(t, night(
		answerTo(1, "particulars", "imo_or_mmsi=9074729", body), answerTo(2, "particulars", "imo_or_mmsi=9074729", other),
		answerTo(3, "particulars", "imo_or_mmsi=9074729", other), answerTo(4, "particulars", "imo_or_mmsi=9074729", body),
	))
	if diff := cmp.Diff([]string{"1 183", "2 184", "4 183"}, columnsOf(t, b, Particulars, "entry", "length_m")); diff != "" {
		t.Error(diff)
	}
}

func TestBrokenAnswersAreOneIssue(t *testing.T) {
	whole := payload(t, "by-type")
	for name, c := range map[string]struct {
		operation, body, reason string
	}{
		"a page cut in the middle":       {"by-type", whole[:len(whole)/2], "not json"},
		"a page with a mistake":          {"by-type", strings.Replace(whole, "\"limit\"", "limit", 1), "not json"},
		"HTML":                           {"by-status", "<html>busy</html>", "not json"},
		"nothing at all":                 {"info", "", "not json"},
		"a list where an object belongs": {"particulars", "[]", "unexpected shape"},
		"an object without vessels":      {"by-status", `{"message": "ok"}`, "unexpected shape"},
		"vessels that are no list":       {"by-type", `{"items": "none", "total": 0}`, "unexpected shape"},
		"a detail that is words":         {"info", `{"detail": "Vessel not found"}`, "no identity"},
		"two answers in one":             {"by-status", `{"vessels": []} {"vessels": []}`, "not json"},
		"a profile cut in the middle":    {"info", payload(t, "info-detail")[:500], "not json"},
	} {
		t.Run(name, func(t *testing.T) {
			b := batchOf(t, night(answerTo(1, c.operation, "", c.body)))
			if diff := cmp.Diff([]string{"1 " + c.reason}, columnsOf(t, b, Issues, "entry", "reason")); diff != "" {
				t.Error(diff)
			}
			for _, table := range []Table{Listings, Sightings, Particulars, Engine, Management, Positions} {
				if n := b.Rows(table); n != 0 {
					t.Errorf("%d rows of %s", n, table.Name)
				}
			}
		})
	}
}

func TestAnAnswerThatIsNotUTF8IsRepairedAndReported(t *testing.T) {
	e := answerTo(1, "by-type", "country=Panama&page=1", "")
	e.Base64 = base64.StdEncoding.EncodeToString([]byte("{\"total\":1,\"items\":[{\"imo\":\"9218301\",\"name\":\"CA\xd1A\"}]}"))
	b := batchOf(t, night(e))
	if diff := cmp.Diff([]string{"IMO9218301 CA\ufffdA"}, columnsOf(t, b, Listings, "vessel_id", "name")); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"not utf-8"}, columnsOf(t, b, Issues, "reason")); diff != "" {
		t.Error(diff)
	}
}

func TestANumberMissingInTheAnswerIsTheRequestedOne(t *testing.T) {
	for name, c := range map[string]struct {
		parameters, body, want string // the id, and the MMSI
	}{
		"asked by IMO":                            {"imo_or_mmsi=9218301", `{"detail": {"name": "NEWSUN", "latitude": "1", "longitude": "2"}}`, "IMO9218301 "},
		"asked by IMO, an MMSI in the answer":     {"imo_or_mmsi=9218301", `{"name": "NEWSUN", "mmsi": "306256000", "latitude": "1", "longitude": "2"}`, "IMO9218301 306256000"},
		"asked by IMO, a false one in the answer": {"imo_or_mmsi=9218301", `{"imo": "9218302", "latitude": "1", "longitude": "2"}`, "IMO9218301 "},
		"asked by IMO, another in the answer":     {"imo_or_mmsi=9218301", `{"imo": "9074729", "latitude": "1", "longitude": "2"}`, "IMO9074729 "},
		"asked by MMSI":                           {"imo_or_mmsi=306256000", `{"name": "NEWSUN", "imo": "-", "latitude": "1", "longitude": "2"}`, "MMSI306256000 306256000"},
		"asked by MMSI, another in the answer":    {"imo_or_mmsi=306256000", `{"mmsi": "371000001", "latitude": "1", "longitude": "2"}`, "MMSI371000001 371000001"},
		"asked by MMSI, an IMO in the answer":     {"imo_or_mmsi=306256000", `{"imo": "9218301", "latitude": "1", "longitude": "2"}`, "IMO9218301 "},
		"a position alone":                        {"imo_or_mmsi=9218301", `{"latitude": "1", "longitude": "2"}`, "IMO9218301 "},
		"no vessel in the answer":                 {"imo_or_mmsi=9218301", `{"detail": "Vessel not found", "name": "-"}`, ""},
		"another shape":                           {"imo_or_mmsi=9218301", `{"message": "ok"}`, ""},
	} {
		var want []string
		if c.want != "" {
			want = []string{c.want}
		}
		for operation, table := range map[string]Table{"particulars": Particulars, "info": Particulars, "location": Positions} {
			t.Run(name+" by "+operation, func(t *testing.T) {
				b := batchOf(t, night(answerTo(1, operation, c.parameters, c.body)))
				if diff := cmp.Diff(want, columnsOf(t, b, table, "vessel_id", "mmsi")); diff != "" {
					t.Error(diff)
				}
			})
		}
	}
}

func TestAnEmptyPartIsNoRow(t *testing.T) {
	for name, c := range map[string]struct {
		engine string
		want   []string
	}{
		"with values":        {`{"fuelType": "MDO"}`, []string{"IMO9218301 MDO"}},
		"of empty fields":    {`{"fuelType": "-", "Propeller": ""}`, nil},
		"a refused value":    {`{"enginePower(kW)": "0"}`, []string{"IMO9218301 "}},
		"empty":              {`{}`, nil},
		"null":               {`null`, nil},
		"a dash":             {`"-"`, nil},
		"keys in other case": {`{"FUELTYPE": "MDO"}`, []string{"IMO9218301 MDO"}},
	} {
		t.Run(name, func(t *testing.T) {
			b := batchOf(t, night(answerTo(1, "info", "", fmt.Sprintf(`{"imo": "9218301", "engine": %s}`, c.engine))))
			if diff := cmp.Diff(c.want, columnsOf(t, b, Engine, "vessel_id", "fuel_type")); diff != "" {
				t.Error(diff)
			}
			if b.Rows(Positions) != 0 || b.Rows(Management) != 0 || b.Rows(Particulars) != 1 {
				t.Errorf("other rows: %s", dump(t, b))
			}
		})
	}
}

func TestRequests(t *testing.T) {
	intent := func(n int, operation string) journal.Entry {
		return journal.Entry{N: n, Kind: journal.KindIntent, At: answerTo(n, "", "", "").At, Operation: operation, Parameters: "p=1", Credits: 5}
	}
	answered := refusal(3, "info", "p=1", "not_found")
	answered.Intent, answered.Status, answered.Credits, answered.Charge = 1, 404, 0, journal.ChargeAssumed
	lost := refusal(5, "info", "p=1", "network")
	lost.Intent, lost.Status, lost.Credits, lost.Charge, lost.Received = 4, 0, 5, journal.ChargeUnknown, time.Time{}
	balance := answerTo(6, "credits", "", `{"detail": {"credits": 100}}`)
	balance.Kind, balance.Charge, balance.Credits = journal.KindBalance, journal.ChargeFree, 0
	b := batchOf(t, night(intent(1, "info"), intent(2, "particulars"), answered, intent(4, "info"), lost, balance))
	want := []string{
		"2 particulars  5 unknown unknown 0 02:00:02 ",
		"3 info 404 0 assumed not_found 0 02:00:03 02:00:03",
		"5 info  5 unknown network 0 02:00:05 ",
		"6 credits 200 0 free ok 0 02:00:06 02:00:06",
	}
	got := columnsOf(t, b, Requests, "entry", "operation", "http_status", "credits", "charge", "outcome", "rows", "sent_at", "received_at")
	for i := range got {
		got[i] = strings.NewReplacer("2026-11-20 ", "", "Z", "").Replace(got[i])
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if b.Rows(Issues) != 0 {
		t.Errorf("issues: %s", dump(t, b))
	}
}

func TestWriteCutsLongTables(t *testing.T) {
	b := batchOf(t, night())
	for i := range 70 {
		b.Add(journal.Exchange{Entry: answerTo(i+1, "by-type", fmt.Sprintf("country=Panama&page=%d", i+1), listingPage(i, 1000))})
	}
	var sizes []int64
	var last string
	err := b.Write(Listings, func(r arrow.Record) error {
		sizes = append(sizes, r.NumRows())
		for i := range int(r.NumRows()) {
			id := r.Column(r.Schema().FieldIndices("vessel_id")[0]).ValueStr(i)
			if id <= last {
				t.Fatalf("%s comes after %s", id, last)
			}
			last = id
		}
		return nil
	})
	if diff := cmp.Diff([]int64{16_384, 16_384, 16_384, 16_384, 4_464}, sizes); err != nil || diff != "" {
		t.Errorf("%v: %s", err, diff)
	}
}

func TestWriteStopsAtAnError(t *testing.T) {
	b := batchOf(t, allPayloads(t))
	full := errors.New("disk full")
	at := answer{entry: 1, operation: "port-calls", parameters: "imo_or_mmsi=9218301"}
	b.addRaw(&at, `{}`)
	for _, table := range Tables {
		if err := b.Write(table, func(arrow.Record) error { return full }); !errors.Is(err, full) {
			t.Errorf("%s: %v", table.Name, err)
		}
	}
	if err := b.Write(Table{Name: "none"}, nil); err != nil {
		t.Errorf("an unknown table: %v", err)
	}
}
