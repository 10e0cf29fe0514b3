package transform

import (
	"strings"
	"time"

	"github.com/fleetlake/fleetlake/extract/api"
	"github.com/fleetlake/fleetlake/extract/jsontext"
)

// record is an object of an answer. Each member knows whether a column or an issue used it.
type record struct{ members []member }

// membersOf reads an object key by key. Of equal keys the first is used; the others go to the
// extra keys.
func membersOf(object jsontext.Value) record {
	var r record
	object.Members(func(key string, v jsontext.Value) {
		r.members = append(r.members, member{key: key, folded: jsontext.Fold(key), value: v})
	})
	return r
}

// find returns the member under one of the keys, the first key with a value; nil if there is
// no such member. Known keys without a value count as used.
func (r *record) find(keys ...string) *member {
	var first *member
	for _, key := range keys {
		for i := range r.members {
			m := &r.members[i]
			if m.folded != key {
				continue
			}
			if s, ok := m.value.Text(); !ok || !api.IsMissing(s) {
				return m
			}
			m.used = true // a known key without a value
			if first == nil {
				first = m
			}
		}
	}
	return first
}

// take returns the value under one of the keys and marks the member as used.
func (r *record) take(keys ...string) jsontext.Value {
	m := r.find(keys...)
	if m == nil {
		return jsontext.Value{}
	}
	m.used = true
	return m.value
}

// rest returns the members that are not used yet and that want accepts, and marks them as
// used.
func (r *record) rest(want func(m *member) bool) []member {
	var left []member
	for i := range r.members {
		if m := &r.members[i]; !m.used && want(m) {
			m.used = true
			left = append(left, *m)
		}
	}
	return left
}

// identification returns the values of the fields that identify a ship, by field.
func (r *record) identification(fields ...int) (got [fieldCount]jsontext.Value) {
	for _, f := range fields {
		got[f] = r.take(jsontext.Fold(identification[f].key))
	}
	return got
}

// fill reads the columns of a dataset that have a rule, and returns the members whose raw text
// must be kept. A value that is refused is nil and, unless it is a Filler, reported as an issue.
func (b *Batch) fill(r *record, t *Table, id vesselID, at *answer, dataset string) (filled valueRow, raw []member) {
	from := source{entry: at.entry, dataset: dataset}
	filled = newRow(t)
	for i, c := range t.own {
		if c.rule == nil {
			continue
		}
		m := r.find(c.rule.keys...)
		if m == nil {
			continue
		}
		m.used = true
		s, ok := m.value.Text()
		if !ok {
			b.report(from, id, c.name, s, NotText)
			raw = append(raw, *m)
			continue
		}
		v, err := c.rule.read(s, at)
		if err == nil {
			filled.values[i] = v
			if t, isText := v.(string); isText && t != s {
				raw = append(raw, *m)
			}
			continue
		}
		reason := err.(Reason)
		if reason == absent {
			continue
		}
		raw = append(raw, *m)
		if reason != Filler {
			b.report(from, id, c.name, s, reason)
		}
	}
	return filled, raw
}

// asText accepts a company, a place, an address or a description: what differs in case, blanks, underscores
// or padding is the same, and is written in the upper case that lists mostly have.
func asText(s string, _ *answer) (any, error) {
	if missingText(s) {
		return nil, absent
	}
	return cleanName(s), nil
}

// asLower accepts a text that is the same in any case and may have underscores: a word, or an address of the
// internet.
func asLower(s string, _ *answer) (any, error) {
	if missingText(s) {
		return nil, absent
	}
	return strings.ToLower(cleanText(strings.Trim(s, "@ "))), nil
}

// asPast accepts the time of something that has happened. It allows a day for clocks that
// differ.
func asPast(s string, at *answer) (any, error) { return asTimeUntil(s, at, 24*time.Hour) }

// asFuture accepts the time of something that may still happen, up to two years ahead.
func asFuture(s string, at *answer) (any, error) { return asTimeUntil(s, at, 2*365*24*time.Hour) }

// asTimeUntil accepts a time up to a duration after the answer, in microseconds since 1970.
func asTimeUntil(s string, at *answer, ahead time.Duration) (any, error) {
	t, err := parseTime(s)
	if err != nil {
		return nil, err
	}
	if t.UnixMicro() > at.seen+ahead.Microseconds() {
		return nil, OutOfBounds
	}
	return t.UnixMicro(), nil
}

// as returns a reader that accepts a number of one kind.
func as(q quantity) func(string, *answer) (any, error) {
	return func(s string, _ *answer) (any, error) {
		n, err := q.parse(s)
		if err != nil {
			return nil, err
		}
		return n, nil
	}
}

// asWhole returns a reader that accepts a number of one kind without a fraction.
func asWhole(q quantity) func(string, *answer) (any, error) {
	return func(s string, _ *answer) (any, error) {
		n, err := q.parseWhole(s)
		if err != nil {
			return nil, err
		}
		return n, nil
	}
}
