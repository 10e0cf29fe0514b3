package console

import (
	"strings"
	"testing"
	"time"

	"github.com/fleetlake/fleetlake/pipeline/wording"
	"github.com/google/go-cmp/cmp"
)

// TestTransfersInALog prints a line when a phase begins, one a minute and one at its end.
func TestTransfersInALog(t *testing.T) {
	start := time.Date(2026, 11, 20, 2, 0, 0, 0, time.UTC)
	at := func(seconds int, phase string, files, all int) Transfer {
		return Transfer{start.Add(time.Duration(seconds) * time.Second), phase, files, all, int64(files) * 1_500_000, int64(all) * 1_500_000}
	}
	var out strings.Builder
	report, stop := PrintTransfer(&out)
	for _, now := range []Transfer{at(0, "plan", 0, 0), at(1, "upload", 0, 4), at(2, "upload", 1, 4), at(60, "upload", 2, 4), at(61, "upload", 3, 4), at(62, "upload", 4, 4)} {
		report(now)
	}
	stop()
	want := "fleetlake: plan\nfleetlake: upload: 0 of 4 files, 0 bytes of 6.0 MB\nfleetlake: upload: 3 of 4 files, 4.5 MB of 6.0 MB\nfleetlake: upload: 4 of 4 files, 6.0 MB of 6.0 MB\n"
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestTransfersOnATerminal(t *testing.T) {
	var out strings.Builder
	p := &transferPrinter{w: &out, width: 60}
	start := time.Date(2026, 11, 20, 2, 0, 0, 0, time.UTC)
	p.report(Transfer{At: start, Phase: "upload", AllFiles: 2, AllBytes: 4_000_000})
	p.report(Transfer{At: start.Add(2 * time.Second), Phase: "upload", Files: 1, AllFiles: 2, Bytes: 1_000_000, AllBytes: 4_000_000})
	p.stop()
	want := "\rupload   ░░░░░░░░░░░░ 0 of 2 files, 0 bytes of 4.0 MB\x1b[K" +
		"\rupload   ███░░░░░░░░░ 1 of 2 files, 1.0 MB of 4.0 MB  500.0\x1b[K\r\x1b[K"
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestBytes(t *testing.T) {
	for n, want := range map[int64]string{0: "0 bytes", 999: "999 bytes", 1000: "1.0 kB", 1_500_000: "1.5 MB", 2_000_000_000: "2.0 GB"} {
		if got := wording.Bytes(n); got != want {
			t.Errorf("%d: got %s, want %s", n, got, want)
		}
	}
}
