package api

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	gojson "github.com/goccy/go-json"
)

// Contents summarises an answer, as far as paging and billing need it.
type Contents struct {
	Rows  int // vessels in the answer
	Total int // type/country search: vessels over all pages; -1 where the answer gives none, -2 where it is below zero
}

// page is the part of a type/country answer that paging needs.
type page struct {
	Total *number     `json:"total"`
	Items *[]struct{} `json:"items"`
}

// sighted is the part of a navigational-status answer that billing needs.
type sighted struct {
	Vessels *[]struct{} `json:"vessels"`
}

// number is an integer that may come as a string. It is limited to largestNumber, so that no sum
// with it can overflow.
type number int

// largestNumber is beyond every balance and total.
const largestNumber = 1 << 40

// UnmarshalJSON reads 100, "100", 1e2 and 100.0.
func (n *number) UnmarshalJSON(b []byte) error {
	text := strings.Trim(string(b), `" `)
	i, err := strconv.ParseInt(text, 10, 64)
	if errors.Is(err, strconv.ErrRange) {
		err = nil // ParseInt returns the nearest that it has
	} else if f, inexact := strconv.ParseFloat(text, 64); err != nil && inexact == nil && !math.IsNaN(f) {
		i, err = int64(max(-largestNumber, min(f, largestNumber))), nil // 1e3, 12.0
	}
	*n = number(max(-largestNumber, min(i, largestNumber)))
	return err
}

// MostVessels is more vessels than the world has: a greater total of a search is impossible.
const MostVessels = 2_000_000

// mostTotal limits the total of a page. It is above MostVessels, so that a limited total is still
// recognised as impossible.
const mostTotal = 5 * MostVessels

// impossibleTotal stands for a total below zero.
const impossibleTotal = -2

// ErrNoVessel reports a page without a vessel whose total says that there are some: by the
// interface text an empty page has a total of 0.
var ErrNoVessel = errors.New("no vessel on the page")

// Read reads an answer with status 200. Its error names what the interface text promises and the
// answer lacks; it wraps ErrNoVessel for an empty page with a total.
func Read(o Operation, body []byte) (Contents, error) {
	a := Contents{Total: -1}
	switch o.Name {
	case ByType.Name:
		var p page
		if err := gojson.Unmarshal(body, &p); err != nil {
			return a, notJSON(body)
		}
		switch {
		case p.Total != nil && *p.Total < 0:
			a.Total = impossibleTotal
		case p.Total != nil:
			a.Total = min(int(*p.Total), mostTotal)
		}
		switch {
		case p.Items != nil:
			a.Rows = len(*p.Items)
		case a.Total != 0 || !isNull(body, "items"):
			return a, fmt.Errorf("no `items` in %s", Brief(body))
		}
		if a.Rows == 0 && a.Total > 0 {
			return a, fmt.Errorf("%w: a total of %d in %s", ErrNoVessel, a.Total, Brief(body))
		}
	case ByStatus.Name:
		var s sighted
		if err := gojson.Unmarshal(body, &s); err != nil {
			return a, notJSON(body)
		}
		switch {
		case s.Vessels != nil:
			a.Rows = len(*s.Vessels)
		case !isNull(body, "vessels"):
			return a, fmt.Errorf("no `vessels` in %s", Brief(body))
		}
	case Credits.Name:
		_, err := ParseBalance(body)
		return a, err
	default:
		return readVessel(body)
	}
	return a, nil
}

// isNull reports whether a list of an answer is null, as some services write an empty list.
func isNull(body []byte, list string) bool {
	var root map[string]json.RawMessage
	return json.Unmarshal(body, &root) == nil && string(root[list]) == "null"
}

// notJSON describes an answer that is not JSON, most often that of another server.
func notJSON(body []byte) error {
	return fmt.Errorf("not the JSON that is promised but %s; is the base URL right?", Brief(body))
}

// readVessel reads the answer of a lookup: the members of `detail` if that is an object,
// else of the root. An object without name and number is not a vessel.
func readVessel(body []byte) (Contents, error) {
	first := firstByte(body)
	if !json.Valid(body) || first != '{' && first != 'n' { // null is an answer without members
		return Contents{}, notJSON(body)
	}
	root := membersOf(body)
	if firstByte(root.detail) == '{' { // else it is a sentence
		root = membersOf(root.detail)
	}
	switch {
	case root.identified:
		return Contents{Rows: 1, Total: -1}, nil
	case root.detail != nil, root.count == 0:
		return Contents{Total: -1}, nil // a sentence, or nothing: the vessel is unknown
	}
	return Contents{}, fmt.Errorf("neither `detail` nor a vessel in %s", Brief(body))
}

// ParseBalance returns the credits in an answer of the credits call: {"detail": {"credits": 100}},
// or {"detail": "99929 credits left."} as an older document of the service has it. It returns an
// error for an answer of neither shape.
func ParseBalance(body []byte) (int, error) {
	var object struct {
		Detail struct {
			Credits *number `json:"credits"`
		} `json:"detail"`
	}
	if err := json.Unmarshal(body, &object); err == nil && object.Detail.Credits != nil {
		return int(*object.Detail.Credits), nil
	}
	var words struct {
		Detail string `json:"detail"`
	}
	if err := json.Unmarshal(body, &words); err == nil {
		first, _, _ := strings.Cut(strings.TrimSpace(words.Detail), " ")
		if n, err := strconv.Atoi(strings.ReplaceAll(first, ",", "")); err == nil {
			return n, nil
		}
	}
	return 0, fmt.Errorf("no balance in %s", Brief(body))
}
