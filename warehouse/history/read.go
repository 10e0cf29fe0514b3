package history

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/fleetlake/fleetlake/warehouse"
)

// ErrNoVessel says that nothing is known of a vessel.
var ErrNoVessel = errors.New("no such vessel is known: want an IMO number of 7 digits, an MMSI of 9, or a vessel_id such as IMO9218301")

// Of returns what the warehouse knows of the vessel that an IMO number, an MMSI, a vessel_id or an
// alias stands for, whatever the case and the blanks around it. It returns ErrNoVessel if there is
// none; its other errors are those of reading, as warehouse.Warehouse describes.
func Of(ctx context.Context, w *warehouse.Warehouse, number string) (Vessel, error) {
	found, err := find(ctx, w, number)
	if err == nil && len(found) == 0 {
		err = ErrNoVessel
	}
	if err != nil {
		return Vessel{}, fmt.Errorf("vessel %q: %w", number, err)
	}
	r := reader{ctx: ctx, w: w, Vessel: Vessel{VesselID: found[0], Others: found[1:]}}
	for _, part := range []func() error{r.aliases, r.versions, r.stays, r.movements, r.lookups, r.issues, r.conflicts, r.answers} {
		if err := part(); err != nil {
			return Vessel{}, fmt.Errorf("vessel %q: %w", number, err)
		}
	}
	return r.Vessel, nil
}

// find returns the vessels that a number stands for, the likeliest first.
func find(ctx context.Context, w *warehouse.Warehouse, number string) ([]string, error) {
	id, mmsi := strings.ToUpper(strings.TrimSpace(number)), ""
	digits := strings.Trim(id, "0123456789") == ""
	switch {
	case digits && len(id) == 7:
		id = "IMO" + id
	case digits && len(id) == 9:
		id, mmsi = "MMSI"+id, id
	}
	return warehouse.Collect(ctx, w, statements.Text("find"), func(rows *sql.Rows) (id string, err error) {
		return id, rows.Scan(&id)
	}, sql.Named("id", id), sql.Named("number", numberOf(id)), sql.Named("mmsi", mmsi))
}

// numberOf returns the number in a vessel_id, as in the column vessel_number; -1 is none.
func numberOf(id string) int {
	number, _, _ := strings.Cut(strings.TrimLeft(id, "IMOS"), ".") // MMSI257000903.2 is the second vessel with that MMSI
	if n, err := strconv.Atoi(number); err == nil {
		return n
	}
	return -1
}

// reader reads what is known of a vessel, part by part.
type reader struct {
	ctx context.Context
	w   *warehouse.Warehouse
	Vessel
}

// read runs a statement of sql/ and makes its rows a part of the vessel's history.
func read[T any](r *reader, part *[]T, name string, scan func(*sql.Rows, *T) error, args ...any) (err error) {
	*part, err = warehouse.Collect(r.ctx, r.w, statements.Text(name), func(rows *sql.Rows) (one T, err error) {
		return one, scan(rows, &one)
	}, args...)
	return err
}

func (r *reader) aliases() error {
	return read(r, &r.Aliases, "aliases", func(rows *sql.Rows, a *Alias) error {
		return rows.Scan(&a.ID, &a.Since, &a.Until, &a.Reason, &a.Run)
	}, r.VesselID)
}

// versions reads the datasets, under the vessel's id and under those that it had.
func (r *reader) versions() error {
	ids := []string{r.VesselID}
	for _, a := range r.Aliases {
		ids = append(ids, a.ID)
	}
	all, err := r.w.Datasets(r.ctx)
	if err != nil {
		return err
	}
	for _, d := range all {
		one := Dataset{Name: d.Name, versioned: len(d.Columns)}
		for _, c := range d.All() {
			one.Columns = append(one.Columns, c.Name)
		}
		text := statements.Filled("versions", d)
		for _, id := range ids {
			versions, err := warehouse.Collect(r.ctx, r.w, text, scanVersion, numberOf(id), id)
			if err != nil {
				return fmt.Errorf("versions of %s: %w", d.Name, err)
			}
			one.Versions = append(one.Versions, versions...)
		}
		one.compare()
		r.Datasets = append(r.Datasets, one)
	}
	if now := r.Datasets[0].Now(); now != nil {
		r.Name, _ = now.Values["name"].(string)
		r.MMSI, _ = now.Values["mmsi"].(string)
		if imo, ok := now.Values["imo"].(float64); ok {
			r.IMO = strconv.Itoa(int(imo))
		}
	}
	return nil
}

// scanVersion reads a version; its values come as one JSON object, in which null is no value.
func scanVersion(rows *sql.Rows) (v Version, err error) {
	var values string
	if err := rows.Scan(&v.VesselID, &v.From, &v.To, &v.FirstSeen, &v.LastSeen, &v.Evidence.Run, &v.Evidence.Entry, &values); err != nil {
		return v, err
	}
	err = json.Unmarshal([]byte(values), &v.Values)
	maps.DeleteFunc(v.Values, func(_ string, value any) bool { return value == nil })
	return v, err
}

// compare orders the versions and adds what each changed.
func (d *Dataset) compare() {
	slices.SortStableFunc(d.Versions, func(a, b Version) int {
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
				v.Changed = append(v.Changed, Change{c, before[c], v.Values[c]})
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

func (r *reader) stays() error {
	return read(r, &r.Stays, "stays", func(rows *sql.Rows, s *Stay) error {
		return rows.Scan(&s.From, &s.To, &s.Last, &s.Missing, &s.Absent, &s.Proof, &s.Run)
	}, r.VesselID)
}

// trackLength is how many positions, the newest ones, are read as a track.
const trackLength = 200

// movements reads the episodes and positions of the vessel.
func (r *reader) movements() error {
	err := read(r, &r.Episodes, "episodes", func(rows *sql.Rows, e *Episode) error {
		return rows.Scan(&e.Status, &e.Zone, &e.Laden, &e.ForOrder, &e.VesselType, &e.FirstSeen, &e.LastSeen, &e.Nights, &e.Evidence.Run, &e.Evidence.Entry)
	}, numberOf(r.VesselID), r.VesselID)
	if err != nil {
		return err
	}
	if err := read(r, &r.Positions.Track, "track", func(rows *sql.Rows, p *Point) error {
		return rows.Scan(&p.At, &p.SeenAt, &p.Latitude, &p.Longitude)
	}, numberOf(r.VesselID), r.VesselID, trackLength); err != nil {
		return err
	}
	var latest []Position
	if err := read(r, &latest, "positions", func(rows *sql.Rows, p *Position) error {
		return rows.Scan(&r.Positions.Count, &r.Positions.Since, &p.At, &p.SeenAt, &p.Latitude, &p.Longitude, &p.SpeedKn, &p.CourseDeg,
			&p.Status, &p.Destination, &p.Evidence.Operation, &p.Evidence.Run, &p.Evidence.Entry)
	}, numberOf(r.VesselID), r.VesselID); err != nil {
		return err
	}
	if len(latest) > 0 {
		r.Positions.Latest = &latest[0]
	}
	var seen []struct{}
	return read(r, &seen, "latest", func(rows *sql.Rows, _ *struct{}) error {
		return rows.Scan(&r.Positions.LastSeen, &r.Sighted)
	}, r.VesselID)
}

func (r *reader) lookups() error {
	return read(r, &r.Lookups, "lookups", func(rows *sql.Rows, l *Lookup) error {
		return rows.Scan(&l.Operation, &l.Requests, &l.Credits, &l.Asked, &l.Answered, &l.Refused, &l.Outcome, &l.Evidence.Run, &l.Evidence.Entry)
	}, numberOf(r.IMO), numberOf(r.MMSI))
}

// issues reads them under the vessel's id and under the one that its MMSI alone would give it:
// a record without a good IMO number has that.
func (r *reader) issues() error {
	seen := map[string]*time.Time{"position": r.Positions.LastSeen, "sighting": r.Sighted}
	for _, d := range r.Datasets {
		seen[d.Name] = d.Seen
	}
	var names, times []string
	for name, at := range seen {
		if at != nil {
			names, times = append(names, name), append(times, at.UTC().Format(time.RFC3339Nano))
		}
	}
	return read(r, &r.Issues, "issues", func(rows *sql.Rows, i *Issue) error {
		return rows.Scan(&i.Dataset, &i.Field, &i.Reason, &i.RawValue, &i.First, &i.Last, &i.Nights, &i.Open, &i.Evidence.Run, &i.Evidence.Entry)
	}, sql.Named("number", numberOf(r.VesselID)), sql.Named("mmsi", numberOf(r.MMSI)), sql.Named("id", r.VesselID), sql.Named("other", "MMSI"+r.MMSI), sql.Named("datasets", names), sql.Named("seen", times))
}

func (r *reader) conflicts() error {
	return read(r, &r.Conflicts, "conflicts", func(rows *sql.Rows, c *Conflict) error {
		return rows.Scan(&c.Dataset, &c.Field, &c.RawValue, &c.Reason, &c.First, &c.Last)
	}, r.VesselID, "MMSI"+r.MMSI)
}

// askedEpisodes is the number of episodes, the newest ones, whose request is looked up. After a
// thousand nights a vessel has a hundred episodes, and looking all of them up takes a tenth of
// the time; run and entry name the answers of the older ones too.
const askedEpisodes = 10

// askedRuns is the number of runs whose answers are read by one statement, which has a part for each.
const askedRuns = 100

// answers adds to each evidence its request.
func (r *reader) answers() error {
	type place struct {
		run   string
		entry int
	}
	places := map[place][]*Evidence{}
	entries := map[string][]string{} // by run
	for _, e := range r.evidence() {
		p := place{e.Run, e.Entry}
		if places[p] == nil {
			entries[e.Run] = append(entries[e.Run], strconv.Itoa(e.Entry))
		}
		places[p] = append(places[p], e)
	}
	type of struct{ Parameter, Entries string }
	for runs := range slices.Chunk(slices.Sorted(maps.Keys(entries)), askedRuns) {
		var parts []of
		var args []any
		for i, run := range runs {
			parts = append(parts, of{"$" + strconv.Itoa(i+1), strings.Join(entries[run], ", ")})
			args = append(args, run)
		}
		found, err := warehouse.Collect(r.ctx, r.w, statements.Filled("answers", parts), func(rows *sql.Rows) (e Evidence, err error) {
			return e, rows.Scan(&e.Run, &e.Entry, &e.Operation, &e.Parameters, &e.Credits)
		}, args...)
		if err != nil {
			return err
		}
		for _, a := range found {
			for _, e := range places[place{a.Run, a.Entry}] {
				*e = a
			}
		}
	}
	return nil
}

// evidence lists the places of the history that name an answer.
func (r *reader) evidence() []*Evidence {
	var places []*Evidence
	for i := range r.Datasets {
		for j := range r.Datasets[i].Versions {
			places = append(places, &r.Datasets[i].Versions[j].Evidence)
		}
	}
	for i := range min(len(r.Episodes), askedEpisodes) {
		places = append(places, &r.Episodes[i].Evidence)
	}
	for i := range r.Lookups {
		places = append(places, &r.Lookups[i].Evidence)
	}
	for i := range r.Issues {
		places = append(places, &r.Issues[i].Evidence)
	}
	if r.Positions.Latest != nil {
		places = append(places, &r.Positions.Latest.Evidence)
	}
	return places
}
