package api

import (
	"fmt"

	"github.com/fleetlake/fleetlake/extract/jsontext"
)

// ReadSearch reads the answer of a search with status 200, in well-formed text: the one reader for paging, for
// billing and for rows. It calls vessel at every element of the list, in its order; vessel must read one value, and may
// be nil. An error means that the answer cannot be used: what vessel has read then counts for nothing.
//
// The members may be those of the answer, or of a `detail` in it. Their keys may have any case. A list is an array,
// or null if it is empty. An element that is no object counts as a vessel that cannot be read, but a list of nothing
// else is none.
func ReadSearch(o Operation, text string, vessel func(*jsontext.Scanner)) (Contents, error) {
	r := searchReader{operation: o, scanner: jsontext.NewScanner(text), vessel: vessel}
	if r.scanner.Next() == '{' {
		r.members(true)
	} else {
		r.scanner.Value()
	}
	if !r.scanner.End() {
		return Contents{Total: -1}, notJSON(text)
	}
	return r.contents(text)
}

// searchReader has what was read of the answer of a search.
type searchReader struct {
	operation   Operation
	scanner     *jsontext.Scanner
	vessel      func(*jsontext.Scanner)
	list, total member
	rows        int // elements of the list
	objects     int // those that are objects
}

// members reads the object around the vessels. Its other members are about the answer.
func (r *searchReader) members(outermost bool) {
	s := r.scanner
	s.Object(func(key jsontext.Value) {
		k, _ := key.Text()
		switch k = structural(k); {
		case k == "detail" && outermost && s.Next() == '{':
			r.members(false)
		case k == r.operation.List && s.Next() == '[' && r.list.Kind == jsontext.Absent:
			r.elements()
		case k == r.operation.List:
			r.list.set(s.Value())
		case k == "total" && r.operation.Paged:
			r.total.set(s.Value())
		default:
			s.Value()
		}
	})
}

// elements reads the list.
func (r *searchReader) elements() {
	s := r.scanner
	start := s.Position()
	s.Array(func() {
		r.rows++
		if s.Next() == '{' {
			r.objects++
		}
		if r.vessel != nil {
			r.vessel(s)
		} else {
			s.Value()
		}
	})
	r.list.set(jsontext.Value{Raw: s.From(start), Kind: jsontext.Array})
}

// contents judges what was read.
func (r *searchReader) contents(text string) (Contents, error) {
	c, list := Contents{Total: -1}, r.operation.List
	c.TotalText, _ = r.total.Text()
	if c.TotalText != "" || r.total.Kind == jsontext.Text {
		n, ok := numberOf(r.total.Value)
		if !ok {
			return c, fmt.Errorf("a `total` that is no number in %s", brief(text))
		}
		if c.Total = min(n, mostTotal); n < 0 {
			c.Total = impossibleTotal
		}
	}
	switch {
	case r.total.twice:
		return c, errTwice("total", text)
	case r.list.twice:
		return c, errTwice(list, text)
	case r.list.Kind == jsontext.Array:
	case r.list.Kind == jsontext.Null && (c.Total == 0 || !r.operation.Paged):
	default:
		return c, fmt.Errorf("no `%s` in %s", list, brief(text))
	}
	if r.rows > 0 && r.objects == 0 {
		return c, fmt.Errorf("no vessel in the `%s` of %s", list, brief(text))
	}
	if c.Rows = r.rows; c.Rows == 0 && c.Total > 0 {
		return c, fmt.Errorf("%w: a total of %d in %s", ErrNoVessel, c.Total, brief(text))
	}
	return c, nil
}
