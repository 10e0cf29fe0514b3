package vessel

import (
	"embed"
	"time"

	"github.com/fleetlake/fleetlake/pipeline/wording"
	"github.com/fleetlake/fleetlake/schedules/page/shown"
	"github.com/fleetlake/fleetlake/warehouse/history"
)

// Templates has the template of the page, "vessel".
//
//go:embed templates/*.html
var Templates embed.FS

// View is what the page shows of one vessel.
type View struct {
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
	Fields    []Fact
}

// Fact is a value, and the page of what it names.
type Fact struct {
	shown.Field
	Link string
}

// Group is the lines of an explanation that belong together.
type Group struct {
	Name  string
	Lines []string
}

// Of arranges what is known of a vessel for its page; the data directory stands in no text of it.
func Of(e wording.Explanation, now time.Time, dir string) *View {
	v := &View{Explanation: e, Now: map[string]any{}, Timeline: timeline(e.Vessel), Track: track(e.Positions)}
	for _, d := range e.Datasets {
		v.Datasets = append(v.Datasets, datasetView(d, now))
		if open := d.Now(); open != nil {
			for name, value := range open.Values {
				v.Now[name] = value
			}
		}
	}
	v.Flag, _ = v.Now["country"].(string)
	v.Listed = "never on the list"
	if n := len(e.Stays); n > 0 {
		stay := e.Stays[n-1]
		v.Listed = "listed since " + shown.LongDay(stay.From)
		if stay.Missing != "" {
			v.Listed += ", and missing on the list since " + shown.LongDay(stay.Missing)
		}
		if stay.To != "" {
			v.Listed = "left the list after " + shown.LongDay(stay.To)
			if stay.Absent == "" {
				v.Listed = "not listed since " + shown.LongDay(stay.To)
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
		last.Lines = append(last.Lines, shown.Sanitize(line.Words, dir))
	}
	return v
}

// hiddenFields are columns that the head of the page has already, or that only explain a value.
var hiddenFields = map[string]bool{"imo": true, "mmsi": true, "name": true, "country_iso": true, "ship_type": true, "is_vessel": true, "raw": true, "source": true, "operation": true}

func datasetView(d history.Dataset, now time.Time) DatasetView {
	v := DatasetView{Name: d.Name, Age: "never seen", Level: "warn"}
	if d.Seen != nil {
		v.Age, v.Level = "seen "+shown.Since(*d.Seen, now), "good"
	}
	open := d.Now()
	if open == nil {
		return v
	}
	for _, c := range d.Columns {
		if value, ok := open.Values[c]; ok && !hiddenFields[c] {
			v.Fields = append(v.Fields, Fact{shown.Field{Name: shown.FieldName(c), Value: factText(value)}, shown.LinkOf(c, wording.Value(value))})
		}
	}
	return v
}

// factText writes a value for people: instants to the minute, in UTC, and numbers with their thousands apart.
func factText(value any) string {
	text := wording.Value(value)
	if _, is := value.(float64); is {
		return shown.Number(text)
	}
	if at, err := time.Parse("2006-01-02 15:04:05-07", text); err == nil {
		return wording.Minute(&at)
	}
	return text
}
