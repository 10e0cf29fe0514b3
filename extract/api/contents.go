package api

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/fleetlake/fleetlake/extract/jsontext"
)

// Contents summarises an answer, as paging, billing and the rows of the lake count it.
type Contents struct {
	// Rows is how many vessels an answer has: of a search all elements of its list, and of a lookup one if a
	// member says which vessel it is about.
	Rows int

	// Total is how many vessels all pages of a search have; -1 where the answer gives none, -2 where it is below zero.
	Total int

	TotalText string // the total as the answer writes it; empty where it gives none
}

// MostVessels is more vessels than the world has: a greater total of a search is impossible.
const MostVessels = 2_000_000

// mostTotal limits the total of a page. It is above MostVessels, so that a limited total is still
// recognised as impossible.
const mostTotal = 5 * MostVessels

// impossibleTotal stands for a total below zero.
const impossibleTotal = -2

// HasImpossibleTotal reports whether an answer gives a total that no search can have.
func (c Contents) HasImpossibleTotal() bool { return c.Total < -1 || c.Total > MostVessels }

// These are what Read wraps, so that a caller can tell some errors from others.
var (
	// ErrNotJSON reports an answer that is not JSON, most often that of another server.
	ErrNotJSON = errors.New("not the JSON that is promised")

	// ErrNoVessel reports a page without a vessel whose total says that there are some: by the interface text an
	// empty page has a total of 0.
	ErrNoVessel = errors.New("no vessel on the page")
)

// Read reads an answer with status 200. Its error names what the interface text promises and the
// answer lacks; it wraps ErrNotJSON or ErrNoVessel where that is what is wrong.
func Read(o Operation, body string) (Contents, error) {
	text, _ := jsontext.WellFormed(body)
	switch {
	case o.Raw:
		return ReadRaw(text)
	case o.IsSearch():
		return ReadSearch(o, text, nil)
	case o.IsLookup():
		a, err := ReadLookup(text)
		return a.Contents, err
	}
	_, err := ParseBalance(body)
	return Contents{Total: -1}, err
}

// notJSON describes an answer that is not JSON.
func notJSON(text string) error {
	return fmt.Errorf("%w but %s; is the base URL right?", ErrNotJSON, brief(text))
}

// brief quotes the start of an answer, on one line.
func brief(text string) string { return Brief([]byte(text[:min(len(text), briefly)])) }

// structural returns the key of a member that has a meaning for the shape of an answer, in the style of the
// interface text. Keys are the same in either style of the service, and in any case.
func structural(key string) string {
	switch key { // nearly all keys are written like this, and cost no second look
	case "name", "imo", "mmsi", "latitude", "detail", "total", "items", "vessels", "credits":
		return key
	}
	return jsontext.Fold(key)
}

// member is the value of a member that an answer may have once.
type member struct {
	jsontext.Value
	twice bool // the answer has the member again, with another value
}

// set keeps the first value of a member.
func (m *member) set(v jsontext.Value) {
	if m.Kind == jsontext.Absent {
		m.Value = v
	}
	m.twice = m.twice || m.Raw != v.Raw
}

// errTwice describes an answer with a member twice: whichever value counted, the other may be the right one.
func errTwice(key, text string) error {
	return fmt.Errorf("`%s` twice, with different values, in %s", key, brief(text))
}

// ParseBalance returns the credits in an answer of the credits call: {"detail": {"credits": 100}},
// or {"detail": "99929 credits left."} as an older document of the service has it. It returns an
// error for an answer of neither shape.
func ParseBalance(body string) (int, error) {
	text, _ := jsontext.WellFormed(body)
	root, detail, err := readRoot(text)
	if err != nil {
		return 0, err
	}
	if detail.Kind == jsontext.Text {
		words, _ := detail.Text()
		first, _, _ := strings.Cut(strings.TrimSpace(words), " ")
		if n, err := strconv.Atoi(strings.ReplaceAll(first, ",", "")); err == nil {
			return n, nil
		}
	}
	var credits member
	objectOf(root, detail).Members(func(key string, v jsontext.Value) {
		if structural(key) == "credits" {
			credits.set(v)
		}
	})
	if credits.twice {
		return 0, errTwice("credits", text)
	}
	if n, ok := numberOf(credits.Value); ok {
		return n, nil
	}
	return 0, fmt.Errorf("no balance in %s", brief(text))
}

// largestNumber is beyond every balance and total: no sum with such a number can overflow.
const largestNumber = 1 << 40

// numberOf returns an integer, which may come as a text: 100, "100", 1e2 and 100.0. One beyond largestNumber becomes
// largestNumber.
func numberOf(v jsontext.Value) (int, bool) {
	text, ok := v.Text()
	if text = strings.TrimSpace(text); !ok || text == "" {
		return 0, false
	}
	i, err := strconv.ParseInt(text, 10, 64)
	if err == nil || errors.Is(err, strconv.ErrRange) { // then ParseInt returns the nearest that it has
		return int(max(-largestNumber, min(i, largestNumber))), true
	}
	f, err := strconv.ParseFloat(text, 64) // 1e3, 12.0
	if err != nil || math.IsNaN(f) {
		return 0, false
	}
	return int(max(-largestNumber, min(f, largestNumber))), true
}
