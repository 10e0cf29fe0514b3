package simulator

import "strconv"

// object is a JSON object under construction, its members in the order in which they were
// added. It writes what is missing in the ways of the service.
type object struct {
	b      []byte
	f      *census
	h      *hull
	nulled int // members written so far: each has its own way to be missing
}

func (f *census) object(h *hull) *object { return &object{f: f, h: h} }

// key begins a member.
func (o *object) key(key string) {
	before := byte(',')
	if len(o.b) == 0 {
		before = '{'
	}
	o.b = append(o.b, before)
	o.b = append(appendString(o.b, key), ':')
	o.nulled++
}

func (o *object) set(key string, value *string) {
	o.key(key)
	if value == nil {
		o.b = append(o.b, "null"...)
		return
	}
	o.b = appendString(o.b, *value)
}

// text adds a string; where it is empty, one of the ways to say so.
func (o *object) text(key, value string) {
	if value == "" {
		o.set(key, o.missing())
		return
	}
	o.set(key, &value)
}

// number adds a count with its unit; 0 is unknown.
func (o *object) number(key string, value int, unit string) {
	if value == 0 {
		o.text(key, "")
		return
	}
	text := strconv.Itoa(value)
	if value >= 1000 && o.f.dirty(draw(o.h.seed, forMarker, 100+o.nulled), .01) {
		text = strconv.Itoa(value/1000) + "," + strconv.Itoa(1000 + value%1000)[1:]
	}
	o.text(key, text+unit)
}

// capacity adds a number whose absence is often written as 0.
func (o *object) capacity(key string, value int, unit string) {
	if value == 0 && draw(o.h.seed, forMarker, 200+o.nulled)%3 > 0 {
		o.text(key, "0"+unit)
		return
	}
	o.number(key, value, unit)
}

// missing chooses how a missing value is written.
func (o *object) missing() *string {
	markers := [4]string{"-", "None", "", ""}
	way := draw(o.h.seed, forMarker, o.nulled) % 4
	if way == 3 {
		return nil
	}
	return &markers[way]
}

// raw adds a member that is JSON already.
func (o *object) raw(key string, value []byte) {
	o.key(key)
	o.b = append(o.b, value...)
}

// done is the object as JSON.
func (o *object) done() []byte {
	if len(o.b) == 0 {
		return []byte("{}")
	}
	return append(o.b, '}')
}
