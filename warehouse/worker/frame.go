package worker

import (
	"bytes"
	"encoding/binary"
	"encoding/gob"
	"fmt"
	"io"

	"github.com/fleetlake/fleetlake/warehouse"
)

// frameKind is the kind of what a pipe transports.
type frameKind byte

// A pool sends hello once, then requests, and a cancel during one. A process answers a request by
// answer, data and end, or by end alone.
const (
	frameHello frameKind = iota + 1
	frameRequest
	frameCancel
	frameAnswer
	frameData
	frameEnd
)

// maxFrame bounds what a frame may have: a request has a statement with its arguments.
const maxFrame = 32 << 20

// maxData is the greatest frame of data.
const maxData = 256 << 10

// hello is what a process has to know.
type hello struct {
	Dir      string // the data directory
	Spill    string // a directory for temporary files
	SpillMiB int
	Memory   int // in MiB
	Threads  int
}

// request is what a process has to do.
type request struct {
	ID          uint64
	Describe    bool // only the columns and parameters of each statement, and no rows
	Statements  []string
	Arguments   []byte // of the only statement: an Arrow stream with one row; nil is none
	Rows, Bytes int64  // that the answer may have; 0 is no limit
}

// cancel ends a request, unless it has ended.
type cancel struct{ ID uint64 }

// answer precedes the rows.
type answer struct {
	Rows       int64
	Statements []description // of a request that describes
}

// description is a Description, with the columns as an Arrow stream without rows.
type description struct {
	Parameters []warehouse.BoundParameter
	Columns    []byte
}

// end is how a request ended.
type end struct {
	Fault   fault
	Message string
}

// writeFrame writes a frame whole.
func writeFrame(w io.Writer, kind frameKind, content []byte) error {
	if len(content) > maxFrame {
		return fmt.Errorf("a frame of %d bytes, expected %d at most", len(content), maxFrame)
	}
	head := binary.BigEndian.AppendUint32([]byte{byte(kind)}, uint32(len(content)))
	_, err := w.Write(append(head, content...))
	return err
}

// writeMessage writes a value as a frame.
func writeMessage(w io.Writer, kind frameKind, value any) error {
	var b bytes.Buffer
	if err := gob.NewEncoder(&b).Encode(value); err != nil {
		return fmt.Errorf("encode: %w", err)
	}
	return writeFrame(w, kind, b.Bytes())
}

// readFrame reads a frame. It returns io.EOF between two frames only.
func readFrame(r io.Reader) (frameKind, []byte, error) {
	var head [5]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return 0, nil, err
	}
	n := binary.BigEndian.Uint32(head[1:])
	if n > maxFrame {
		return 0, nil, fmt.Errorf("a frame of %d bytes, expected %d at most", n, maxFrame)
	}
	var content bytes.Buffer
	content.Grow(int(min(n, maxData)) + bytes.MinRead) // a broken length takes no memory
	if _, err := io.CopyN(&content, r, int64(n)); err != nil {
		return 0, nil, fmt.Errorf("within a frame: %w", io.ErrUnexpectedEOF)
	}
	return frameKind(head[0]), content.Bytes(), nil
}

// decode reads the value of a frame.
func decode(content []byte, value any) error {
	if err := gob.NewDecoder(bytes.NewReader(content)).Decode(value); err != nil {
		return fmt.Errorf("decode: %w", err)
	}
	return nil
}

// dataWriter writes frames of data.
type dataWriter struct{ to io.Writer }

func (w dataWriter) Write(b []byte) (int, error) {
	written := 0
	for len(b) > 0 {
		n := min(len(b), maxData)
		if err := writeFrame(w.to, frameData, b[:n]); err != nil {
			return written, err
		}
		written, b = written+n, b[n:]
	}
	return written, nil
}
