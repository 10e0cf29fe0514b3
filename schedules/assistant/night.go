package assistant

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"time"

	"github.com/fleetlake/fleetlake/warehouse"
)

//go:embed sql
var files embed.FS

var statements = warehouse.Statements{Files: files}

// Night is the newest night of the published file, which each answer carries.
type Night struct {
	Date    string `json:"night" jsonschema:"the newest published night, YYYY-MM-DD"`
	Verdict string `json:"verdict" jsonschema:"whole, partial, broken, held back or none; a count of a night that is not whole lacks what was not searched"`
	Reason  string `json:"reason" jsonschema:"why, in words"`
	Run     string `json:"run" jsonschema:"the run that was published last"`
}

// errNoNight says that the file has no night yet.
var errNoNight = errors.New("no night is published yet")

// tries is how often a question is asked while nights are published meanwhile.
const tries = 3

// dated asks a question, and returns the night that its answer is of.
func (s *Server) dated(ctx context.Context, ask func() error) (Night, error) {
	night, err := s.night(ctx)
	for range tries {
		if err != nil {
			return night, err
		}
		if err := ask(); err != nil {
			return night, err
		}
		before := night
		if night, err = s.night(ctx); err == nil && night == before {
			return night, nil
		}
	}
	return night, errors.Join(err, errors.New("nights were published while this was asked: ask again"))
}

// night is the newest night of the published file.
func (s *Server) night(ctx context.Context) (Night, error) {
	return s.newest.Get(ctx, struct{}{}, s.now())
}

func readNight(ctx context.Context, w *warehouse.Warehouse, _ struct{}, _ time.Time) (Night, error) {
	found, err := warehouse.Collect(ctx, w, statements.Text("night"), func(rows *sql.Rows) (n Night, err error) {
		return n, rows.Scan(&n.Date, &n.Verdict, &n.Reason, &n.Run)
	})
	if err == nil && len(found) == 0 {
		err = errNoNight
	}
	if err != nil {
		return Night{}, fmt.Errorf("read the night: %w", err)
	}
	return found[0], nil
}

// nightsAtMost is how many rows an answer about nights has.
const nightsAtMost = 400

type nightsArguments struct {
	From string `json:"from,omitempty" jsonschema:"the first night, YYYY-MM-DD; without it the newest 14 rows"`
	To   string `json:"to,omitempty" jsonschema:"the last night, YYYY-MM-DD"`
}

type nightsAnswer struct {
	Night  Night      `json:"night"`
	Nights []jobNight `json:"nights" jsonschema:"the newest first; at most 400"`
}

// jobNight is a row of the view nights.
type jobNight struct {
	Date            string `json:"snapshot_date"`
	Job             string `json:"job"`
	Verdict         string `json:"verdict"`
	Reason          string `json:"reason"`
	ByTypeCovered   int    `json:"by_type_covered" jsonschema:"searches of the list that are covered"`
	ByTypeTotal     int    `json:"by_type_total"`
	ByStatusCovered int    `json:"by_status_covered" jsonschema:"status searches that are covered"`
	ByStatusTotal   int    `json:"by_status_total"`
	LeftOut         string `json:"left_out,omitempty" jsonschema:"what was planned and left, with the reason"`
	Runs            int    `json:"runs"`
	Requests        int    `json:"requests"`
	Credits         int64  `json:"credits"`
	PreviousWhole   string `json:"previous_whole_night,omitempty"`
}

// nights answers which nights can be trusted.
func (s *Server) nights(ctx context.Context, a nightsArguments) (answer nightsAnswer, err error) {
	most := 14
	var bounds [2]any
	for i, date := range []string{a.From, a.To} {
		if date == "" {
			continue
		}
		if _, err := time.Parse(time.DateOnly, date); err != nil {
			return answer, fmt.Errorf("%q: want a night, such as 2026-11-20", date)
		}
		bounds[i], most = date, nightsAtMost
	}
	answer.Night, err = s.dated(ctx, func() error {
		return s.files.Read(ctx, func(ctx context.Context, w *warehouse.Warehouse) (err error) {
			answer.Nights, err = warehouse.Collect(ctx, w, statements.Text("nights"), func(rows *sql.Rows) (n jobNight, err error) {
				return n, rows.Scan(&n.Date, &n.Job, &n.Verdict, &n.Reason, &n.ByTypeCovered, &n.ByTypeTotal, &n.ByStatusCovered, &n.ByStatusTotal,
					&n.LeftOut, &n.Runs, &n.Requests, &n.Credits, &n.PreviousWhole)
			}, bounds[0], bounds[1], most)
			return err
		})
	})
	if answer.Nights == nil {
		answer.Nights = []jobNight{}
	}
	return answer, err
}
