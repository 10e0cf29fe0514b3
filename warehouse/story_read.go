package warehouse

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// ErrNoVessel says that nothing is known of a vessel.
var ErrNoVessel = errors.New("no such vessel is known: want an IMO number of 7 digits, an MMSI of 9, or a vessel_id such as IMO9218301")

// Story tells what is known of the vessel that an IMO number, an MMSI, a vessel_id or an alias
// stands for.
func (w *Warehouse) Story(ctx context.Context, number string) (Story, error) {
	found, err := w.find(ctx, number)
	if err == nil && len(found) == 0 {
		err = ErrNoVessel
	}
	if err != nil {
		return Story{}, fmt.Errorf("vessel %q: %w", number, err)
	}
	t := teller{ctx: ctx, db: w.db, Story: Story{VesselID: found[0], Others: found[1:]}}
	for _, part := range []func() error{t.aliases, t.versions, t.stays, t.moves, t.lookups, t.issues, t.conflicts, t.answers} {
		if err := part(); err != nil {
			return Story{}, fmt.Errorf("vessel %q: %w", number, err)
		}
	}
	return t.Story, nil
}

// find returns the vessels that a number stands for, the likeliest first.
func (w *Warehouse) find(ctx context.Context, number string) ([]string, error) {
	id, mmsi := strings.ToUpper(strings.TrimSpace(number)), ""
	digits := strings.Trim(id, "0123456789") == ""
	switch {
	case digits && len(id) == 7:
		id = "IMO" + id
	case digits && len(id) == 9:
		id, mmsi = "MMSI"+id, id
	}
	return collect(ctx, w.db, "story/find", func(rows *sql.Rows) (id string, err error) {
		return id, rows.Scan(&id)
	}, sql.Named("id", id), sql.Named("number", numberOf(id)), sql.Named("mmsi", mmsi))
}

// numberOf is the number in a vessel_id, as the column vessel_number has it; -1 is none.
func numberOf(id string) int {
	if n, err := strconv.Atoi(strings.TrimLeft(id, "IMOS")); err == nil {
		return n
	}
	return -1
}

// teller reads a story, part by part.
type teller struct {
	ctx context.Context
	db  *sql.DB
	Story
}

// tell runs a statement of sql/story and adds its rows to a part of the story.
func tell[T any](t *teller, into *[]T, name string, read func(*sql.Rows, *T) error, args ...any) (err error) {
	*into, err = collectInto(t.ctx, t.db, *into, "story/"+name, func(rows *sql.Rows) (one T, err error) {
		return one, read(rows, &one)
	}, args...)
	return err
}

func (t *teller) aliases() error {
	return tell(t, &t.Aliases, "aliases", func(rows *sql.Rows, a *StoryAlias) error {
		return rows.Scan(&a.ID, &a.Since, &a.Until, &a.Reason, &a.Run)
	}, t.VesselID)
}

// versions reads the four datasets, under the vessel's id and under those that it had.
func (t *teller) versions() error {
	ids := []string{t.VesselID}
	for _, a := range t.Aliases {
		ids = append(ids, a.ID)
	}
	all, err := readDatasets(t.ctx, t.db)
	if err != nil {
		return err
	}
	for _, d := range all {
		told := StoryDataset{Name: d.Name, versioned: len(d.Columns)}
		for _, c := range d.All() {
			told.Columns = append(told.Columns, c.Name)
		}
		for _, id := range ids {
			if err := t.version(d, &told, id); err != nil {
				return err
			}
		}
		told.compare()
		t.Datasets = append(t.Datasets, told)
	}
	if now := t.Datasets[0].Now(); now != nil {
		t.Name, _ = now.Values["name"].(string)
		t.MMSI, _ = now.Values["mmsi"].(string)
		if imo, ok := now.Values["imo"].(float64); ok {
			t.IMO = strconv.Itoa(int(imo))
		}
	}
	return nil
}

func (t *teller) version(d dataset, told *StoryDataset, id string) error {
	rows, err := t.db.QueryContext(t.ctx, filled("story/versions", d), numberOf(id), id)
	if err != nil {
		return fmt.Errorf("versions of %s: %w", d.Name, plain(err))
	}
	defer rows.Close()
	for rows.Next() {
		var v StoryVersion
		var values string
		if err := rows.Scan(&v.VesselID, &v.From, &v.To, &v.FirstSeen, &v.LastSeen, &v.Evidence.Run, &v.Evidence.Entry, &values); err != nil {
			return fmt.Errorf("versions of %s: %w", d.Name, plain(err))
		}
		if err := json.Unmarshal([]byte(values), &v.Values); err != nil {
			return fmt.Errorf("versions of %s: %w", d.Name, err)
		}
		for column, value := range v.Values {
			if value == nil {
				delete(v.Values, column)
			}
		}
		told.Versions = append(told.Versions, v)
	}
	return plain(rows.Err())
}

// compare orders the versions and says what each changed.
func (d *StoryDataset) compare() {
	slices.SortStableFunc(d.Versions, func(a, b StoryVersion) int {
		if a.From == nil || b.From == nil {
			return 0
		}
		return cmp.Or(a.From.Compare(*b.From), strings.Compare(b.VesselID, a.VesselID)) // MMSI before IMO
	})
	for i := range d.Versions {
		v := &d.Versions[i]
		d.Seen = later(d.Seen, v.LastSeen)
		if i == 0 {
			continue
		}
		before := d.Versions[i-1].Values
		for _, c := range d.Columns[:d.versioned] {
			if before[c] != v.Values[c] {
				v.Changed = append(v.Changed, StoryChange{c, before[c], v.Values[c]})
			}
		}
	}
}

func later(a, b *time.Time) *time.Time {
	if a == nil || b != nil && b.After(*a) {
		return b
	}
	return a
}

func (t *teller) stays() error {
	return tell(t, &t.Stays, "stays", func(rows *sql.Rows, s *StoryStay) error {
		return rows.Scan(&s.From, &s.To, &s.Last, &s.Absent, &s.Run)
	}, t.VesselID)
}

// moves reads where the vessel was and what it did.
func (t *teller) moves() error {
	err := tell(t, &t.Episodes, "episodes", func(rows *sql.Rows, e *StoryEpisode) error {
		return rows.Scan(&e.Status, &e.Zone, &e.Laden, &e.ForOrder, &e.VesselType, &e.FirstSeen, &e.LastSeen, &e.Nights, &e.Evidence.Run, &e.Evidence.Entry)
	}, numberOf(t.VesselID), t.VesselID)
	if err != nil {
		return err
	}
	var latest []StoryPosition
	if err := tell(t, &latest, "positions", func(rows *sql.Rows, p *StoryPosition) error {
		return rows.Scan(&t.Positions.Count, &t.Positions.Since, &p.At, &p.SeenAt, &p.Latitude, &p.Longitude, &p.SpeedKn, &p.CourseDeg,
			&p.Status, &p.Destination, &p.Evidence.Operation, &p.Evidence.Run, &p.Evidence.Entry)
	}, numberOf(t.VesselID), t.VesselID); err != nil {
		return err
	}
	if len(latest) > 0 {
		t.Positions.Latest = &latest[0]
	}
	var seen []struct{}
	return tell(t, &seen, "latest", func(rows *sql.Rows, _ *struct{}) error {
		return rows.Scan(&t.Positions.LastSeen, &t.Sighted)
	}, t.VesselID)
}

func (t *teller) lookups() error {
	return tell(t, &t.Lookups, "lookups", func(rows *sql.Rows, l *StoryLookup) error {
		return rows.Scan(&l.Operation, &l.Requests, &l.Credits, &l.Asked, &l.Answered, &l.Refused, &l.Outcome, &l.Evidence.Run, &l.Evidence.Entry)
	}, numberOf(t.IMO), numberOf(t.MMSI))
}

// issues reads them under the vessel's id and under the one that its MMSI alone would give it:
// a record without a good IMO number has that.
func (t *teller) issues() error {
	seen := map[string]*time.Time{"position": t.Positions.LastSeen, "sighting": t.Sighted}
	for _, d := range t.Datasets {
		seen[d.Name] = d.Seen
	}
	var names, times []string
	for name, at := range seen {
		if at != nil {
			names, times = append(names, name), append(times, at.UTC().Format("2006-01-02 15:04:05.999999"))
		}
	}
	return tell(t, &t.Issues, "issues", func(rows *sql.Rows, i *StoryIssue) error {
		return rows.Scan(&i.Dataset, &i.Field, &i.Reason, &i.RawValue, &i.First, &i.Last, &i.Nights, &i.Open, &i.Evidence.Run, &i.Evidence.Entry)
	}, sql.Named("number", numberOf(t.VesselID)), sql.Named("mmsi", numberOf(t.MMSI)), sql.Named("id", t.VesselID), sql.Named("other", "MMSI"+t.MMSI), sql.Named("datasets", names), sql.Named("seen", times))
}

func (t *teller) conflicts() error {
	return tell(t, &t.Conflicts, "conflicts", func(rows *sql.Rows, c *StoryConflict) error {
		return rows.Scan(&c.Dataset, &c.Field, &c.RawValue, &c.Reason, &c.First, &c.Last)
	}, t.VesselID, "MMSI"+t.MMSI)
}

// askedEpisodes is of how many episodes, the newest, a story tells what was asked. After a
// thousand nights a vessel has a hundred, and to look all of them up takes a tenth of the
// story's time; run and entry name the answers of the older ones too.
const askedEpisodes = 10

// answers says of each evidence what was asked to get it.
func (t *teller) answers() error {
	places := t.evidence()
	var runs, entries []string
	for _, e := range places {
		runs, entries = append(runs, e.Run), append(entries, strconv.Itoa(e.Entry))
	}
	type place struct {
		run   string
		entry int
	}
	asked := map[place]Evidence{}
	var found []Evidence
	if err := tell(t, &found, "answers", func(rows *sql.Rows, e *Evidence) error {
		return rows.Scan(&e.Run, &e.Entry, &e.Operation, &e.Parameters)
	}, runs, entries); err != nil {
		return err
	}
	for _, e := range found {
		asked[place{e.Run, e.Entry}] = e
	}
	for _, e := range places {
		if a, ok := asked[place{e.Run, e.Entry}]; ok {
			*e = a
		}
	}
	return nil
}

// evidence lists the places of the story that name an answer.
func (t *teller) evidence() []*Evidence {
	var places []*Evidence
	for i := range t.Datasets {
		for j := range t.Datasets[i].Versions {
			places = append(places, &t.Datasets[i].Versions[j].Evidence)
		}
	}
	for i := range min(len(t.Episodes), askedEpisodes) {
		places = append(places, &t.Episodes[i].Evidence)
	}
	for i := range t.Lookups {
		places = append(places, &t.Lookups[i].Evidence)
	}
	for i := range t.Issues {
		places = append(places, &t.Issues[i].Evidence)
	}
	if t.Positions.Latest != nil {
		places = append(places, &t.Positions.Latest.Evidence)
	}
	return places
}
