package worker

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
)

// TestWhatAMessageSaysOfItsMetadataIsBounded before anything is kept for it.
func TestWhatAMessageSaysOfItsMetadataIsBounded(t *testing.T) {
	for name, c := range map[string]struct {
		mark, length uint32
		large        bool
	}{
		"as much as may be":          {continuation, maxMetadata, false},
		"a byte more":                {continuation, maxMetadata + 1, true},
		"2 GiB":                      {continuation, 1<<31 - 1, true},
		"below zero":                 {continuation, 1 << 31, true},
		"in the form before Arrow 1": {1 << 30, 0, true},
	} {
		stream := binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(nil, c.mark), c.length)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := newStreamReader(bytes.NewReader(stream))
		runtime.ReadMemStats(&after)
		if err == nil || errors.Is(err, ErrBytes) != c.large {
			t.Errorf("%s: %v", name, err)
		}
		if took := after.TotalAlloc - before.TotalAlloc; took > 2*maxMetadata {
			t.Errorf("%s: %d bytes were kept for it", name, took)
		}
	}
}

// TestASchemaOfTheLargestSizeIsRead, and one that is larger is not written.
func TestASchemaOfTheLargestSizeIsRead(t *testing.T) {
	for bytes, fits := range map[int]bool{maxSchema - 4096: true, maxSchema: false} {
		var fields []arrow.Field
		for i := range 16 {
			fields = append(fields, arrow.Field{Name: fmt.Sprint(i) + strings.Repeat("x", bytes/16-len(fmt.Sprint(i))), Type: arrow.PrimitiveTypes.Int64})
		}
		b, err := schemaBytes(arrow.NewSchema(fields, nil))
		if (err == nil) != fits {
			t.Fatalf("names of %d bytes: %v", bytes, err)
		}
		if !fits {
			continue
		}
		if s, err := schemaOf(b); err != nil || s.NumFields() != 16 {
			t.Errorf("names of %d bytes are not read: %v", bytes, err)
		}
	}
}
