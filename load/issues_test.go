package load

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/fleetlake/fleetlake/transform"
)

// refusing is a night of so many listings, a share of which have an issue.
func refusing(date string, vessels int, share float64, field, reason string) run {
	var rows, issues []row
	for i := range vessels {
		rows = append(rows, row{"imo": 9000000 + i, "name": fmt.Sprint("VESSEL ", i)})
		if float64(i) < share*float64(vessels) {
			r := row{"vessel_id": fmt.Sprint("IMO", 9000000+i), "dataset": "registration", "reason": reason}
			if field != "" {
				r["field"] = field
			}
			issues = append(issues, r)
		}
	}
	return night(date, listings(rows...), map[string][]row{"issues": issues})
}

func TestIssuesStopAPublish(t *testing.T) {
	cases := map[string]struct {
		nights []run // all but the last are published before
		stop   string
	}{
		"the first night is as dirty as a simulated fleet": {nights: []run{refusing("20", 1000, 0.1, "country_iso", "country_iso disagrees")}},
		"the first night lacks most of a field":            {nights: []run{refusing("20", 1000, 0.6, "imo", "bad check digit")}, stop: "registration.imo: bad check digit in 600 of 1000 rows (60 %)"},
		"half of a field is refused suddenly":              {nights: []run{refusing("20", 1000, 0.02, "imo", "bad check digit"), refusing("21", 1000, 0.5, "imo", "bad check digit")}, stop: "500 of 1000 rows (50 %), at most 2 %"},
		"half of a field is refused as ever":               {nights: []run{refusing("20", 1000, 0.45, "imo", "bad check digit"), refusing("21", 1000, 0.55, "imo", "bad check digit")}},
		"another reason takes over":                        {nights: []run{refusing("20", 1000, 0.4, "imo", "not 7 digits"), refusing("21", 1000, 0.4, "imo", "bad check digit")}, stop: "bad check digit"},
		"a small night":                                    {nights: []run{refusing("20", 1000, 0, "imo", ""), refusing("21", 100, 1, "imo", "bad check digit")}},
		"small nights before do not count":                 {nights: []run{refusing("20", 100, 0, "imo", ""), refusing("21", 1000, 0.4, "imo", "bad check digit")}},
		"a length is always zero":                          {nights: []run{refusing("20", 1000, 0.9, "length_m", "zero")}},
		"most vessels have no engine":                      {nights: []run{refusing("20", 1000, 0.9, "", "no values")}},
		"a code of a port is never one":                    {nights: []run{refusing("20", 1000, 0, "imo", ""), refusing("21", 1000, 0.9, "last_port_unlocode", "not a locode")}},
		"whole records are refused, and leave no rows":     {nights: []run{refusing("20", 1000, 0, "", ""), whole(refusing("21", 500, 0, "", ""), 400)}, stop: "registration: no identity in 400 of 900 rows"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			last := len(c.nights) - 1
			if last > 0 {
				publishAtOnce(t, dir, c.nights[:last]...)
			}
			m := write(t, dir, c.nights[last])
			err := Publish(t.Context(), dir, Options{}, m)
			if c.stop == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			if !errors.Is(err, ErrIssues) || !strings.Contains(err.Error(), c.stop) || !strings.Contains(err.Error(), m.Run.ID) {
				t.Fatalf("got %v, want an error with %q", err, c.stop)
			}
			if known, err := Manifests(dir); err != nil || len(known) != last {
				t.Errorf("%d manifests, want %d: %v", len(known), last, err)
			}
			if err := Publish(t.Context(), dir, Options{AcceptIssues: true}, m); err != nil {
				t.Errorf("accepted, and still: %v", err)
			}
			if got, want := query(t, dir, "SELECT count(*) FROM runs"), fmt.Sprint(len(c.nights)); got != want {
				t.Errorf("%s runs are published, want %s", got, want)
			}
		})
	}
}

// whole adds issues of records that were refused as a whole.
func whole(r run, n int) run {
	for range n {
		r.rows["issues"] = append(r.rows["issues"], row{"dataset": "registration", "reason": string(transform.NoIdentity)})
	}
	return r
}

// TestIssuesOfAnotherJobDoNotCount: each job is compared with its own earlier runs.
func TestIssuesOfAnotherJobDoNotCount(t *testing.T) {
	dir := t.TempDir()
	publish(t, dir, refusing("20", 1000, 0, "imo", ""))
	r := refusing("21", 1000, 0.4, "imo", "bad check digit")
	of := func(job string) error {
		at := r.row()
		at.Job = job
		m, err := Write(dir, at, r)
		if err != nil {
			t.Fatal(err)
		}
		return Publish(t.Context(), dir, Options{}, m)
	}
	if err := of("nightly"); !errors.Is(err, ErrIssues) {
		t.Errorf("the same job: got %v, want %v", err, ErrIssues)
	}
	if err := of("weekly"); err != nil {
		t.Errorf("another job: %v", err)
	}
}
