package worker

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"

	"github.com/apache/arrow/go/v17/arrow/ipc"
)

// maxMetadata is how many bytes a message of Arrow may have beside its rows: the names and types of the columns, or where
// each column begins. A schema within maxSchema has fewer.
const maxMetadata = 2 * maxSchema

// continuation precedes the length of the metadata of a message.
const continuation = 0xffffffff

// messages reads the messages of an Arrow stream. Arrow's reader takes as much memory as a message says that its metadata
// has; here one that says more than maxMetadata is ErrBytes.
type messages struct {
	ipc.MessageReader
	from io.Reader
	head bytes.Reader // of the next message, which was looked at
}

// newStreamReader returns a reader of an Arrow stream.
func newStreamReader(from io.Reader, options ...ipc.Option) (*ipc.Reader, error) {
	m := &messages{from: from}
	m.MessageReader = ipc.NewMessageReader(m, options...)
	return ipc.NewReaderFromMessageReader(m, options...)
}

// Message is ipc.MessageReader's.
func (m *messages) Message() (*ipc.Message, error) {
	var head [8]byte
	if _, err := io.ReadFull(m.from, head[:]); err != nil {
		return nil, fmt.Errorf("read the length of a message: %w", err)
	}
	mark, length := binary.LittleEndian.Uint32(head[:]), binary.LittleEndian.Uint32(head[4:])
	if mark != continuation || length > maxMetadata {
		return nil, fmt.Errorf("%w: a message of Arrow says that it has %d bytes beside its rows, of at most %d",
			ErrBytes, length, maxMetadata)
	}
	m.head.Reset(head[:])
	return m.MessageReader.Message()
}

// Read gives Arrow's reader the head that was looked at, and then what follows.
func (m *messages) Read(b []byte) (int, error) {
	if m.head.Len() > 0 {
		return m.head.Read(b)
	}
	return m.from.Read(b)
}
