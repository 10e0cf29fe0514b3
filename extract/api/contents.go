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

// Contents is what an answer holds, as far as paging and billing need to know.
type Contents struct {
	Rows  int // vessels in the answer
	Total int // type/country search: vessels over all pages; -1 where the answer does not say, less where it says what cannot be
}

// page is what paging needs to know of a type/country answer.
type page struct {
	Total *number     `json:"total"`
	Items *[]struct{} `json:"items"`
}

// sighted is what billing needs to know of a navigational-status answer.
type sighted struct {
	Vessels *[]struct{} `json:"vessels"`
}

// number is an integer that may come as a string. One that is out of all proportion is cut off,
// so that nothing that is counted with it can overflow.
type number int

// mostNumber is more than any balance or total is.
const mostNumber = 1 << 40

func (n *number) UnmarshalJSON(b []byte) error {
	text := strings.Trim(string(b), `" `)
	i, err := strconv.ParseInt(text, 10, 64)
	if errors.Is(err, strconv.ErrRange) {
		err = nil // ParseInt returns the nearest that it has
	} else if f, inexact := strconv.ParseFloat(text, 64); err != nil && inexact == nil && !math.IsNaN(f) {
		i, err = int64(max(-mostNumber, min(f, mostNumber))), nil // 1e3, 12.0
	}
	*n = number(max(-mostNumber, min(i, mostNumber)))
	return err
}

// mostTotal is more vessels than the world has. A greater total is cut off there.
const mostTotal = 10_000_000

// impossibleTotal stands for a total below zero.
const impossibleTotal = -2

// ErrNoVessel says that a page holds no vessel, although there are some: a page of none has a total
// of 0 by the interface text.
var ErrNoVessel = errors.New("no vessel on the page")

// Read says what an answer with status 200 holds. An error describes what was promised
// and did not come.
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

// isNull reports whether an answer says of a list that there is none, as some services write an
// empty one.
func isNull(body []byte, list string) bool {
	var root map[string]json.RawMessage
	return json.Unmarshal(body, &root) == nil && string(root[list]) == "null"
}

// notJSON describes an answer of another kind: most often another server answers.
func notJSON(body []byte) error {
	return fmt.Errorf("not the JSON that is promised but %s; is the base URL right?", Brief(body))
}

// readVessel reads the answer of a lookup: the members of `detail` if that is an object,
// else of the root. A vessel without name and number is no vessel.
func readVessel(body []byte) (Contents, error) {
	var root map[string]json.RawMessage
	if err := json.Unmarshal(body, &root); err != nil {
		return Contents{}, notJSON(body)
	}
	if inner := (map[string]json.RawMessage)(nil); json.Unmarshal(root["detail"], &inner) == nil && inner != nil {
		root = inner
	}
	for _, key := range []string{"name", "imo", "mmsi"} {
		if _, ok := root[key]; ok {
			return Contents{Rows: 1, Total: -1}, nil
		}
	}
	if _, ok := root["detail"]; ok || len(root) == 0 {
		return Contents{Total: -1}, nil // an answer in words, or nothing: the vessel is not known
	}
	return Contents{}, fmt.Errorf("neither `detail` nor a vessel in %s", Brief(body))
}

// ParseBalance reads the answer of the credits call: {"detail": {"credits": 100}}, or
// {"detail": "99929 credits left."} as an older text of the service writes it.
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
