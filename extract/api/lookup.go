package api

import (
	"fmt"

	"github.com/fleetlake/fleetlake/extract/jsontext"
)

// Answered is the answer of a lookup: a vessel, whose members are those of `detail` if that is an object, and else
// those of the answer itself.
type Answered struct {
	Contents
	Root   jsontext.Value // the whole answer
	Vessel jsontext.Value // the object with the members of the vessel: `detail`, or Root
}

// InDetail reports whether the vessel is in `detail`, so that the answer may have members beside it.
func (a Answered) InDetail() bool { return len(a.Vessel.Raw) < len(a.Root.Raw) }

// ReadLookup reads the answer of a lookup with status 200, in well-formed text: the one reader for billing and for
// rows. An answer is about a vessel if a member says which, and about none if `detail` is a sentence, or if it is
// empty. Anything else is an error.
func ReadLookup(text string) (Answered, error) {
	root, detail, err := readRoot(text)
	a := Answered{Contents: Contents{Total: -1}, Root: root, Vessel: objectOf(root, detail)}
	if err != nil {
		return a, err
	}
	members, identified := 0, false
	a.Vessel.Members(func(key string, v jsontext.Value) {
		members++
		switch structural(key) {
		case "name", "imo", "mmsi", "latitude":
			identified = true
			if s, _ := v.Text(); !IsMissing(s) {
				a.Rows = 1
			}
		}
	})
	if !identified && members > 0 && detail.Kind == jsontext.Absent {
		return a, fmt.Errorf("neither `detail` nor a vessel in %s", brief(text))
	}
	return a, nil
}

// readRoot reads an answer that is an object, or null as an object without members, and the `detail` in it.
func readRoot(text string) (root, detail jsontext.Value, err error) {
	s := jsontext.NewScanner(text)
	var found member
	if s.Next() == '{' {
		start := s.Position()
		s.Object(func(key jsontext.Value) {
			k, _ := key.Text()
			if v := s.Value(); structural(k) == "detail" {
				found.set(v)
			}
		})
		root = jsontext.Value{Raw: s.From(start), Kind: jsontext.Object}
	} else {
		root = s.Value()
	}
	switch {
	case !s.End():
		return jsontext.Value{}, detail, notJSON(text)
	case root.Kind != jsontext.Object && root.Kind != jsontext.Null:
		return root, detail, fmt.Errorf("no object in %s", brief(text))
	case found.twice:
		return root, detail, errTwice("detail", text)
	}
	return root, found.Value, nil
}

// objectOf returns the `detail` of an answer if it is an object, and else the answer.
func objectOf(root, detail jsontext.Value) jsontext.Value {
	if detail.Kind == jsontext.Object {
		return detail
	}
	return root
}
