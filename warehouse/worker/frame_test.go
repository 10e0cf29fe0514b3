package worker

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
)

// TestFramesThatAreCutOff end with an error, and never with an answer that looks whole.
func TestFramesThatAreCutOff(t *testing.T) {
	var whole bytes.Buffer
	if _, err := (dataWriter{&whole}).Write(bytes.Repeat([]byte("x"), maxData+1)); err != nil {
		t.Fatal(err)
	}
	if err := writeMessage(&whole, frameEnd, end{}); err != nil {
		t.Fatal(err)
	}
	all, err := io.ReadAll(&frames{from: bytes.NewReader(whole.Bytes())})
	if err != nil || len(all) != maxData+1 {
		t.Errorf("whole: %d bytes, %v", len(all), err)
	}
	for _, n := range []int{0, 1, 4, 5, 6, maxData, maxData + 5, maxData + 6, whole.Len() - 1} {
		if _, err := io.ReadAll(&frames{from: bytes.NewReader(whole.Bytes()[:n])}); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("the first %d bytes: %v", n, err)
		}
	}
	for name, text := range map[string]string{"too large": "\x05\xff\xff\xff\xff", "of another kind": "\x01\x00\x00\x00\x00", "an end that is none": "\x06\x00\x00\x00\x01x"} {
		if _, err := io.ReadAll(&frames{from: strings.NewReader(text)}); err == nil {
			t.Errorf("a frame %s: no error", name)
		}
	}
}

// TestServeIsForPools alone: on a terminal it says so.
func TestServeIsForPools(t *testing.T) {
	for _, in := range []string{"SELECT 1;\n", "\x02\x00\x00\x00\x00"} {
		if err := Serve(t.Context(), strings.NewReader(in), io.Discard); err == nil || !strings.Contains(err.Error(), "is for `fleetlake serve`") {
			t.Errorf("%q: %v", in, err)
		}
	}
	if err := Serve(t.Context(), strings.NewReader(""), io.Discard); err != nil {
		t.Errorf("a pool that has gone: %v", err)
	}
}

// FuzzFrames checks that what a process sends, however broken, is an error or the data of its frames.
func FuzzFrames(f *testing.F) {
	var data, last bytes.Buffer
	if err := errors.Join(writeFrame(&data, frameData, []byte("rows")), writeMessage(&last, frameEnd, end{})); err != nil {
		f.Fatal(err)
	}
	f.Add(slices.Concat(data.Bytes(), last.Bytes()), []byte("rows"))
	f.Add([]byte("\x05\xff\xff\xff\xff"), []byte(nil))
	f.Fuzz(func(t *testing.T, b, data []byte) {
		if all, err := io.ReadAll(&frames{from: bytes.NewReader(b)}); err == nil && len(all) > len(b) {
			t.Errorf("%x has %d bytes of data", b, len(all))
		}
		var sent bytes.Buffer
		if _, err := (dataWriter{&sent}).Write(data); err != nil {
			t.Fatal(err)
		}
		sent.Write(last.Bytes())
		if all, err := io.ReadAll(&frames{from: &sent}); err != nil || !bytes.Equal(all, data) {
			t.Errorf("%x came as %x, %v", data, all, err)
		}
		var e end
		if kind, content, err := readFrame(bytes.NewReader(b)); err == nil && kind == frameEnd {
			_ = decode(content, &e)
		}
	})
}
