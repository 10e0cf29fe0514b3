package console

import (
	"fmt"
	"io"
	"log/slog"
	"math"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/fleetlake/fleetlake/pipeline"
	"github.com/fleetlake/fleetlake/pipeline/wording"
)

// logInterval is the least time between two log lines of a lane.
const logInterval = time.Minute

// barWidth is the number of characters of a bar: with it a line fits a terminal of 80.
const barWidth = 12

// progressPrinter prints the progress of a run: on a terminal as bars that are redrawn in place,
// elsewhere as log lines.
type progressPrinter struct {
	mu      sync.Mutex
	w       io.Writer
	width   int // of the terminal; 0 is none
	log     *slog.Logger
	drawn   int // lines of the last drawing
	phase   string
	lanes   map[string]*loggedLane
	last    pipeline.Progress
	stopped bool
}

// loggedLane is what was last logged of a lane.
type loggedLane struct {
	at    time.Time
	last  pipeline.LaneProgress
	ended bool
}

// LoggedProgress returns a function that logs progress, at most a line per lane and minute, and one
// that stops it and logs the last state.
func LoggedProgress(log *slog.Logger) (report func(pipeline.Progress), stop func()) {
	p := &progressPrinter{log: log, lanes: map[string]*loggedLane{}}
	return p.report, p.stop
}

// DrawnProgress returns a function that draws progress on a terminal, and one that stops it. Errors of
// the writer are dropped.
func DrawnProgress(w io.Writer) (report func(pipeline.Progress), stop func()) {
	p := &progressPrinter{w: w, width: TerminalWidth(w)}
	if p.width == 0 {
		p.width = 80
	}
	return p.report, p.stop
}

func (p *progressPrinter) report(now pipeline.Progress) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stopped {
		return
	}
	p.last = now
	if p.width > 0 {
		p.draw(now)
		return
	}
	p.logProgress(now, false)
}

func (p *progressPrinter) stop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stopped {
		return
	}
	p.stopped = true
	if p.width == 0 {
		p.logProgress(p.last, true)
	}
}

// draw overwrites the lines of the last drawing.
func (p *progressPrinter) draw(now pipeline.Progress) {
	var b strings.Builder
	if p.drawn > 0 {
		fmt.Fprintf(&b, "\x1b[%dA", p.drawn)
	}
	lines := progressLines(now)
	for _, line := range lines {
		b.WriteString("\r" + truncate(line, p.width-1) + "\x1b[K\n") // a full line would wrap
	}
	b.WriteString("\x1b[J") // extra lines of the last drawing
	p.drawn = len(lines)
	io.WriteString(p.w, b.String())
}

// progressLines is a drawing: a line for each lane and one for the run.
func progressLines(now pipeline.Progress) []string {
	var lines []string
	for _, l := range now.Lanes {
		total := l.Done + l.Left
		share := wording.Count(l.Done) + " of " + wording.Count(total)
		line := fmt.Sprintf("%-11s %s %17s %5.1f/min %7s cr", l.Operation, bar(l.Done, total), share, l.PerMinute, wording.Count(l.Credits))
		if l.Left > 0 {
			line += "  " + wording.Brief(l.Remaining) + " left"
		}
		lines = append(lines, line)
	}
	return append(lines, phaseLine(now))
}

// phaseLine says what the run is doing, what it has spent, and when its last lane ends.
func phaseLine(now pipeline.Progress) string {
	if len(now.Lanes) == 0 && now.Credits == 0 { // it spends nothing
		return now.Phase
	}
	line := fmt.Sprintf("%s: %s credits spent", now.Phase, wording.Count(now.Credits))
	if now.Cap > 0 {
		line = fmt.Sprintf("%s: %s of at most %s credits spent", now.Phase, wording.Count(now.Credits), wording.Count(now.Cap))
	}
	var longest time.Duration
	for _, l := range now.Lanes {
		longest = max(longest, l.Remaining)
	}
	if longest > 0 {
		line += ", ends about " + now.At.Add(longest).Format("15:04")
	}
	return line
}

// bar draws a share. Work of unknown amount has an empty bar; a bar is full only when all is done.
func bar(done, total int) string {
	full := 0
	if total > 0 {
		full = min(max(done, 0)*barWidth/total, barWidth)
	}
	return strings.Repeat("█", full) + strings.Repeat("░", barWidth-full)
}

// logProgress logs a lane at most once per logInterval and once when it ends, and a phase when it
// begins. The last call logs every lane that changed.
func (p *progressPrinter) logProgress(now pipeline.Progress, last bool) {
	for _, l := range now.Lanes {
		q := p.lanes[l.Operation]
		if q == nil {
			q = &loggedLane{at: now.At} // its first line is due in a minute
			p.lanes[l.Operation] = q
		}
		ends := l.Left == 0 && l.Done > 0 && !q.ended
		same := l.Done == q.last.Done && l.Left == q.last.Left
		if same || l.Done == 0 || !last && !ends && now.At.Sub(q.at) < logInterval {
			continue
		}
		*q = loggedLane{at: now.At, last: l, ended: l.Left == 0}
		p.log.Info("progress", withRun(now, "endpoint", l.Operation, "done", l.Done, "left", l.Left,
			"per_minute", math.Round(10*l.PerMinute)/10, "credits", l.Credits, "remaining", l.Remaining.Round(time.Second))...)
	}
	if now.Phase != p.phase {
		p.phase = now.Phase
		p.log.Info("phase begins", withRun(now, "phase", now.Phase, "credits", now.Credits, "most_credits", now.Cap)...)
	}
}

// withRun puts the id of the run before the attributes of a log line.
func withRun(now pipeline.Progress, about ...any) []any {
	if now.Run == "" {
		return about
	}
	return append([]any{"run", now.Run}, about...)
}

// truncate cuts a line to a number of characters. All of ours have width one.
func truncate(s string, width int) string {
	if width < 0 || utf8.RuneCountInString(s) <= width {
		return s
	}
	return string([]rune(s)[:width])
}

// InSeconds replaces a duration by seconds, where slog would write nanoseconds. It fits
// slog.HandlerOptions.ReplaceAttr.
func InSeconds(_ []string, a slog.Attr) slog.Attr {
	if a.Value.Kind() == slog.KindDuration {
		a.Value = slog.Float64Value(a.Value.Duration().Round(time.Microsecond).Seconds())
	}
	return a
}
