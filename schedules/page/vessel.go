package page

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/fleetlake/fleetlake/pipeline/wording"
	"github.com/fleetlake/fleetlake/warehouse"
	"github.com/fleetlake/fleetlake/warehouse/history"
)

// maxNumber is the length of the longest number that a vessel is asked by, blanks included.
const maxNumber = 40

// VesselView is what the page shows of one vessel.
type VesselView struct {
	wording.Explanation
	Now      map[string]any // the values that are known now, of all datasets
	Flag     string         // the country in words
	Listed   string         // whether it is listed, in words
	Timeline *Timeline      // nil if nothing has a time
	Track    *Track         // nil without a position
	Datasets []DatasetView
	Groups   []Group
	Asked    bool // the scores for tonight were asked for
}

// DatasetView is the open version of a dataset.
type DatasetView struct {
	Name, Age string
	Level     string // good, or warn if the dataset was never seen
	Fields    []Field
}

// Field is a value with its name in words.
type Field struct{ Name, Value string }

// Group is the lines of an explanation that belong together.
type Group struct {
	Name  string
	Lines []string
}

// look reads the published file for one page. At most looksAtOnce requests do so, and the others wait
// for their share until their client leaves: the harvest must not starve.
func (s *site) look(ctx context.Context, ask func(context.Context, *warehouse.Warehouse) error) error {
	leave, err := s.looks.Take(ctx, -1)
	if err != nil {
		return err
	}
	defer leave()
	return s.files.Read(ctx, ask)
}

// looksAtOnce is how many pages read the published file at the same time, and looksWaiting how many wait for their turn:
// more than requestsAtOnce.
const looksAtOnce, looksWaiting = 2, 1 << 10

// vesselPage serves what is known of one vessel, as a page or, with ?format=json, as explain writes it.
func (s *site) vesselPage(w http.ResponseWriter, r *http.Request) {
	number := r.PathValue("number")
	if len(number) > maxNumber {
		s.noVessel(w, r, number)
		return
	}
	var e wording.Explanation
	err := s.look(r.Context(), func(ctx context.Context, file *warehouse.Warehouse) (err error) {
		e.Vessel, err = history.Of(ctx, file, number)
		return err
	})
	asked := r.FormValue("tonight") != ""
	if err == nil && asked && s.Scores != nil {
		e.Scores, err = s.Scores(r.Context(), e.VesselID)
	}
	switch {
	case errors.Is(err, history.ErrNoVessel):
		s.noVessel(w, r, number)
	case err != nil:
		s.cannotRead(w, err)
	case r.FormValue("format") == "json":
		sendJSON(w, e)
	default:
		v := view{Kind: "vessel", Title: vesselTitle(e), Version: s.Version, Now: s.Now(), Vessel: s.vesselView(e), CanScore: s.Scores != nil}
		v.Vessel.Asked = asked
		send(w, http.StatusOK, render("page.html", v))
	}
}

// vesselTitle names a vessel in the title of its page.
func vesselTitle(e wording.Explanation) string {
	if e.Name == "" {
		return e.VesselID
	}
	return printable(e.Name) + ", " + e.VesselID
}

// noVessel answers for a number that nothing is known of: perhaps it is a name.
func (s *site) noVessel(w http.ResponseWriter, r *http.Request, number string) {
	s.say(w, http.StatusNotFound, "No such vessel is known", "Nothing that was seen has the number "+shortened(number)+". A vessel is asked by its IMO number of 7 digits, its MMSI of 9, or its id, such as IMO9218301; the search finds names, too.")
}

// shortened cuts a text that a client sent to a length that a page can show.
func shortened(text string) string {
	text = printable(strings.ToValidUTF8(text, ""))
	if runes := []rune(text); len(runes) > maxNumber {
		return string(runes[:maxNumber]) + "…"
	}
	return text
}

// cannotRead answers while the published file cannot be read.
func (s *site) cannotRead(w http.ResponseWriter, err error) {
	if errors.Is(err, warehouse.ErrNone) {
		s.say(w, http.StatusNotFound, "No night yet", "This page fills with the first run.")
		return
	}
	t := s.trouble(err)
	s.say(w, http.StatusServiceUnavailable, t.Title, t.Lines...)
}

func sendJSON(w http.ResponseWriter, value any) {
	w.Header().Set("Content-Type", "application/json")
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	_ = e.Encode(value) // a client that disconnected needs no answer
}

// vesselView arranges what is known of a vessel for the page.
func (s *site) vesselView(e wording.Explanation) *VesselView {
	v := &VesselView{Explanation: e, Now: map[string]any{}, Timeline: timeline(e.Vessel), Track: track(e.Positions)}
	for _, d := range e.Datasets {
		v.Datasets = append(v.Datasets, datasetView(d, s.Now()))
		if now := d.Now(); now != nil {
			for name, value := range now.Values {
				v.Now[name] = value
			}
		}
	}
	v.Flag, _ = v.Now["country"].(string)
	v.Listed = "never on the list"
	if n := len(e.Stays); n > 0 {
		stay := e.Stays[n-1]
		v.Listed = "listed since " + longDay(stay.From)
		if stay.Missing != "" {
			v.Listed += ", and missing on the list since " + longDay(stay.Missing)
		}
		if stay.To != "" {
			v.Listed = "left the list after " + longDay(stay.To)
			if stay.Absent == "" {
				v.Listed = "not listed since " + longDay(stay.To)
			}
			if stay.Proof != "" {
				v.Listed += " (" + stay.Proof + ")"
			}
		}
	}
	for _, line := range wording.VesselLines(e) {
		if line.Name != "" || len(v.Groups) == 0 {
			v.Groups = append(v.Groups, Group{Name: line.Name})
		}
		last := &v.Groups[len(v.Groups)-1]
		last.Lines = append(last.Lines, s.sanitize(line.Words))
	}
	return v
}

// hiddenFields are columns that the head of the page has already, or that only explain a value.
var hiddenFields = map[string]bool{"imo": true, "mmsi": true, "name": true, "country_iso": true, "ship_type": true, "is_vessel": true, "raw": true, "source": true, "operation": true}

func datasetView(d history.Dataset, now time.Time) DatasetView {
	v := DatasetView{Name: d.Name, Age: "never seen", Level: "warn"}
	if d.Seen != nil {
		v.Age, v.Level = "seen "+since(*d.Seen, now), "good"
	}
	open := d.Now()
	if open == nil {
		return v
	}
	for _, c := range d.Columns {
		if value, ok := open.Values[c]; ok && !hiddenFields[c] {
			v.Fields = append(v.Fields, Field{fieldName(c), wording.Value(value)})
		}
	}
	return v
}

// units are what the ends of the names of columns stand for.
var units = map[string]string{"_m": " (m)", "_t": " (t)", "_m3": " (m³)", "_kw": " (kW)", "_kn": " (kn)", "_deg": " (°)"}

// fieldName writes the name of a column in words: deadweight_t is deadweight (t).
func fieldName(column string) string {
	if at := strings.LastIndexByte(column, '_'); at >= 0 && units[column[at:]] != "" {
		return strings.ReplaceAll(column[:at], "_", " ") + units[column[at:]]
	}
	return strings.ReplaceAll(column, "_", " ")
}
