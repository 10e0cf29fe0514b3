package news

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/fleetlake/fleetlake/warehouse"
)

// Line is a line of the change feed: a night, a piece of its news, or the end.
//
// Programs read the feed to its end, and go on from the id of the end. So they get every night once, in the order of nights,
// and one that is published late in the feed after its publishing. A night that got another run comes again, and so does
// every night if runs were rolled back: the same news has the same id then.
type Line struct {
	ID   string `json:"id"`
	Kind string `json:"kind"` // night, end, or one of Kinds

	Night    string     `json:"night,omitempty"`
	Verdict  string     `json:"verdict,omitempty"` // of a night
	Reason   string     `json:"reason,omitempty"`  // likewise
	VesselID string     `json:"vessel_id,omitempty"`
	Name     string     `json:"name,omitempty"`
	Was      string     `json:"was,omitempty"`
	Now      string     `json:"now,omitempty"`
	Before   *time.Time `json:"not_before,omitempty"`
	After    *time.Time `json:"not_after,omitempty"`
	Run      string     `json:"run,omitempty"`
	Entry    *int       `json:"entry,omitempty"`
}

// Kinds of lines that are no news.
const (
	KindNight = "night"
	KindEnd   = "end"
)

// ErrSince says that a feed cannot begin where it should.
var ErrSince = errors.New("want a night, such as 2026-11-20, or the id of the last line of a feed")

// cursor is what a reader of the feed has: each run up to the newest, of which so many were published, but for those that
// are missing.
type cursor struct {
	newest  string
	count   int64
	missing []string
}

const runPattern = `[0-9]{8}T[0-9]{6}\.[0-9]{3}Z-[0-9a-f]{4}`

var cursorPattern = regexp.MustCompile(`^(` + runPattern + `)\.([0-9]{1,9})((?:~` + runPattern + `)*)$`)

func (c cursor) String() string {
	return strings.Join(append([]string{c.newest + "." + strconv.FormatInt(c.count, 10)}, c.missing...), "~")
}

// start reads where a feed begins: after a cursor, or with a night.
func start(since string) (c cursor, night string, err error) {
	c.missing = []string{}
	if _, err := time.Parse(time.DateOnly, since); err == nil {
		return c, since, nil
	}
	parts := cursorPattern.FindStringSubmatch(since)
	if parts == nil {
		return c, "", fmt.Errorf("%q: %w", since, ErrSince)
	}
	c.newest = parts[1]
	c.count, err = strconv.ParseInt(parts[2], 10, 64)
	if parts[3] != "" {
		c.missing = strings.Split(parts[3][1:], "~")
	}
	return c, "0001-01-01", err
}

// chunk is how many nights are read at a time, so that years of them are not held.
const chunk = 31

// Feed gives the lines of the change feed since a night, or after the end of an earlier feed, in the order of nights. Its
// errors are ErrSince, those of emit, and those of reading, as warehouse.Warehouse describes.
func Feed(ctx context.Context, w *warehouse.Warehouse, since string, emit func(Line) error) error {
	from, first, err := start(since)
	if err != nil {
		return err
	}
	ends, err := warehouse.Collect(ctx, w, statements.Text("cursor"), scanCursor)
	if err != nil {
		return err
	}
	nights, err := warehouse.Collect(ctx, w, statements.Text("feed_nights"), func(rows *sql.Rows) (l Line, err error) {
		err = rows.Scan(&l.Night, &l.Run, &l.Verdict, &l.Reason)
		l.Kind, l.ID = KindNight, l.Night+"/"+l.Run
		return l, err
	}, from.newest, from.count, from.missing, first)
	if err != nil {
		return err
	}
	for len(nights) > 0 {
		part := nights[:min(chunk, len(nights))]
		nights = nights[len(part):]
		if err := emitNights(ctx, w, part, emit); err != nil {
			return err
		}
	}
	if ends[0].newest == "" {
		return nil // no night is published, from which one could go on
	}
	return emit(Line{ID: ends[0].String(), Kind: KindEnd})
}

// scanCursor reads the cursor of a file that was read to its end.
func scanCursor(rows *sql.Rows) (c cursor, err error) {
	var newest sql.NullString
	var missing []any
	err = rows.Scan(&newest, &c.count, &missing)
	for _, run := range missing {
		c.missing = append(c.missing, fmt.Sprint(run))
	}
	c.newest = newest.String
	return c, err
}

// emitNights gives nights, each with its news.
func emitNights(ctx context.Context, w *warehouse.Warehouse, nights []Line, emit func(Line) error) error {
	items, err := Between(ctx, w, nights[0].Night, nights[len(nights)-1].Night, nil)
	if err != nil {
		return err
	}
	for _, night := range nights {
		if err := emit(night); err != nil {
			return err
		}
		for len(items) > 0 && items[0].Night <= night.Night {
			if items[0].Night == night.Night {
				if err := emit(items[0].line()); err != nil {
					return err
				}
			}
			items = items[1:]
		}
	}
	return nil
}

// line is the news in the feed. Its id says the night, and stays the same in every file that has the news.
func (i Item) line() Line {
	what := i.Key()
	if i.After != nil {
		what += i.After.UTC().Format(time.RFC3339Nano) // a value may change there and back in one night
	}
	l := Line{ID: fmt.Sprintf("%s/%x", i.Night, sha256.Sum256([]byte(what)))[:len(i.Night)+33], Kind: i.Kind, Night: i.Night, VesselID: i.VesselID,
		Name: i.Name, Was: i.Was, Now: i.Now, Before: i.Before, After: i.After, Run: i.Run}
	if i.Entry >= 0 {
		l.Entry = &i.Entry
	}
	return l
}
