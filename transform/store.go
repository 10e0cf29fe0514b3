package transform

import "strings"

// rows is a list that grows by chunks and never moves. A slice would need twice its size for
// a moment whenever it grows.
type rows struct {
	chunks []*[chunkRows]row
	n      int
}

// chunkRows is the number of rows of a chunk.
const chunkRows = 1 << 13

// at returns the ith row.
func (r *rows) at(i int) *row { return &r.chunks[i/chunkRows][i%chunkRows] }

// push appends a row.
func (r *rows) push(x row) {
	if r.n == len(r.chunks)*chunkRows {
		r.chunks = append(r.chunks, new([chunkRows]row))
	}
	*r.at(r.n) = x
	r.n++
}

// arena stores texts one after the other in large chunks, each text after its length. Separate
// strings would cost 16 bytes and an allocation each.
type arena struct{ chunks []*strings.Builder }

// chunkBytes is the usual size of a chunk.
const chunkBytes = 1 << 18

// put copies the texts of a row and returns their position: the chunk in the upper 32 bits,
// the offset in the lower.
func (a *arena) put(texts ...string) uint64 {
	size := 0
	for _, s := range texts {
		size += len(s) + 5
	}
	last := len(a.chunks) - 1
	if last < 0 || a.chunks[last].Cap()-a.chunks[last].Len() < size {
		a.chunks = append(a.chunks, new(strings.Builder))
		last++
		a.chunks[last].Grow(max(chunkBytes, size))
	}
	c := a.chunks[last]
	where := uint64(last)<<32 | uint64(c.Len())
	for _, s := range texts {
		n := len(s)
		for ; n >= 0x80; n >>= 7 {
			c.WriteByte(byte(n) | 0x80)
		}
		c.WriteByte(byte(n))
		c.WriteString(s)
	}
	return where
}

// reader returns a reader of the texts at a position, in the order in which they were put.
func (a *arena) reader(where uint64) textReader {
	return textReader{a.chunks[where>>32].String()[uint32(where):]}
}

// textReader reads the texts of one row.
type textReader struct{ rest string }

// text returns the next text.
func (r *textReader) text() string {
	n, i := 0, 0
	for shift := 0; ; shift += 7 {
		c := r.rest[i]
		i++
		n |= int(c&0x7f) << shift
		if c < 0x80 {
			break
		}
	}
	s := r.rest[i : i+n]
	r.rest = r.rest[i+n:]
	return s
}
