package warehouse

import (
	"context"
	"database/sql"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Kinds of parameters: what a value must be. A parameter of another kind, or of none, takes any text.
const (
	ParamNight    = "night"    // a date of the nights of the file
	ParamMoment   = "moment"   // a night, or an instant between the first night and the last
	ParamVessel   = "vessel"   // a vessel_id, an IMO number or an MMSI that a vessel has or had
	ParamZone     = "zone"     // a value of world_zones
	ParamFlag     = "flag"     // an ISO 3166 code
	ParamCategory = "category" // a category of types
	ParamStatus   = "status"   // a value of navigational_statuses
	ParamLoad     = "load"     // a load that status searches can be for
	ParamCompany  = "company"  // a company_id, or a name that company_names has
)

// listedParams are the kinds with a list of values, which sql/params reads.
var listedParams = []string{ParamVessel, ParamZone, ParamFlag, ParamCategory, ParamStatus, ParamLoad, ParamCompany}

// maxChoices is how many values a form offers to choose from.
const maxChoices = 400

// CheckParams returns an error that wraps ErrStatement if a value is none that its parameter can have: with the nearest
// right ones, or with the nights of the file. A parameter that the query does not have is not its concern.
func (w *Warehouse) CheckParams(ctx context.Context, q WorkedQuery, params map[string]string) error {
	for name, value := range params {
		i := slices.IndexFunc(q.Params, func(p Parameter) bool { return strings.EqualFold(p.Name, name) })
		if i < 0 {
			continue
		}
		if err := w.checkParam(ctx, q.Params[i], value); err != nil {
			return err
		}
	}
	return nil
}

func (w *Warehouse) checkParam(ctx context.Context, p Parameter, value string) error {
	wrong := func(words string, arguments ...any) error {
		return &cause{fmt.Sprintf("%s=%s: ", p.Name, value) + fmt.Sprintf(words, arguments...), ErrStatement}
	}
	if p.Kind == ParamNight || p.Kind == ParamMoment {
		var night, moment, outside bool
		var first, last string
		if err := w.db.QueryRowContext(ctx, statement("read/nights_of_file"), value).Scan(&night, &moment, &outside, &first, &last); err != nil {
			return fmt.Errorf("check %s: %w", p.Name, unwrapped(err))
		}
		switch {
		case p.Kind == ParamNight && !night:
			return wrong("want a night, such as %s", last)
		case !night && !moment:
			return wrong("want a night, such as %s, or an instant, such as %sT12:00:00Z", last, last)
		case outside:
			return wrong("the data have the nights from %s to %s", first, last)
		}
		return nil
	}
	if !slices.Contains(listedParams, p.Kind) {
		return nil
	}
	sought := value
	if p.Kind == ParamVessel || p.Kind == ParamCompany {
		sought = strings.ToUpper(strings.TrimSpace(value))
	}
	var known bool
	var nearest string
	if err := w.db.QueryRowContext(ctx, filled("read/nearest", statement("params/"+p.Kind)), sought).Scan(&known, &nearest); err != nil {
		return fmt.Errorf("check %s: %w", p.Name, unwrapped(err))
	}
	if !known {
		return wrong("no %s of the data; the nearest: %s", p.Kind, nearest)
	}
	return nil
}

// Choices returns the values that a parameter can have, in their order; nil if it takes others, or if there are more than a
// form can offer.
func (w *Warehouse) Choices(ctx context.Context, p Parameter) (values []string, err error) {
	if p.Kind == ParamVessel || p.Kind == ParamCompany || !slices.Contains(listedParams, p.Kind) {
		return nil, nil
	}
	values, err = collectRows(ctx, w.db, nil, "FROM ("+statement("params/"+p.Kind)+") AS v(value) ORDER BY value", func(rows *sql.Rows) (v string, err error) { return v, rows.Scan(&v) })
	if len(values) > maxChoices {
		return nil, err
	}
	return values, err
}

// With returns the SQL of a worked query with values in the place of the parameters that have one, so that the text
// alone gives the same answer.
func (q WorkedQuery) With(params map[string]string) string {
	return variable.ReplaceAllStringFunc(q.Text, func(reading string) string {
		name := variable.FindStringSubmatch(reading)[1]
		for n, value := range params {
			if strings.EqualFold(n, name) {
				return quote(value)
			}
		}
		return reading
	})
}

// paramLine is a line of the comment that describes a parameter, with its kind in parentheses.
var paramLine = regexp.MustCompile(`^param\s+([A-Za-z_][A-Za-z0-9_]*)\s*(?:\(([a-z]+)\))?\s*:\s*(.*)$`)
