package journal

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/klauspost/compress/zstd"
)

// magic starts every zstd frame.
var magic = []byte{0x28, 0xb5, 0x2f, 0xfd}

// maxEntry is the largest size of a decompressed frame: a body of 16 MiB with every byte escaped,
// and the rest of its entry.
const maxEntry = 100 << 20

var errTorn = errors.New("frame is cut short")

// frameSize returns the length of the zstd frame at the start of b. It reads the headers
// of frame and blocks (RFC 8878) and no content. It returns errTorn if b ends before the frame.
func frameSize(b []byte) (int, error) {
	var h zstd.Header
	if err := h.Decode(b[:min(len(b), zstd.HeaderMaxSize)]); err != nil {
		if len(b) < zstd.HeaderMaxSize && bytes.HasPrefix(b, magic[:min(len(b), 4)]) {
			return 0, errTorn
		}
		return 0, fmt.Errorf("not a zstd frame: %w", err)
	}
	if h.Skippable || !h.HasCheckSum {
		return 0, errors.New("not a frame of a journal: no checksum")
	}
	at := h.HeaderSize
	for {
		if len(b) < at+3 {
			return 0, errTorn
		}
		block := uint32(b[at]) | uint32(b[at+1])<<8 | uint32(b[at+2])<<16
		last, kind, size := block&1 == 1, block>>1&3, int(block>>3)
		if kind == 3 {
			return 0, errors.New("reserved block type")
		}
		if kind == 1 { // run of one byte
			size = 1
		}
		at += 3 + size
		if last {
			break
		}
	}
	if len(b) < at+4 {
		return 0, errTorn
	}
	return at + 4, nil
}

// whole is a readable entry among unreadable bytes.
type whole struct {
	at, size int
	entry    Entry
}

// outline returns the entry without its large fields.
func (e Entry) outline() Entry {
	return Entry{N: e.N, Safe: e.Safe, Kind: Kind(strings.Clone(string(e.Kind))), At: e.At, Plan: e.Plan, End: e.End,
		Lost: e.Lost, Credits: e.Credits, Intent: e.Intent}
}

// wholeIn finds the entries that start anywhere in b.
func wholeIn(b []byte, d *zstd.Decoder) (found []whole) {
	var buffers scratch
	for at := 0; ; {
		i := bytes.Index(b[at:], magic)
		if i < 0 {
			return found
		}
		at += i
		if n, err := frameSize(b[at:]); err == nil {
			if e, err := entryOf(d, b[at:at+n], &buffers); err == nil {
				found = append(found, whole{at, n, e.outline()})
				at += n
				continue
			}
		}
		at += len(magic)
	}
}

// newDecoder returns a decoder that works in the caller's goroutine.
func newDecoder() *zstd.Decoder {
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxEntry))
	if err != nil {
		panic(err) // the options are constants
	}
	return d
}

// newEncoder returns an encoder of one frame at a time. Level and window are chosen for a
// page of listings: a tenth of its size at several hundred megabytes a second.
func newEncoder() *zstd.Encoder {
	e, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderCRC(true),
		zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithWindowSize(128<<10), zstd.WithLowerEncoderMem(true))
	if err != nil {
		panic(err) // the options are constants
	}
	return e
}
