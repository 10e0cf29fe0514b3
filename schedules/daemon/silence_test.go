package daemon

import (
	"errors"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/fleetlake/fleetlake/pipeline/pipelinetest"
	"github.com/fleetlake/fleetlake/schedules/notify"
	"github.com/fleetlake/fleetlake/warehouse"
)

// TestSilenceIsReportedOnce goes through hours, each with the time of the newest run.
func TestSilenceIsReportedOnce(t *testing.T) {
	start := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		newest func(hour int) (hours int, err error) // of the newest run, by the same count; before 0 is none
		want   map[int]string
	}{
		"each night": {func(hour int) (int, error) { return max(1, hour/24*24), nil }, map[int]string{}},
		"one night and then none": {func(int) (int, error) { return 1, nil },
			map[int]string{28: "nothing was published for 27h0m0s"}},
		"never": {func(int) (int, error) { return -1, nil }, map[int]string{27: "nothing was ever published"}},
		"two silences": {func(hour int) (int, error) { return 1 + hour/40*40, nil },
			map[int]string{28: "nothing was published for 27h0m0s", 68: "nothing was published for 27h0m0s"}},
		"a warehouse that cannot be read": {func(int) (int, error) { return -1, errors.New("damaged") }, map[int]string{27: "nothing was ever published"}},
	} {
		t.Run(name, func(t *testing.T) {
			w := silence{most: 26 * time.Hour, heard: start}
			got := map[int]string{}
			for hour := range 80 {
				e, ok := w.look(start.Add(time.Duration(hour)*time.Hour), func() (time.Time, error) {
					h, err := c.newest(hour)
					if h < 0 || h > hour {
						return time.Time{}, err
					}
					return start.Add(time.Duration(h) * time.Hour), err
				})
				if ok {
					got[hour] = e.Title
					if e.Kinds[0] != notify.Stale {
						t.Errorf("kinds %v", e.Kinds)
					}
				}
			}
			if fmt.Sprint(got) != fmt.Sprint(c.want) {
				t.Errorf("events %v, want %v", got, c.want)
			}
		})
	}
}

// TestAPublishedFileIsOpenedOnceForItsNewestRun writes over the file as no publish does: only a version with
// another time is opened.
func TestAPublishedFileIsOpenedOnceForItsNewestRun(t *testing.T) {
	t.Parallel()
	dir, _ := pipelinetest.Night(t)
	path := warehouse.Path(dir)
	version, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	var last newestSeen
	first, err := last.in(t.Context(), path)
	if err != nil || first.IsZero() {
		t.Fatalf("%v, %v", first, err)
	}
	if err := errors.Join(os.WriteFile(path, make([]byte, version.Size()), 0o600), os.Chtimes(path, time.Time{}, version.ModTime())); err != nil {
		t.Fatal(err)
	}
	if again, err := last.in(t.Context(), path); err != nil || !again.Equal(first) {
		t.Errorf("the same version is opened again: %v, %v; want %v", again, err, first)
	}
	if err := os.Chtimes(path, time.Time{}, version.ModTime().Add(time.Second)); err != nil {
		t.Fatal(err)
	}
	if got, err := last.in(t.Context(), path); err == nil {
		t.Errorf("the next version is not opened: %v", got)
	}
}
