package store

import (
	"bytes"
	"context"
	"crypto/md5" // Content-MD5 and the tags of parts are MD5
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
)

// sums hashes what is written to it.
type sums struct{ sha, md hash.Hash }

func newSums() sums { return sums{sha256.New(), md5.New()} }

func (s sums) Write(p []byte) (int, error) {
	_, _ = s.md.Write(p) // hashes never fail
	return s.sha.Write(p)
}

func (s sums) sha256() string    { return hexSum(s.sha) }
func (s sums) md5() string       { return hexSum(s.md) }
func (s sums) md5Base64() string { return base64.StdEncoding.EncodeToString(s.md.Sum(nil)) }

func hexSum(h hash.Hash) string { return hex.EncodeToString(h.Sum(nil)) }

// feed writes a section of a file to hashes. It fails if the file ends before the section does.
func feed(ctx context.Context, to io.Writer, file io.ReaderAt, offset, size int64) error {
	section := io.NewSectionReader(file, offset, size)
	buffer := make([]byte, 256<<10)
	for done := int64(0); done < size; {
		if err := ctx.Err(); err != nil {
			return err
		}
		n, err := section.Read(buffer)
		_, _ = to.Write(buffer[:n]) // hashes never fail
		done += int64(n)
		if done < size && err == io.EOF {
			err = fmt.Errorf("it ends at %d bytes, and should have %d", offset+done, offset+size)
		}
		if err != nil && err != io.EOF {
			return &sourceError{err}
		}
	}
	return nil
}

// bytesSource is a source in memory.
func bytesSource(b []byte) Source {
	sum := sha256.Sum256(b)
	return Source{bytes.NewReader(b), int64(len(b)), hex.EncodeToString(sum[:])}
}

// contentError says that a file is not what its source says.
type contentError struct {
	src   Source
	bytes int64
	sum   string
}

func (e *contentError) Error() string {
	return fmt.Sprintf("the source has %d bytes with sha256 %s, and should have %d with %s: it was changed or damaged",
		e.bytes, e.sum, e.src.Bytes, e.src.SHA256)
}
