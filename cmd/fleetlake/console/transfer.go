package console

import (
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/fleetlake/fleetlake/pipeline/wording"
)

// Transfer is how far an operation on files is, such as an upload. Amounts that are not known yet are
// zero.
type Transfer struct {
	At              time.Time
	Phase           string
	Files, AllFiles int
	Bytes, AllBytes int64
}

// transferPrinter prints transfers: on a terminal as a bar that is redrawn in place, elsewhere as lines.
type transferPrinter struct {
	mu      sync.Mutex
	w       io.Writer
	width   int // of the terminal; 0 is none
	began   time.Time
	printed time.Time // the last line
	last    Transfer
	drawn   bool
}

// PrintTransfer returns a function that prints transfers, and one that ends the last line. On a
// terminal it redraws one line; elsewhere it prints a line when a phase begins, at most one a minute
// while it lasts, and one at its end. Errors of the writer are dropped.
func PrintTransfer(w io.Writer) (report func(Transfer), stop func()) {
	p := &transferPrinter{w: w, width: TerminalWidth(w)}
	return p.report, p.stop
}

func (p *transferPrinter) report(now Transfer) {
	p.mu.Lock()
	defer p.mu.Unlock()
	begins := now.Phase != p.last.Phase
	if begins {
		p.began = now.At
	}
	ends := now.AllFiles > 0 && now.Files == now.AllFiles && p.last.Files != now.Files
	p.last = now
	if p.width > 0 {
		fmt.Fprintf(p.w, "\r%s\x1b[K", truncate(transferLine(now, p.began), p.width-1))
		p.drawn = true
		return
	}
	if begins || ends || now.At.Sub(p.printed) >= logInterval {
		p.printed = now.At
		fmt.Fprintf(p.w, "fleetlake: %s\n", transferWords(now))
	}
}

func (p *transferPrinter) stop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.drawn {
		fmt.Fprint(p.w, "\r\x1b[K")
		p.drawn = false
	}
}

// transferLine is a drawing.
func transferLine(now Transfer, began time.Time) string {
	share, all := now.Bytes, now.AllBytes
	if all == 0 {
		share, all = int64(now.Files), int64(now.AllFiles)
	}
	line := fmt.Sprintf("%-8s %s %s", now.Phase, bar(int(share), int(all)), transferAmounts(now))
	if took := now.At.Sub(began); took > 0 && now.Bytes > 0 && now.Bytes < now.AllBytes {
		left := time.Duration(float64(took) * float64(now.AllBytes-now.Bytes) / float64(now.Bytes))
		line += fmt.Sprintf("  %s/s  %s left", wording.Bytes(int64(float64(now.Bytes)/took.Seconds())), wording.Brief(left))
	}
	return line
}

func transferWords(now Transfer) string {
	if now.AllFiles == 0 {
		return now.Phase
	}
	return now.Phase + ": " + transferAmounts(now)
}

func transferAmounts(now Transfer) string {
	switch {
	case now.AllFiles == 0:
		return ""
	case now.AllBytes == 0:
		return fmt.Sprintf("%s of %s files", wording.Count(now.Files), wording.Count(now.AllFiles))
	}
	return fmt.Sprintf("%s of %s files, %s of %s", wording.Count(now.Files), wording.Count(now.AllFiles), wording.Bytes(now.Bytes), wording.Bytes(now.AllBytes))
}
