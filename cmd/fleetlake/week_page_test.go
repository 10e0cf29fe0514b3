package main

import (
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/apache/arrow/go/v17/parquet/compress"

	"github.com/fleetlake/fleetlake/extract/simulator"
)

// TestAWeekEndsAtATruthfulPage plays seven nights of `fleetlake serve` in virtual time: the real
// scheduler runs the real pipeline against the simulator, at the documented limits. In it are a
// restart in the middle of a run, an outage of the service, a night in which the machine is off,
// an exhausted balance, a full disk and a person's own run. On most mornings, and at the end, the
// status page must report it, and each number must be that of the journal.
func TestAWeekEndsAtATruthfulPage(t *testing.T) {
	notShort(t)
	zstd, err := compress.GetCodec(compress.Codecs.Zstd) // its encoder is one for all, and must be no bubble's own
	if err != nil {
		t.Fatal(err)
	}
	zstd.Encode(make([]byte, 64), []byte("x"))
	disk, small := smallDisk(t)
	if err := os.WriteFile(filepath.Join(disk, "fleetlake.yaml"), []byte(weekConfig), 0o600); err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		w := newWeek(t, disk)
		w.small = small
		w.start()
		w.firstNight()
		w.restartInARun()
		w.outage()
		w.offAndOutOfCredits()
		w.fullDisk()
		w.ownRun()
		w.end()
		w.everyRunHasItsPage()
		if text := w.log.String(); strings.Contains(text, "planted-key") {
			t.Error("the key is in the log")
		}
	})
}

func (w *week) firstNight() {
	w.until("01 00:30")
	if _, text := w.look("/"); !strings.Contains(text, "No night yet") || !strings.Contains(text, "in 90 minutes, for 2000-01-01") {
		w.t.Errorf("before the first night:\n%s", text)
	}
	w.until("01 08:00")
	w.morning("2000-01-01", "Last night · nightly Ran, and is complete Saturday 1 January 2000",
		"Ran? Yes 02:00–02:00 UTC, 5 hours ago", "First night", "100 % 14 of 14 partitions",
		"No slot was missed, and no run failed.", "Sun 2 Jan, 02:00 in 18 hours")
}

// restartInARun stops the process in the second night, when some answers have come and some are
// on their way, within the grace of a stop, and starts the next one.
func (w *week) restartInARun() {
	w.until("02 01:00")
	w.sim.SetDay(1)
	w.faults(simulator.Fault{Kind: simulator.Slow, Least: 19 * time.Second, Most: 19 * time.Second})
	w.until("02 02:00")
	for w.sim.Bill().Operations["particulars"].Answers < 22 { // those of the first night included
		time.Sleep(time.Second) // by the clock of the bubble
	}
	if _, text := w.look("/live?whole=1"); !strings.Contains(text, "nightly is running for 2000-01-02, harvest, since 02:00") {
		w.t.Errorf("the run is not on the page:\n%s", text)
	}
	w.end()
	w.faults()
	w.morning("2000-01-02", "Last night · nightly Was interrupted Sunday 2 January 2000", "It was stopped by request. Run the job again to resume.",
		"Ran? interrupted 02:00–02:00 UTC")
	w.start()
	w.until("02 08:00")
	w.morning("2000-01-02", "Ran, and is complete Sunday 2 January 2000", "5 hours ago, in 2 runs", "14 of 14 partitions")
}

// outage takes the service away for a night, the free call included.
func (w *week) outage() {
	w.until("03 01:00")
	w.sim.SetDay(2)
	w.faults(simulator.Fault{Kind: simulator.Unavailable}, simulator.Fault{Kind: simulator.Unavailable, Operation: "credits"})
	w.until("03 08:00")
	// A try takes twice the patience if its first lookup waits for the searches, so that the last one may end with the
	// patience or with the deadline.
	ends, after := "The service did not answer as it should, also after several tries.", "30m0s"
	if _, text := w.look("/"); strings.Contains(text, "The deadline has passed.") {
		ends, after = "The deadline has passed. Run the job again to resume.", ""
	}
	w.morning("2000-01-03", "Ran in part Monday 3 January 2000 "+ends, "the service gave no answer for "+after, "503 Service Unavailable", "14 of 14 partitions were not seen whole, so nothing in them counts as gone.",
		"Complete? 0 % 0 of 14 partitions Cost?", "perhaps not billed", "listed, as many as before", "0 Gone", "Not seen whole: 14 partitions",
		"(not complete since)", " of 8 partitions of the list were not answered: the service did not answer as it should", " of 6 status searches were not answered")
	w.until("03 20:00")
	w.faults()
	w.end()
}

// offAndOutOfCredits leaves the machine off over the slot of the 4th. The slot of the 5th is made
// up for when it is on again, and the balance pays for some of it.
func (w *week) offAndOutOfCredits() {
	w.until("05 08:00")
	w.sim.SetDay(4)
	w.sim.SetBalance(65)
	w.start()
	w.until("05 12:00")
	w.morning("2000-01-05", "Last night · nightly Ran in part Wednesday 5 January 2000 The credits are used up, or down to the floor.",
		"5 of 14 partitions Cost? 65 credits of at most 65 planned", "9 of 14 partitions were not seen whole", "Not seen whole: 9 partitions",
		"left out 0", "6 of 6 status searches are left out: they would bring the balance below its floor (budget.floor)", "Balance 0 ",
		"2000-01-04 missed – –", "Tue 4 Jan, 02:00 missed no process was waiting; the slot of 2000-01-05T02:00:00Z runs instead")
	w.sim.SetBalance(5000)
}

// fullDisk fills the disk at the slot of the sixth night. The slot is tried again, and done when there
// is room.
func (w *week) fullDisk() {
	w.until("06 01:00")
	w.sim.SetDay(5)
	why := w.fillDisk("2000-01-06")
	w.until("06 03:00")
	w.morning("2000-01-05", "Last published night · nightly A later run did not succeed Wednesday 5 January 2000 nightly of 2000-01-06 failed: ", why,
		"The last night that was published, 2000-01-05, ran in part.", "What changed in the last published night",
		"Missed or failed nightly Thu 6 Jan, 02:00 failed", "Last published night 65", "Today 0 of 3,000")
	w.makeRoom("2000-01-06")
	w.until("06 08:00")
	w.morning("2000-01-06", "Last night · nightly Ran, and is complete Thursday 6 January 2000", "03:01–03:01 UTC", "9 of 9 partitions, 5 not needed", why,
		"Made up for: the run of Thu 6 Jan, 03:01 was done.", "Tue 4 Jan, 02:00 missed")
}

// ownRun is that of a person, who presses the button after the seventh night.
func (w *week) ownRun() {
	w.until("07 01:00")
	w.sim.SetDay(6)
	w.until("07 08:00")
	w.morning("2000-01-07", "Ran, and is complete Friday 7 January 2000", "14 of 14 partitions")
	page, _ := w.look("/")
	_, rest, _ := strings.Cut(page, `name="form" value="`)
	token, _, _ := strings.Cut(rest, `"`)
	form := url.Values{"job": {"nightly"}, "form": {token}}
	if a := w.ask(http.MethodPost, "/run", form); a.Code != http.StatusOK || !strings.Contains(a.Body.String(), "The night of nightly for 2000-01-07 has ended. Running it again costs about") {
		w.t.Fatalf("run now, of a night that is done: %d %s", a.Code, a.Body)
	}
	form.Set("again", "yes")
	if a := w.ask(http.MethodPost, "/run", form); a.Code != http.StatusSeeOther {
		w.t.Fatalf("run now, confirmed: %d %s", a.Code, a.Body)
	}
	w.until("07 12:00")
	w.morning("2000-01-07", "Last night · nightly Ran, and is complete Friday 7 January 2000", "Ran? Yes 02:00–08:00 UTC, 3 hours ago, in 2 runs",
		"2000-01-01 done", "2000-01-02 done", "2000-01-03 partial", "2000-01-04 missed", "2000-01-05 partial", "2000-01-06 done", "2000-01-07 done",
		"Thu 6 Jan, 02:00 failed", "Made up for: the run of Thu 6 Jan, 03:01 was done.", "Tue 4 Jan, 02:00 missed", "Sat 8 Jan, 02:00 in 14 hours")
}
