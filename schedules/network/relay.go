package network

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
)

// Limits of the log of a process.
const (
	maxLine        = 16 << 10
	linesPerSecond = 100
	maxLast        = 2 << 10
)

// processKey is the attribute that says whose line it is.
const processKey = "process"

// relay logs what a process logs.
type relay struct {
	log    *slog.Logger
	second time.Time
	lines  int // in this second

	mu   sync.Mutex
	text []byte // the beginning of what the process wrote besides its log: the message of a crash
}

func newRelay(log *slog.Logger) *relay { return &relay{log: log.With(processKey, "network")} }

// read logs all lines. It ends with the process, or when its file is closed.
func (r *relay) read(from io.Reader) {
	in := bufio.NewReaderSize(from, maxLine)
	for {
		line, err := in.ReadSlice('\n')
		line = bytes.Clone(line)
		for errors.Is(err, bufio.ErrBufferFull) { // the rest of a line that is too long is dropped
			_, err = in.ReadSlice('\n')
		}
		if len(line) > 0 {
			r.line(line)
		}
		if err != nil {
			return
		}
	}
}

// line logs a line, unless there are too many.
func (r *relay) line(line []byte) {
	if now := time.Now(); now.Sub(r.second) >= time.Second {
		if lost := r.lines - linesPerSecond; lost > 0 {
			r.log.Warn("lines of the log are dropped", "lines", lost)
		}
		r.second, r.lines = now, 0
	}
	level, message, attributes, ok := parse(line)
	if !ok {
		r.remember(line)
		return
	}
	if r.lines++; r.lines <= linesPerSecond {
		r.log.LogAttrs(context.Background(), level, message, attributes...)
	}
}

// parse reads a line of a log in JSON.
func parse(line []byte) (level slog.Level, message string, attributes []slog.Attr, ok bool) {
	var all map[string]any
	d := json.NewDecoder(bytes.NewReader(line))
	d.UseNumber()
	if d.Decode(&all) != nil {
		return 0, "", nil, false
	}
	word, _ := all[slog.LevelKey].(string)
	message, ok = all[slog.MessageKey].(string)
	if !ok || level.UnmarshalText([]byte(word)) != nil {
		return 0, "", nil, false
	}
	for _, ours := range []string{slog.LevelKey, slog.MessageKey, slog.TimeKey, processKey} {
		delete(all, ours)
	}
	for _, key := range slices.Sorted(maps.Keys(all)) {
		attributes = append(attributes, slog.Any(key, all[key]))
	}
	return level, message, attributes, true
}

func (r *relay) remember(line []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.text = append(r.text, line[:min(len(line), maxLast-len(r.text))]...)
}

// last is what the process wrote besides its log.
func (r *relay) last() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return strings.ToValidUTF8(strings.TrimSpace(string(r.text)), "\uFFFD")
}
