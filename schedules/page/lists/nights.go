package lists

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/fleetlake/fleetlake/schedules/page/shown"
	"github.com/fleetlake/fleetlake/warehouse"
)

// Nights are the nights from one to another.
type Nights struct{ From, To time.Time }

// Words are the nights as people read them.
func (n Nights) Words() string {
	return shown.LongDay(n.From.Format(time.DateOnly)) + " to " + shown.LongDay(n.To.Format(time.DateOnly))
}

// some are the newest nights of these, or the first ones.
func (n Nights) some(days int, first bool) Nights {
	if from := n.To.AddDate(0, 0, 1-days); !first && from.After(n.From) {
		n.From = from
	}
	if to := n.From.AddDate(0, 0, days-1); first && to.Before(n.To) {
		n.To = to
	}
	return n
}

// readNights reads the page of a list that grows every night. Most pages are in the newest nights, which take
// a part of the time of the whole list. A list that is long is counted by the columns of its filters, before any
// other is read, unless they name a vessel, which has few rows; and if more rows are found than can be sorted, it
// is sorted within its newest nights.
func (v *View) readNights(ctx context.Context, w *warehouse.Warehouse, columns []Column, names []string) error {
	published, err := publishedNights(ctx, w)
	if err != nil {
		return err
	}
	all, err := v.allowed(published)
	if err != nil {
		return err
	}
	if v.Between != "" {
		v.only(all)
		v.newest = w.Keeps(v.newestNights()) && v.span == published.some(v.bounds.nights, false)
		return v.readFound(ctx, w, v.Asked, columns, names)
	}
	if !all.From.Equal(all.To) { // one night is counted like a list of its own
		v.Most = v.found
	}
	rows := 0
	if err := shown.Each(ctx, w, statements, "table_rows", func(r shown.Record) { rows = r.Number(0) }, v.table()); err != nil {
		return err
	}
	long, sorted := rows > v.sorted, v.Sort != "" && v.Sort != v.Nights
	if len(v.Filters) > 0 && (!long || slices.ContainsFunc(v.Filters, Filter.namesVessel)) {
		if err := v.readFound(ctx, w, v.Asked, columns, names); err != nil || v.Total <= v.Most {
			return err
		}
	} else {
		if err := v.count(ctx, w, v.Asked, columns); err != nil {
			return err
		}
		if v.Total <= v.Most && (!long || sorted) || v.Total <= v.Page*perPage {
			return v.readPage(ctx, w, v.Asked, columns, names)
		}
	}
	if sorted {
		return v.readSorted(ctx, w, all, long, columns, names)
	}
	oldestFirst := v.Sort != "" && !v.Down
	nights := int(published.To.Sub(published.From).Hours()/24) + 1
	for _, days := range []int{1, v.bounds.nights, 365} {
		if days*rows < nights*v.Page*perPage { // the table has on average too few rows in so many nights
			continue
		}
		if err := v.readPage(ctx, w, v.within(all.some(days, oldestFirst)), columns, names); err != nil || v.More {
			return err
		}
	}
	return v.readPage(ctx, w, v.Asked, columns, names)
}

// readSorted reads the page of a list that is sorted by another column than its nights.
func (v *View) readSorted(ctx context.Context, w *warehouse.Warehouse, all Nights, long bool, columns []Column, names []string) error {
	if long {
		v.only(all)
	}
	a := v.Asked
	if v.Only != nil {
		a = v.within(*v.Only)
		if err := v.count(ctx, w, a, columns); err != nil {
			return err
		}
	}
	return v.readPage(ctx, w, a, columns, names)
}

// only limits the list to its newest nights, if it has more.
func (v *View) only(all Nights) {
	few := all.some(v.bounds.nights, false)
	v.span = few
	if few != all {
		v.Only = &few
	}
}

// within is what is asked for, of some nights.
func (v *View) within(n Nights) Asked {
	a := v.Asked
	a.Filters = append(slices.Clone(a.Filters), Filter{v.Nights, ".from", n.From.Format(time.DateOnly)}, Filter{v.Nights, ".to", n.To.Format(time.DateOnly)})
	return a
}

// Earlier is the address of the same list before the nights that are read.
func (v *View) Earlier() string {
	to := v.Asked
	to.Page = 1
	to.Filters = slices.DeleteFunc(slices.Clone(v.Filters), func(f Filter) bool { return f.Column == v.Nights && f.Relation == ".to" })
	to.Filters = append(to.Filters, Filter{v.Nights, ".to", v.Only.From.AddDate(0, 0, -1).Format(time.DateOnly)})
	return to.query()
}

// publishedNights reads which nights are published; none leaves both ends zero.
func publishedNights(ctx context.Context, w *warehouse.Warehouse) (n Nights, err error) {
	err = shown.Each(ctx, w, statements, "nights", func(r shown.Record) { n.From, _ = r[0].(time.Time); n.To, _ = r[1].(time.Time) })
	return n, err
}

// allowed keeps the nights that the filters allow.
func (v *View) allowed(n Nights) (Nights, error) {
	for _, f := range v.Filters {
		if f.Column != v.Nights || f.Value == "" {
			continue
		}
		day, parsed := time.Parse(time.DateOnly, f.Value)
		if parsed != nil {
			return n, fmt.Errorf("filter %s: want a date such as 2026-11-20: %w", f.Column, ErrAsked)
		}
		if f.Relation != ".to" && day.After(n.From) {
			n.From = day
		}
		if f.Relation != ".from" && day.Before(n.To) {
			n.To = day
		}
	}
	return n, nil
}
