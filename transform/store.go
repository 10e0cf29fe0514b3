package transform

import "strings"

// rows is a list that grows without moving, so that it never needs twice its size.
type rows struct {
	chunks []*[chunkRows]row
	n      int
}

const chunkRows = 1 << 13

func (r *rows) at(i int) *row { return &r.chunks[i/chunkRows][i%chunkRows] }

func (r *rows) push(x row) {
	if r.n == len(r.chunks)*chunkRows {
		r.chunks = append(r.chunks, new([chunkRows]row))
	}
	*r.at(r.n) = x
	r.n++
}

// arena keeps texts one after the other, each behind its length.
type arena struct{ chunks []*strings.Builder }

const chunkBytes = 1 << 18

// put copies the texts of a row and returns where they are.
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

// reader reads the texts at a place, in the order in which they were put.
func (a *arena) reader(where uint64) reader {
	return reader{a.chunks[where>>32].String()[uint32(where):]}
}

type reader struct{ rest string }

func (r *reader) text() string {
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
