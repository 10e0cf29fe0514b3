package page

import (
	"context"
	"embed"
	"fmt"
	"strings"
	"time"

	"github.com/fleetlake/fleetlake/schedules/page/shown"
	"github.com/fleetlake/fleetlake/warehouse"
)

//go:embed sql/*.sql
var queryFiles embed.FS

var statements = warehouse.Statements{Files: queryFiles}

// record is one row of a result.
type record = shown.Record

// each runs a statement of sql/ and calls take with each row.
func each(ctx context.Context, w *warehouse.Warehouse, name string, take func(record), args ...any) error {
	return shown.Each(ctx, w, statements, name, take, args...)
}

// read fills in what the tables say of the night. The tables have the fleet and the zones of the
// newest night only.
func (n *NightReport) read(ctx context.Context, w *warehouse.Warehouse, newest bool, now time.Time) error {
	var before any // the date of the night before, if there was one
	if n.Before != nil {
		before = n.Before.Date
	}
	runs := strings.Join(n.Night.Runs, ",")
	err := each(ctx, w, "listed", func(r record) { n.Listed, n.ListedBefore = r.Number(0), r.Number(1) }, n.Night.Date, before)
	if err != nil {
		return err
	}
	if err := n.besides(ctx, w); err != nil {
		return err
	}
	if n.Changes, err = changes(ctx, w, n.Night.Date, n.Before == nil); err != nil {
		return err
	}
	if n.Gaps, err = gaps(ctx, w, runs); err != nil {
		return err
	}
	if n.Lanes, err = lanes(ctx, w, n.Night, runs); err != nil {
		return err
	}
	if !newest {
		return nil
	}
	if n.Fleet, err = fleet(ctx, w, n.Night.Date); err != nil {
		return err
	}
	n.World, err = world(ctx, w, n.Night.Date)
	return err
}

// besides finds the nights before and after.
func (n *NightReport) besides(ctx context.Context, w *warehouse.Warehouse) error {
	return each(ctx, w, "neighbours", func(r record) {
		beside := Beside{r.Text(1), r.Text(2)}
		if r.Text(0) == "before" {
			n.Earlier = beside
		} else {
			n.Later = beside
		}
	}, n.Night.Job, n.Night.Date)
}

// Change is one kind of news about vessels.
type Change struct {
	Name, Title, None string
	Was, Now          string // heads of columns; an empty one has no column
	Total             int
	List              string // the address of the whole list; %s is the night
	First             bool   // the first night, on which every vessel is new
	Vessels           []Vessel
}

// Vessel is one vessel with news.
type Vessel struct{ ID, Name, Was, Now, Type string }

// Missing is how many vessels are not listed.
func (c Change) Missing() int { return c.Total - len(c.Vessels) }

// kinds are the kinds of news, each with the statement of its name.
var kinds = []Change{
	{Name: "reflagged", Title: "Reflagged", None: "No vessel changed its flag.", Was: "From", Now: "To", List: "/list/reflaggings?snapshot_date=%s&is_vessel=true"},
	{Name: "renamed", Title: "Renamed", None: "No vessel changed its name.", Was: "Old name", List: "/list/renamings?snapshot_date=%s&is_vessel=true"},
	{Name: "arrived", Title: "New", None: "No vessel joined the list.", Now: "Flag", List: "/list/listed?from_date=%s&is_vessel=true"},
	{Name: "gone", Title: "Gone", None: "No vessel is proved to have left the list.", Was: "Last listed", Now: "Flag", List: "/list/listed?absent_on=%s&is_vessel=true"},
	{Name: "aground", Title: "Aground", None: "No vessel was newly seen aground.", Now: "Flag", List: "/list/episodes?navigational_status=aground&first_date=%s&is_vessel=true"},
}

func changes(ctx context.Context, w *warehouse.Warehouse, date string, first bool) ([]Change, error) {
	var all []Change
	for _, c := range kinds {
		c.List = fmt.Sprintf(c.List, date)
		c.First = first && (c.Name == "arrived" || c.Name == "aground")
		most := maxVessels
		if c.First {
			most = 1 // only its total is wanted
		}
		err := each(ctx, w, c.Name, func(r record) {
			c.Total = r.Number(0)
			c.Vessels = append(c.Vessels, Vessel{r.Text(1), r.Text(2), r.Text(3), r.Text(4), r.Text(5)})
		}, date, most)
		if err != nil {
			return nil, err
		}
		if c.First {
			c.Vessels = nil
		}
		all = append(all, c)
	}
	return all, nil
}

// Gaps are the planned partitions that were not seen whole.
type Gaps struct {
	Total int
	First []Gap
}

// Gap is a partition that was not seen whole. Expected is -1 where the service reported no total.
type Gap struct {
	Operation, Kind, Value, State, Reason string
	Expected, Received                    int
}

// Missing is how many gaps are not listed.
func (g Gaps) Missing() int { return g.Total - len(g.First) }

// leftOuts counts by run the planned partitions that were not requested.
func leftOuts(ctx context.Context, w *warehouse.Warehouse) (map[string]int, error) {
	left := map[string]int{}
	err := each(ctx, w, "left_out", func(r record) { left[r.Text(0)] = r.Number(1) })
	return left, err
}

func gaps(ctx context.Context, w *warehouse.Warehouse, runs string) (g Gaps, err error) {
	err = each(ctx, w, "gaps", func(r record) {
		g.Total = r.Number(0)
		g.First = append(g.First, Gap{r.Text(1), r.Text(2), r.Text(3), r.Text(4), r.Text(5), r.Number(6), r.Number(7)})
	}, runs, maxGaps)
	return g, err
}
