package worker

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
)

// testMark is the mark of frames in tests.
const testMark = 0x0102030405060708

// sent are the bytes of frames that write sends.
func sent(t testing.TB, write func(*sender) error) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := write(&sender{to: &b, mark: testMark}); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// received is the data of an answer.
func received(b []byte) ([]byte, error) {
	return io.ReadAll(&frames{from: &receiver{from: bytes.NewReader(b), mark: testMark}})
}

// TestFramesThatAreCutOff end with an error, and never with an answer that looks whole.
func TestFramesThatAreCutOff(t *testing.T) {
	whole := sent(t, func(s *sender) error {
		_, err := s.Write(bytes.Repeat([]byte("x"), maxData+1))
		return errors.Join(err, s.message(frameEnd, end{}))
	})
	all, err := received(whole)
	if err != nil || len(all) != maxData+1 {
		t.Errorf("whole: %d bytes, %v", len(all), err)
	}
	for _, n := range []int{0, 1, 4, headBytes, headBytes + 1, maxData, maxData + headBytes, maxData + headBytes + 1, len(whole) - 1} {
		if _, err := received(whole[:n]); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("the first %d bytes: %v", n, err)
		}
	}
}

// TestFramesOfOthersAreRefused: what is written into the pipe by anything but our code in the process.
func TestFramesOfOthersAreRefused(t *testing.T) {
	one := sent(t, func(s *sender) error { return s.message(frameEnd, end{}) })
	changed := func(at int, by byte) []byte {
		b := bytes.Clone(one)
		b[at] ^= by
		return b
	}
	for name, b := range map[string][]byte{
		"with another mark":            changed(0, 1),
		"with another number":          changed(11, 1),
		"of another kind":              changed(12, 6),
		"of no kind":                   changed(12, 64),
		"longer than its kind may be":  changed(13, 0x7f),
		"with an end that is none":     sent(t, func(s *sender) error { return s.frame(frameEnd, []byte("x")) }),
		"twice":                        slices.Concat(sent(t, func(s *sender) error { return s.frame(frameData, nil) }), sent(t, func(s *sender) error { return s.frame(frameData, nil) })),
		"as DuckDB writes its log":     []byte("{\"timestamp\":\"2026-11-20 02:00:00\",\"type\":\"QueryLog\"}\n"),
		"as it was before it had mark": []byte("\x05\x00\x00\x00\x04rows\x06\x00\x00\x00\x00"),
	} {
		if data, err := received(b); err == nil || len(data) > 0 {
			t.Errorf("a frame %s: %q, %v", name, data, err)
		}
	}
}

// discarded takes answers.
type discarded struct{ io.Writer }

func (discarded) Close() error { return nil }

// TestServeIsForPools alone: on a terminal it says so.
func TestServeIsForPools(t *testing.T) {
	for _, in := range []string{"SELECT 1; -- as a person may type it\n", string(make([]byte, headBytes))} {
		if err := Serve(t.Context(), strings.NewReader(in), discarded{io.Discard}); err == nil || !strings.Contains(err.Error(), "is for `fleetlake serve`") {
			t.Errorf("%q: %v", in, err)
		}
	}
	if err := Serve(t.Context(), strings.NewReader(""), discarded{io.Discard}); err != nil {
		t.Errorf("a pool that has gone: %v", err)
	}
}

// FuzzFrames checks that what a process sends, however broken, is an error or the data of its frames.
func FuzzFrames(f *testing.F) {
	whole := sent(f, func(s *sender) error {
		return errors.Join(s.frame(frameData, []byte("rows")), s.message(frameEnd, end{}))
	})
	f.Add(whole, []byte("rows"))
	f.Add(whole[:headBytes], []byte(nil))
	f.Fuzz(func(t *testing.T, b, data []byte) {
		if all, err := received(b); err == nil && len(all) > len(b) {
			t.Errorf("%x has %d bytes of data", b, len(all))
		}
		back, err := received(sent(t, func(s *sender) error {
			_, err := s.Write(data)
			return errors.Join(err, s.message(frameEnd, end{}))
		}))
		if err != nil || !bytes.Equal(back, data) {
			t.Errorf("%x came as %x, %v", data, back, err)
		}
		var e end
		r := &receiver{from: bytes.NewReader(b), mark: testMark}
		if kind, content, err := r.frame(); err == nil && kind == frameEnd {
			_ = decode(content, &e)
		}
	})
}
