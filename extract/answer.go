package extract

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"strconv"
	"strings"

	"github.com/fleetlake/fleetlake/extract/api"
	"github.com/fleetlake/fleetlake/extract/journal"
	gojson "github.com/goccy/go-json"
)

// Answer is what came of a request that was answered with data, even if the data are none.
type Answer struct {
	Entry journal.Entry // as it lies in the journal
	Rows  int           // vessels in the answer
	Total int           // type/country search: vessels over all pages; -1 where the answer does not say, less where it says what cannot be
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

// errNoVessel says that a page holds no vessel, although there are some: a page of none has a total
// of 0 by the interface text.
var errNoVessel = errors.New("no vessel on the page")

// read says what an answer with status 200 holds. An error describes what was promised
// and did not come.
func read(o api.Operation, body []byte) (Answer, error) {
	a := Answer{Total: -1}
	switch o.Name {
	case api.ByType.Name:
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
			return a, fmt.Errorf("no `items` in %s", brief(body))
		}
		if a.Rows == 0 && a.Total > 0 {
			return a, fmt.Errorf("%w: a total of %d in %s", errNoVessel, a.Total, brief(body))
		}
	case api.ByStatus.Name:
		var s sighted
		if err := gojson.Unmarshal(body, &s); err != nil {
			return a, notJSON(body)
		}
		switch {
		case s.Vessels != nil:
			a.Rows = len(*s.Vessels)
		case !isNull(body, "vessels"):
			return a, fmt.Errorf("no `vessels` in %s", brief(body))
		}
	case api.Credits.Name:
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
	return fmt.Errorf("not the JSON that is promised but %s; is the base URL right?", brief(body))
}

// readVessel reads the answer of a lookup: the members of `detail` if that is an object,
// else of the root. A vessel without name and number is no vessel.
func readVessel(body []byte) (Answer, error) {
	var root map[string]json.RawMessage
	if err := json.Unmarshal(body, &root); err != nil {
		return Answer{}, notJSON(body)
	}
	if inner := (map[string]json.RawMessage)(nil); json.Unmarshal(root["detail"], &inner) == nil && inner != nil {
		root = inner
	}
	for _, key := range []string{"name", "imo", "mmsi"} {
		if _, ok := root[key]; ok {
			return Answer{Rows: 1, Total: -1}, nil
		}
	}
	if _, ok := root["detail"]; ok || len(root) == 0 {
		return Answer{Total: -1}, nil // an answer in words, or nothing: the vessel is not known
	}
	return Answer{}, fmt.Errorf("neither `detail` nor a vessel in %s", brief(body))
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
	return 0, fmt.Errorf("no balance in %s", brief(body))
}

// outcome names what an answer with an error status means. The words decide where the
// interface text gives one status to several things; unsure reports that they do not.
func outcome(o api.Operation, status int, words string) (name string, unsure bool) {
	words = strings.ToLower(words)
	credits := containsAny(words, "credit", "insufficient", "balance")
	blocked := containsAny(words, "black", "block")
	switch {
	case status == http.StatusUnauthorized:
		return OutcomeUnauthorized, false
	case status == http.StatusPaymentRequired:
		return OutcomeNoCredits, false
	case status == http.StatusForbidden:
		return OutcomeBlocked, false
	case status == http.StatusTooManyRequests:
		return OutcomeLimited, false
	case status == http.StatusNotFound:
		return OutcomeNotFound, false
	case status == http.StatusBadRequest && credits && blocked:
		return OutcomeBlocked, true
	case status == http.StatusBadRequest && credits:
		return OutcomeNoCredits, false
	case status == http.StatusBadRequest && blocked:
		return OutcomeBlocked, false
	case status == http.StatusBadRequest && o.Name == api.ByType.Name:
		return OutcomeBlocked, true // a bad value would have been a 422
	case status == http.StatusBadRequest, status == http.StatusUnprocessableEntity:
		return OutcomeRejected, false
	case status == http.StatusRequestTimeout, status >= 500:
		return OutcomeUnavailable, false
	}
	return OutcomeUnreadable, false
}

func containsAny(s string, words ...string) bool {
	for _, w := range words {
		if strings.Contains(s, w) {
			return true
		}
	}
	return false
}

// Reread says what an answer in the journal holds.
func Reread(e journal.Entry) (Answer, error) {
	o, ok := api.OperationNamed(e.Operation)
	if !ok {
		return Answer{}, fmt.Errorf("entry %d: unknown operation %q", e.N, e.Operation)
	}
	body, err := e.RawBody()
	if err != nil {
		return Answer{}, fmt.Errorf("entry %d: %w", e.N, err)
	}
	a, err := read(o, body)
	a.Entry = e
	return a, err
}
