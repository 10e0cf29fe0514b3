package worker

import (
	"bytes"
	"encoding/binary"
	"encoding/gob"
	"errors"
	"fmt"
	"io"

	"github.com/fleetlake/fleetlake/warehouse"
)

// frameKind is the kind of what a pipe transports.
type frameKind byte

// A pool sends a hello, one request, and maybe a cancel during it. A process sends ready, and taken when it has read the
// request, which it answers by answer, data and end, or by end alone.
const (
	frameHello frameKind = iota + 1
	frameRequest
	frameCancel
	frameReady
	frameTaken
	frameAnswer
	frameData
	frameEnd
)

// maxData is the greatest frame of data.
const maxData = 256 << 10

// maxFrame bounds the frames of each kind: a request has a statement with its arguments, an answer the columns of
// statements, an end the words of an error.
var maxFrame = map[frameKind]uint32{
	frameHello: 64 << 10, frameRequest: 32 << 20, frameCancel: 4 << 10,
	frameReady: 64 << 10, frameTaken: 4 << 10, frameAnswer: 16 << 20, frameData: maxData, frameEnd: 64 << 10,
}

// maxMessage is how many bytes of an error a process reports.
const maxMessage = 32 << 10

// headBytes are those before the content of a frame: the mark, the number of the frame, its kind and its length.
const headBytes = 8 + 4 + 1 + 4

// hello is what a process has to know.
type hello struct {
	Mark     uint64 // of every later frame: nobody else knows it
	Dir      string // the data directory
	Spill    string // a directory for temporary files
	SpillMiB int
	Memory   int // in MiB
	Threads  int
}

// request is what a process has to do.
type request struct {
	Describe    bool // only the columns and parameters of each statement, and no rows
	Statements  []string
	Arguments   []byte // of the only statement: an Arrow stream with one row; nil is none
	Texts       bool   // all values are texts in the answer
	Rows, Bytes int64  // that the answer may have; 0 is no limit
}

// cancel ends the request, unless it has ended.
type cancel struct{}

// ready says that a process can answer.
type ready struct {
	Unlimited string // the limits that it could not set; "" is none
}

// taken says that a process has read its request: until then, another one can have it.
type taken struct{}

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

// sender writes frames, each with the mark and its number.
type sender struct {
	to   io.Writer
	mark uint64
	next uint32
}

// frame writes a frame whole.
func (s *sender) frame(kind frameKind, content []byte) error {
	if len(content) > int(maxFrame[kind]) {
		return fmt.Errorf("a frame of %d bytes, expected %d at most", len(content), maxFrame[kind])
	}
	head := binary.BigEndian.AppendUint64(make([]byte, 0, headBytes+len(content)), s.mark)
	head = binary.BigEndian.AppendUint32(head, s.next)
	head = binary.BigEndian.AppendUint32(append(head, byte(kind)), uint32(len(content)))
	s.next++
	_, err := s.to.Write(append(head, content...))
	return err
}

// message writes a value as a frame.
func (s *sender) message(kind frameKind, value any) error {
	var b bytes.Buffer
	if err := gob.NewEncoder(&b).Encode(value); err != nil {
		return fmt.Errorf("encode: %w", err)
	}
	return s.frame(kind, b.Bytes())
}

// Write writes data in frames.
func (s *sender) Write(b []byte) (int, error) {
	written := 0
	for len(b) > 0 {
		n := min(len(b), maxData)
		if err := s.frame(frameData, b[:n]); err != nil {
			return written, err
		}
		written, b = written+n, b[n:]
	}
	return written, nil
}

// receiver reads frames. One without the mark, or that is not the next one, is not from our code.
type receiver struct {
	from io.Reader
	mark uint64
	next uint32
}

// errForged says that something else than our code wrote into a pipe.
var errForged = errors.New("a frame that is not of this process")

// frame reads a frame. It returns io.EOF between two frames only.
func (r *receiver) frame() (frameKind, []byte, error) {
	var head [headBytes]byte
	if _, err := io.ReadFull(r.from, head[:]); err != nil {
		return 0, nil, err
	}
	mark, number := binary.BigEndian.Uint64(head[:]), binary.BigEndian.Uint32(head[8:])
	kind, n := frameKind(head[12]), binary.BigEndian.Uint32(head[13:])
	if mark != r.mark || number != r.next {
		return 0, nil, errForged
	}
	if most, known := maxFrame[kind]; !known || n > most {
		return 0, nil, fmt.Errorf("%w: kind %d with %d bytes", errForged, kind, n)
	}
	r.next++
	var content bytes.Buffer
	content.Grow(int(min(n, maxData)) + bytes.MinRead) // a broken length takes no memory
	if _, err := io.CopyN(&content, r.from, int64(n)); err != nil {
		return 0, nil, fmt.Errorf("within a frame: %w", io.ErrUnexpectedEOF)
	}
	return kind, content.Bytes(), nil
}

// decode reads the value of a frame.
func decode(content []byte, value any) error {
	if err := gob.NewDecoder(bytes.NewReader(content)).Decode(value); err != nil {
		return fmt.Errorf("decode: %w", err)
	}
	return nil
}
