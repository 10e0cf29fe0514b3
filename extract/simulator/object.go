package simulator

import "strconv"

// object is a JSON object under construction. Its members keep the order in which they are
// added. It writes missing values in the ways of the service.
type object struct {
	buffer  []byte
	fleet   *fleetDay
	hull    *hull
	members int // members so far: each is missing in its own way
}

// newObject returns an empty object about a hull.
func (f *fleetDay) newObject(h *hull) *object { return &object{fleet: f, hull: h} }

// addKey begins a member.
func (o *object) addKey(key string) {
	before := byte(',')
	if len(o.buffer) == 0 {
		before = '{'
	}
	o.buffer = append(o.buffer, before)
	o.buffer = append(appendString(o.buffer, key), ':')
	o.members++
}

// addNullable adds a string, or null.
func (o *object) addNullable(key string, value *string) {
	o.addKey(key)
	if value == nil {
		o.buffer = append(o.buffer, "null"...)
		return
	}
	o.buffer = appendString(o.buffer, *value)
}

// addText adds a string; for an empty one, a way to say "missing".
func (o *object) addText(key, value string) {
	if value == "" {
		o.addNullable(key, o.missingMarker())
		return
	}
	o.addNullable(key, &value)
}

// addNumber adds a count with its unit; 0 is missing. One of a hundred large numbers has a
// comma between its thousands.
func (o *object) addNumber(key string, value int, unit string) {
	if value == 0 {
		o.addText(key, "")
		return
	}
	text := strconv.Itoa(value)
	if value >= 1000 && o.fleet.dirty(draw(o.hull.seed, forMarker, 100+o.members), .01) {
		text = strconv.Itoa(value/1000) + "," + strconv.Itoa(1000 + value%1000)[1:]
	}
	o.addText(key, text+unit)
}

// addCapacity adds a number for which the service often writes 0 when it is missing.
func (o *object) addCapacity(key string, value int, unit string) {
	if value == 0 && draw(o.hull.seed, forMarker, 200+o.members)%3 > 0 {
		o.addText(key, "0"+unit)
		return
	}
	o.addNumber(key, value, unit)
}

// missingMarker returns the way in which a missing value is written; nil is null.
func (o *object) missingMarker() *string {
	markers := [4]string{"-", "None", "", ""}
	way := draw(o.hull.seed, forMarker, o.members) % 4
	if way == 3 {
		return nil
	}
	return &markers[way]
}

// addJSON adds a value that is already JSON.
func (o *object) addJSON(key string, value []byte) {
	o.addKey(key)
	o.buffer = append(o.buffer, value...)
}

// json returns the object as JSON.
func (o *object) json() []byte {
	if len(o.buffer) == 0 {
		return []byte("{}")
	}
	return append(o.buffer, '}')
}
