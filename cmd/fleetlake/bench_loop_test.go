package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/klauspost/compress/zstd"
)

// bareLoop is the least that a harvest has to do: the requests of a journal, each on a connection of its
// own, and for each an intent and the whole answer, as a line of JSON in a zstd frame, appended to a file
// that is synced as often as the journal was. Nothing is parsed, limited, counted or resumed.
// Arguments: the directory that unpackJournal wrote, and the base URL.
func bareLoop(_ context.Context, dir string) error {
	base := os.Args[2]
	requests, err := os.Open(filepath.Join(dir, "requests.txt"))
	if err != nil {
		return err
	}
	defer requests.Close()
	lines := bufio.NewScanner(requests)
	w, err := newLoopWriter(dir, lines)
	if err != nil {
		return err
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true, DisableCompression: true}}
	queue := make(chan string, 8)
	var wait sync.WaitGroup
	failures := make(chan error, 8)
	for range 8 {
		wait.Go(func() {
			var err error
			for path := range queue {
				if err == nil {
					err = w.exchange(client, base, path)
				}
			}
			failures <- err
		})
	}
	for lines.Scan() {
		queue <- lines.Text()
	}
	close(queue)
	wait.Wait()
	err = lines.Err()
	for range 8 {
		err = errors.Join(err, <-failures)
	}
	return errors.Join(err, w.close())
}

// loopWriter appends frames to a file.
type loopWriter struct {
	mu             sync.Mutex
	f              *os.File
	enc            *zstd.Encoder
	written, syncs int
	frames, most   int // of the journal: how many frames it has, and how often it was synced
	bytes          int64
}

func newLoopWriter(dir string, lines *bufio.Scanner) (*loopWriter, error) {
	w := &loopWriter{}
	if lines.Scan(); lines.Err() != nil {
		return nil, lines.Err()
	}
	if _, err := fmt.Sscan(lines.Text(), &w.frames, &w.most); err != nil {
		return nil, err
	}
	var err error
	if w.f, err = os.Create(filepath.Join(dir, "loop.ndjson.zst")); err != nil {
		return nil, err
	}
	w.enc, err = zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderCRC(true), zstd.WithEncoderLevel(zstd.SpeedFastest),
		zstd.WithWindowSize(128<<10), zstd.WithLowerEncoderMem(true)) // as the journal's
	return w, err
}

// exchange sends one request and appends its intent and its answer.
func (w *loopWriter) exchange(client *http.Client, base, path string) error {
	intent := append([]byte(`{"kind":"intent","at":"`), time.Now().UTC().Format(time.RFC3339Nano)...)
	intent = append(append(append(intent, `","request":"`...), path...), "\",\"credits\":10}\n"...)
	if err := w.append(intent); err != nil {
		return err
	}
	sent := time.Now().UTC()
	request, err := http.NewRequest(http.MethodGet, base+path, nil)
	if err != nil {
		return err
	}
	response, err := client.Do(request)
	if err != nil {
		return err
	}
	body, err := io.ReadAll(response.Body)
	if err = errors.Join(err, response.Body.Close()); err != nil || response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s %w", path, response.Status, err)
	}
	answer := make([]byte, 0, len(body)+len(body)/4+512)
	answer = append(append(append(answer, `{"kind":"answer","request":"`...), path...), `","sent":"`...)
	answer = append(sent.AppendFormat(answer, time.RFC3339Nano), `","received":"`...)
	answer = append(time.Now().UTC().AppendFormat(answer, time.RFC3339Nano), `","status":200,"body":"`...)
	for _, c := range body {
		if c == '"' || c == '\\' {
			answer = append(answer, '\\')
		}
		answer = append(answer, c)
	}
	return w.append(append(answer, "\"}\n"...))
}

// append writes a frame, and syncs the file if it is its turn.
func (w *loopWriter) append(line []byte) error {
	w.mu.Lock()
	frame := w.enc.EncodeAll(line, nil)
	_, err := w.f.Write(frame)
	w.written++
	w.bytes += int64(len(frame))
	due := w.syncs < w.written*w.most/w.frames
	if due {
		w.syncs++
	}
	w.mu.Unlock()
	if err == nil && due {
		err = w.f.Sync()
	}
	return err
}

// close returns an error if the loop wrote another number of frames than it should have. The plan, the
// balances and the end of a journal are not in the loop.
func (w *loopWriter) close() error {
	var err error
	if w.written > w.frames || w.written < w.frames-16 {
		err = fmt.Errorf("the loop wrote %d frames, and the journal has %d", w.written, w.frames)
	}
	fmt.Printf("%d frames, %d syncs, %.1f MB\n", w.written, w.syncs, float64(w.bytes)/1e6)
	return errors.Join(err, w.f.Close(), w.enc.Close(), os.Remove(w.f.Name()))
}
