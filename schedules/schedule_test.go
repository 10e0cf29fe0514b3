package schedules

import (
	"archive/zip"
	"fmt"
	"go/build"
	"path/filepath"
	"strings"
	"testing"
	"time"
	_ "time/tzdata"

	"github.com/google/go-cmp/cmp"
	"github.com/robfig/cron/v3"
)

func zone(t testing.TB, name string) *time.Location {
	t.Helper()
	loc, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return loc
}

func schedule(t testing.TB, cron, zoneName string) Schedule {
	t.Helper()
	s, err := Parse(cron, zone(t, zoneName))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestParseRefuses(t *testing.T) {
	for name, c := range map[string]struct{ cron, want string }{
		"nothing":                      {"", "empty"},
		"a zone without fields":        {"TZ=UTC", "time zone inside"},
		"a cron zone without fields":   {"CRON_TZ=Europe/Berlin", "time zone inside"},
		"a zone before fields":         {"CRON_TZ=Europe/Berlin 0 2 * * *", "time zone inside"},
		"four fields":                  {"0 2 * *", "expected exactly 5 fields, found 4"},
		"seconds":                      {"0 0 2 * * *", "expected exactly 5 fields, found 6"},
		"an interval":                  {"@every 1h", "expected times of day"},
		"an unknown name":              {"@nightly", "unrecognized descriptor"},
		"30 February":                  {"0 2 30 2 *", "never fires"},
		"an empty list":                {", 2 * * *", "never fires"},
		"an hour that no clock has":    {"0 24 * * *", "above maximum (23)"},
		"a word":                       {"0 two * * *", `no number: two`},
		"a step of nothing":            {"*/0 2 * * *", "positive number"},
		"a range that runs backwards":  {"0 5-3 * * *", "beyond end of range"},
		"a negative hour":              {"0 -2 * * *", "no number"},
		"a number beyond any computer": {"0 99999999999999999999 * * *", "no number"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Parse(c.cron, time.UTC)
			if err == nil {
				t.Fatal("accepted")
			}
			if !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "failed to") {
				t.Errorf("got %q, want it to say %q", err, c.want)
			}
		})
	}
}

func TestSlotsOfADay(t *testing.T) {
	for name, c := range map[string]struct {
		cron, zone, date string
		want             []string
	}{
		"daily":               {"0 2 * * *", "Europe/Berlin", "2026-11-20", []string{"02:00 CET"}},
		"by a name":           {"@daily", "UTC", "2026-11-20", []string{"00:00 UTC"}},
		"twice a day":         {"15 3,15 * * *", "UTC", "2026-11-20", []string{"03:15 UTC", "15:15 UTC"}},
		"not on this weekday": {"0 2 * * mon", "UTC", "2026-11-20", nil},
		"a time in the spring gap runs right after it":               {"30 2 * * *", "Europe/Berlin", "2026-03-29", []string{"03:00 CEST"}},
		"times in and after the spring gap run once where they meet": {"0,30 2,3 * * *", "Europe/Berlin", "2026-03-29", []string{"03:00 CEST", "03:30 CEST"}},
		"a time in the autumn overlap runs at the first":             {"30 2 * * *", "Europe/Berlin", "2026-10-25", []string{"02:30 CEST"}},
		"01:30 in New York's overlap runs at the first":              {"30 1 * * *", "America/New_York", "2026-11-01", []string{"01:30 EDT"}},
		"a half hour of daylight saving":                             {"15 2 * * *", "Australia/Lord_Howe", "2026-10-04", []string{"02:30 +11"}},
		"midnight in a gap at midnight":                              {"0 0 * * *", "America/Sao_Paulo", "2018-11-04", []string{"01:00 -02"}},
		"midnight that comes twice":                                  {"0 0 * * *", "America/Havana", "2026-11-01", []string{"00:00 CDT"}},
		"an evening that comes twice":                                {"30 23 * * *", "America/Sao_Paulo", "2018-02-17", []string{"23:30 -02"}},
		"a date that Samoa skipped":                                  {"0 2 * * *", "Pacific/Apia", "2011-12-30", nil},
		"the date after the skipped one":                             {"0 2 * * *", "Pacific/Apia", "2011-12-31", []string{"02:00 +14"}},
		"every hour by the clock in spring":                          {"0 * * * *", "Europe/Berlin", "2026-03-29", hours("00 CET", "01 CET", "03-23 CEST")},
		"every hour by the clock in autumn":                          {"0 * * * *", "Europe/Berlin", "2026-10-25", hours("00-02 CEST", "02-23 CET")},
	} {
		t.Run(name, func(t *testing.T) {
			s := schedule(t, c.cron, c.zone)
			day, _ := time.Parse(DateLayout, c.date)
			var got []string
			for _, at := range s.Slots(day.Add(-24*time.Hour), day.Add(48*time.Hour)) {
				if at.Format(DateLayout) == c.date {
					got = append(got, at.Format("15:04 MST"))
				}
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("slots (-want +got):\n%s", diff)
			}
		})
	}
}

// hours writes out "03-05 CET" as its full hours.
func hours(ranges ...string) []string {
	var all []string
	for _, r := range ranges {
		span, abbreviation, _ := strings.Cut(r, " ")
		first, last, many := strings.Cut(span, "-")
		if !many {
			last = first
		}
		for h := int(first[0]-'0')*10 + int(first[1]-'0'); h <= int(last[0]-'0')*10+int(last[1]-'0'); h++ {
			all = append(all, fmt.Sprintf("%02d:00 %s", h, abbreviation))
		}
	}
	return all
}

func TestNextFindsALeapDayEightYearsAway(t *testing.T) {
	got := schedule(t, "0 2 29 2 *", "UTC").Next(time.Date(2097, 1, 1, 0, 0, 0, 0, time.UTC))
	if want := time.Date(2104, 2, 29, 2, 0, 0, 0, time.UTC); !got.Equal(want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestUpcoming(t *testing.T) {
	got := schedule(t, "0 2 * * *", "UTC").Upcoming(time.Date(2026, 11, 20, 2, 0, 0, 0, time.UTC), 5)
	if len(got) != 5 || got[0].Day() != 21 || got[4].Day() != 25 {
		t.Errorf("got %v, want the five days after", got)
	}
}

// startTimes are 00:00 to 03:00 by half hours, when most zones change their clocks.
func startTimes() []string {
	var all []string
	for minute := 0; minute <= 180; minute += 30 {
		all = append(all, fmt.Sprintf("%d %d * * *", minute%60, minute/60))
	}
	return all
}

// TestOneSlotPerDate goes through ten years of every zone of the time-zone database: each date
// that the zone had has one slot, none is missed, none is doubled. Zones that agree on all
// changes are tried once.
func TestOneSlotPerDate(t *testing.T) {
	for i, loc := range distinctZones(t, 2026, 2036) {
		if raceDetector && i%8 > 0 {
			continue // it has no goroutines to race, and takes a minute
		}
		t.Run(loc.String(), func(t *testing.T) {
			t.Parallel()
			oneSlotPerDate(t, loc, time.Date(2026, 1, 1, 12, 0, 0, 0, loc), time.Date(2036, 1, 1, 12, 0, 0, 0, loc))
		})
	}
}

// TestOneSlotPerDateInOddYears looks at the changes of the years before, which were rarer in
// kind: gaps at midnight, skipped dates, half hours.
func TestOneSlotPerDateInOddYears(t *testing.T) {
	seen := map[string]bool{} // many zones share their changes
	for _, loc := range distinctZones(t, 2008, 2026) {
		for _, change := range changes(loc, 2008, 2026) {
			key := change.Add(-time.Second).Format(time.RFC3339) + change.Format(time.RFC3339)
			if !seen[key] {
				seen[key] = true
				oneSlotPerDate(t, loc, change.Add(-48*time.Hour), change.Add(48*time.Hour))
			}
		}
	}
}

func oneSlotPerDate(t *testing.T, loc *time.Location, from, to time.Time) {
	t.Helper()
	want := dates(loc, from, to)
	for _, cron := range startTimes() {
		s := schedule(t, cron, loc.String())
		at := want[0].Add(-time.Nanosecond)
		for i, date := range want {
			at = s.Next(at)
			if year, month, day := at.Date(); year != date.Year() || month != date.Month() || day != date.Day() {
				t.Fatalf("%s, %s: slot %v where that of %s should be", loc, cron, at, date.Format(DateLayout))
			}
			if i+1 < len(want) && !at.Before(want[i+1]) {
				t.Fatalf("%s, %s: slot %v on the date after", loc, cron, at)
			}
		}
	}
}

// distinctZones returns the zones whose clocks differ at some time within some years.
func distinctZones(t *testing.T, from, to int) []*time.Location {
	t.Helper()
	seen := map[string]bool{}
	var all []*time.Location
	names := zoneNames(t)
	for _, name := range names {
		loc := zone(t, name)
		_, offset := time.Date(from, 1, 1, 0, 0, 0, 0, loc).Zone()
		key := fmt.Sprint(offset)
		for _, change := range changes(loc, from, to) {
			key += change.Add(-time.Second).Format(" 0102T15:04:05Z07:00") + change.Format("/0102T15:04:05Z07:00")
		}
		if !seen[key] {
			seen[key] = true
			all = append(all, loc)
		}
	}
	t.Logf("%d zones, %d of them different from %d to %d", len(names), len(all), from, to)
	return all
}

// dates lists the first moments, to the minute, of the civil dates that a clock in loc showed
// from one moment to another.
func dates(loc *time.Location, from, to time.Time) []time.Time {
	var all []time.Time
	for at := from.In(loc); at.Before(to); at = at.Add(6 * time.Hour) { // less than any date lasts
		if len(all) > 0 && at.YearDay() == all[len(all)-1].YearDay() {
			continue
		}
		first, day := at.Truncate(time.Minute), at.YearDay()
		for _, step := range []time.Duration{time.Hour, time.Minute} {
			for first.Add(-step).YearDay() == day {
				first = first.Add(-step)
			}
		}
		all = append(all, first)
	}
	return all
}

// changes lists when the offset of a zone changed.
func changes(loc *time.Location, from, to int) []time.Time {
	var all []time.Time
	for t := time.Date(from, 1, 1, 0, 0, 0, 0, loc); ; {
		_, end := t.ZoneBounds()
		if end.IsZero() || end.Year() > to {
			return all
		}
		_, before := t.Zone()
		t = end.In(loc)
		if _, after := t.Zone(); before != after {
			all = append(all, t)
		}
	}
}

// zoneNames lists the zones of Go's own time-zone database, or a few representative ones without it.
func zoneNames(t *testing.T) []string {
	archive, err := zip.OpenReader(filepath.Join(build.Default.GOROOT, "lib", "time", "zoneinfo.zip"))
	if err != nil {
		t.Logf("only a few zones are tried: %v", err)
		return []string{"Europe/Berlin", "America/New_York", "America/Havana", "Pacific/Apia", "Australia/Lord_Howe", "Africa/Casablanca", "Antarctica/Troll"}
	}
	defer archive.Close()
	var names []string
	for _, f := range archive.File {
		if !strings.HasSuffix(f.Name, "/") {
			names = append(names, f.Name)
		}
	}
	return names
}

// FuzzParse checks that a slot is after the moment that it is asked for, and that where no clock changes the
// slots are those of the cron library itself, whose search ends after five years.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{"0 2 * * *", "TZ=UTC", "@daily", "@every 1s", ",,,,", "*/5 1-3,7 ? jan-dec sun", "0 2 30 2 *", "0 0 29 2 1"} {
		f.Add(seed, int64(1774699200))
	}
	berlin := zone(f, "Europe/Berlin")
	f.Fuzz(func(t *testing.T, expression string, second int64) {
		after := time.Unix(second&(1<<33-1), 0).UTC() // up to the year 2242
		s, err := Parse(expression, berlin)
		if err != nil {
			return
		}
		if next := s.Next(after); !next.After(after) {
			t.Errorf("%q: next after %v is %v", expression, after, next)
		}
		s, err = Parse(expression, time.UTC)
		reference, wrong := cron.ParseStandard("TZ=UTC " + strings.TrimSpace(expression))
		if err != nil || wrong != nil {
			t.Fatalf("%q: %v in UTC, %v by the library", expression, err, wrong)
		}
		for range 3 {
			want := reference.Next(after)
			if got := s.Next(after); !want.IsZero() && !got.Equal(want) {
				t.Fatalf("%q: next after %v is %v, want %v", expression, after, got, want)
			} else if want.IsZero() && !got.After(after.AddDate(5, 0, 0)) {
				t.Fatalf("%q: next after %v is %v, and the library finds none in five years", expression, after, got)
			} else {
				after = got
			}
		}
	})
}
