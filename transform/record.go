package transform

import "time"

// rule reads one column of a small dataset: the keys that may carry it, folded, the best
// first, and what the text must be.
type rule struct {
	column string
	keys   []string
	read   func(s string, at *answer) (any, error)
}

// record is an object of an answer, with a note of what was used of it.
type record struct{ members []member }

// members reads an object, key by key. Of equal keys the first is used, and the others are
// extra.
func (s *scanner) members() record {
	var r record
	s.object(func(key value) {
		k, _ := key.text()
		r.members = append(r.members, member{key: k, value: s.value()})
	})
	for i := range r.members {
		r.members[i].folded = fold(r.members[i].key)
	}
	return r
}

// find returns the member that carries one of the keys. One with a value goes before one
// without.
func (r *record) find(keys ...string) *member {
	var first *member
	for _, key := range keys {
		for i := range r.members {
			m := &r.members[i]
			if m.folded != key {
				continue
			}
			if s, ok := m.value.text(); !ok || !missing(s) {
				return m
			}
			m.used = true // a known key with nothing
			if first == nil {
				first = m
			}
		}
	}
	return first
}

// take returns the value under a key and notes that it was used.
func (r *record) take(keys ...string) value {
	m := r.find(keys...)
	if m == nil {
		return value{}
	}
	m.used = true
	return m.value
}

// rest takes the members that nothing used and that want accepts.
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

// identification reads the fields that tell which ship it is.
func (r *record) identification(fields ...int) (got [fieldCount]value) {
	for _, f := range fields {
		got[f] = r.take(fold(identification[f].key))
	}
	return got
}

// fill reads the columns of a dataset. The raw values are members of a JSON object.
func (b *Batch) fill(r *record, rules []rule, id vesselID, at *answer, dataset string) (values []any, raw []member) {
	from := source{entry: at.entry, dataset: dataset}
	values = make([]any, len(rules))
	for i, c := range rules {
		m := r.find(c.keys...)
		if m == nil {
			continue
		}
		m.used = true
		s, ok := m.value.text()
		if !ok {
			b.report(from, id, c.column, s, NotText)
			raw = append(raw, *m)
			continue
		}
		v, err := c.read(s, at)
		if err == nil {
			values[i] = v
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
			b.report(from, id, c.column, s, reason)
		}
	}
	return values, raw
}

// asText accepts any text.
func asText(s string, _ *answer) (any, error) {
	if missing(s) {
		return nil, absent
	}
	return CleanText(s), nil
}

// asPast accepts the time of something that has happened. Clocks may be a day apart.
func asPast(s string, at *answer) (any, error) { return asTimeUntil(s, at, 24*time.Hour) }

// asFuture accepts the time of something that may be to come.
func asFuture(s string, at *answer) (any, error) { return asTimeUntil(s, at, 2*365*24*time.Hour) }

func asTimeUntil(s string, at *answer, ahead time.Duration) (any, error) {
	t, err := ParseTime(s)
	if err != nil {
		return nil, err
	}
	if t.UnixMicro() > at.seen+ahead.Microseconds() {
		return nil, OutOfBounds
	}
	return t.UnixMicro(), nil
}

// as accepts a number of one kind.
func as(q quantity) func(string, *answer) (any, error) {
	return func(s string, _ *answer) (any, error) {
		n, err := q.parse(s)
		if err != nil {
			return nil, err
		}
		return n, nil
	}
}

// asWhole accepts a number without a fraction.
func asWhole(q quantity) func(string, *answer) (any, error) {
	return func(s string, _ *answer) (any, error) {
		n, err := q.parseWhole(s)
		if err != nil {
			return nil, err
		}
		return n, nil
	}
}
