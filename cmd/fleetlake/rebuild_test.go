package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/fleetlake/fleetlake/extract/simulator"
	"github.com/fleetlake/fleetlake/pipeline/derive"
)

// historyJob is a night of a few requests.
const historyJob = `
    list: {by: country, countries: [Panama, Liberia, China], max_age: 0s}
    sweep: {statuses: [aground], zones: [all]}
    lookup: {want: [particulars], max_age: 72h, max_requests: 20}
`

// worldOf is a world with published nights.
func worldOf(t *testing.T, nights ...string) *world {
	t.Helper()
	w := newWorld(t, simulator.Config{Vessels: 300, Seed: 2})
	w.configure(1_000_000, historyJob)
	w.has(historyJob, nights...)
	return w
}

// TestHistoryVerbs goes through rebuild, verify and rollback as a person would.
func TestHistoryVerbs(t *testing.T) {
	t.Parallel()
	w := worldOf(t, "2026-11-20", "2026-11-21")
	asked, spent := len(w.sim.Log()), w.sim.Bill().Spent
	says := func(code int, want string, args ...string) string {
		t.Helper()
		out := w.must(code, args...).stdout
		if !strings.Contains(out, want) {
			t.Errorf("fleetlake %v says:\n%s\nwant %q", args, out, want)
		}
		return out
	}
	says(exitDone, "2 runs", "verify")
	says(exitDone, "discarded", "rebuild", "--dry-run")
	says(exitDone, "tables are identical", "rebuild")
	says(exitDone, "published: the version whose last run is", "rollback") // the one from before the rebuild
	out := says(exitUnexpected, "", "rollback")
	if out != "" {
		t.Errorf("there is no earlier version, and it says %s", out)
	}
	if len(w.sim.Log()) != asked || w.sim.Bill().Spent != spent {
		t.Errorf("a rebuild sent %d requests and spent %d credits", len(w.sim.Log())-asked, w.sim.Bill().Spent-spent)
	}
	w.sim.SetDay(2)
	w.must(exitDone, "run", "nightly", "--date", "2026-11-22")
	if got := w.number("SELECT count(*) FROM runs"); got != 3 {
		t.Errorf("%d runs are published, want 3", got)
	}
	asked, spent = len(w.sim.Log()), w.sim.Bill().Spent
	out = says(exitDone, "rolled back: 20", "rollback")
	says(exitDone, "but 1 that were rolled back", "verify")
	if got := w.number("SELECT count(*) FROM runs"); got != 2 {
		t.Errorf("%d runs are published after the rollback, want 2:\n%s", got, out)
	}
	says(exitDone, "published again: 20", "rollback", "--undo")
	says(exitDone, "nothing to undo", "rollback", "--undo")
	if got := w.number("SELECT count(*) FROM runs"); got != 3 {
		t.Errorf("%d runs are published after all, want 3", got)
	}
	if len(w.sim.Log()) != asked || w.sim.Bill().Spent != spent {
		t.Errorf("%d requests were sent and %d credits spent", len(w.sim.Log())-asked, w.sim.Bill().Spent-spent)
	}
}

func TestVerifySaysWhatToDo(t *testing.T) {
	t.Parallel()
	w := worldOf(t, "2026-11-20")
	paths, err := filepath.Glob(filepath.Join(w.dir, "fleetlake-data", "lake", "listings", "*", "*.parquet"))
	if err != nil || len(paths) != 1 {
		t.Fatalf("%d files: %v", len(paths), err)
	}
	if err := os.Remove(paths[0]); err != nil {
		t.Fatal(err)
	}
	out := w.must(exitUnexpected, "verify").stdout
	if !strings.Contains(out, "WRONG  lake: listings/snapshot_date=2026-11-20/") || !strings.Contains(out, "is missing. `fleetlake rebuild` makes it again") {
		t.Errorf("got:\n%s", out)
	}
	var answer struct {
		OK     bool
		Checks []derive.Check
	}
	if err := json.Unmarshal([]byte(w.must(exitUnexpected, "verify", "--json").stdout), &answer); err != nil {
		t.Fatal(err)
	}
	wrong := 0
	for _, c := range answer.Checks {
		if !c.OK {
			wrong += len(c.Wrong)
		}
	}
	if answer.OK || wrong != 1 {
		t.Errorf("got %+v", answer)
	}
	var done derive.Rebuilt
	if err := json.Unmarshal([]byte(w.must(exitDone, "rebuild", "--json").stdout), &done); err != nil {
		t.Fatal(err)
	}
	if !done.Switched || done.Nights != 1 || !done.Compared.Same() {
		t.Errorf("got %+v", done)
	}
	w.must(exitDone, "verify")
}

// TestIssuesStopARun meets a service that writes IMO numbers in another way all at once.
func TestIssuesStopARun(t *testing.T) {
	t.Parallel()
	w := newWorld(t, simulator.Config{Vessels: 2000, Seed: 2})
	w.configure(1_000_000, `
    list: {by: country, countries: [Panama, Liberia, China, Greece, Germany, Norway, Japan, Malta], max_age: 0s}
    sweep: {statuses: []}
    lookup: {want: []}
`)
	w.must(exitDone, "run", "nightly", "--date", "2026-11-20")
	other := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		answer := httptest.NewRecorder()
		w.sim.ServeHTTP(answer, r)
		rw.Header().Set("Content-Type", answer.Header().Get("Content-Type"))
		rw.WriteHeader(answer.Code)
		rw.Write(regexp.MustCompile(`"imo": ?"(\d)`).ReplaceAll(answer.Body.Bytes(), []byte(`"imo":"IMO $1`)))
	}))
	defer other.Close()
	w.env = append(w.env, "FLEETLAKE_BASE_URL="+other.URL+simulator.BasePath)
	var harvested int  // the credits spent once the first of the two has harvested the night
	for i := range 2 { // the next start tries to publish again, and spends nothing
		o := w.must(exitUnexpected, "run", "nightly", "--date", "2026-11-21")
		if !strings.Contains(o.stderr, "registration.imo: not 7 digits in ") || !strings.Contains(o.stderr, "--accept-issues") {
			t.Errorf("says %s", o.stderr)
		}
		if i == 0 {
			harvested = w.sim.Bill().Spent
		} else if got := w.sim.Bill().Spent; got != harvested {
			t.Errorf("the second start spent %d credits", got-harvested)
		}
	}
	if got := w.number("SELECT count(*) FROM runs"); got != 1 {
		t.Errorf("%d runs are published, want 1", got)
	}
	if out := w.must(exitUnexpected, "verify").stdout; !strings.Contains(out, "WRONG  held back: ") || !strings.Contains(out, "`fleetlake run JOB --accept-issues`") {
		t.Errorf("verify says %s", out)
	}
	w.reports("run 2", "is paid for and held back: registration.imo: not 7 digits", "`fleetlake run nightly --accept-issues --date 2026-11-21` publishes it as it is")
	bad := w.env
	w.env = w.env[:len(w.env)-1] // the service works again: the next night is harvested and published
	w.must(exitDone, "run", "nightly", "--date", "2026-11-22")
	if got := w.number("SELECT count(*) FROM runs"); got != 2 {
		t.Errorf("%d runs are published beside the one that is held back, want 2", got)
	}
	w.reports("is paid for and held back", "--accept-issues --date 2026-11-21")
	handler, err := networkOf(t, w.server()).Handler()
	if err != nil {
		t.Fatal(err)
	}
	defer handler.Close()
	answer := httptest.NewRecorder()
	handler.ServeHTTP(answer, fromThisMachine(httptest.NewRequest(http.MethodGet, "http://127.0.0.1:8080/", nil)))
	if text := answer.Body.String(); strings.Count(text, "A run is held back") != 1 {
		t.Errorf("the page: %s", text)
	}
	w.env = bad
	spent := w.sim.Bill().Spent
	w.must(exitDone, "run", "nightly", "--date", "2026-11-21", "--accept-issues")
	if got := w.number("SELECT count(*) FROM runs"); got != 3 {
		t.Errorf("%d runs are published, want 3", got)
	}
	if got := w.sim.Bill().Spent; got != spent {
		t.Errorf("%d credits were spent after the harvest was kept", got-spent)
	}
	w.reports()
}
