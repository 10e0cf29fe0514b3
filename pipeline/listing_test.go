package pipeline

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"

	"github.com/fleetlake/fleetlake/extract"
	"github.com/fleetlake/fleetlake/extract/api"
	"github.com/fleetlake/fleetlake/extract/journal"
	"github.com/fleetlake/fleetlake/pipeline/credits"
	"github.com/fleetlake/fleetlake/pipeline/plan"
	"github.com/fleetlake/fleetlake/pipeline/report"
	"github.com/fleetlake/fleetlake/transform"
)

func TestPagingAsksEveryPageOnce(t *testing.T) {
	cases := map[string]struct {
		totals []int // by page, from the first
		rows   []int
		want   int // pages asked
	}{
		"an empty partition":            {[]int{0}, []int{0}, 1},
		"one page":                      {[]int{100}, []int{100}, 1},
		"three pages":                   {[]int{201, 201, 201}, []int{100, 100, 1}, 3},
		"a total that grows on the way": {[]int{200, 301, 301, 301}, []int{100, 100, 100, 1}, 4},
		"a page past the end":           {[]int{200, 0}, []int{100, 0}, 2},
		"no total at all":               {[]int{-1, -1, -1}, []int{100, 100, 7}, 3},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			l := newListing(plan.Plan{Cover: []plan.Partition{{Country: "Malta", Expected: -1}}}, true)
			s, _ := testSpending(l, credits.Limit{})
			var asked []string
			for {
				r, ok := l.queue.pop(t.Context())
				if !ok {
					break
				}
				n := len(asked)
				asked = append(asked, r.Parameters.Get("page"))
				s.listed(l.answer(r, extract.Answer{Contents: api.Contents{Rows: c.rows[n], Total: c.totals[n]}}))
				l.queue.close()
				s.requestEnded()
			}
			var want []string
			for i := range c.want {
				want = append(want, fmt.Sprint(i+1))
			}
			if !slices.Equal(asked, want) {
				t.Errorf("asked for pages %v, want %v", asked, want)
			}
			suspect := c.totals[0] < 0 // nothing says that the last page is the last
			if fate := fateOfFirst(s); (fate.State == report.Suspect) != suspect || l.cover[0].complete() == suspect {
				t.Errorf("the partition is %+v", fate)
			}
		})
	}
}

// TestAPageWithoutRowsBuysNoMore reads pages as a harvest does, and compares what paging counts with the rows that the
// lake gets: where these are none, no further page is asked.
func TestAPageWithoutRowsBuysNoMore(t *testing.T) {
	vessels := func(vessel string) string { return strings.TrimSuffix(strings.Repeat(vessel+",", 100), ",") }
	listed := vessels(`{"imo":"9074729","name":"A"}`)
	for name, c := range map[string]struct {
		body  string // of every page
		rows  int    // that have a vessel in the lake
		asked int    // of the four pages
	}{
		"a page":                        {`{"total":400,"items":[` + listed + `]}`, 100, 4},
		"keys in capitals":              {`{"Total":400,"Items":[` + listed + `]}`, 100, 4},
		"a page in detail":              {`{"detail":{"total":400,"items":[` + listed + `]}}`, 100, 4},
		"items twice":                   {`{"total":400,"items":[` + listed + `],"items":[]}`, 0, 1},
		"a total twice":                 {`{"total":400,"total":500,"items":[` + listed + `]}`, 0, 1},
		"items that are numbers":        {`{"total":400,"items":[` + vessels("7") + `]}`, 0, 1},
		"items under another key":       {`{"total":400,"vessels":[` + listed + `]}`, 0, 1},
		"vessels without a number":      {`{"total":400,"items":[` + vessels(`{"name":"A"}`) + `]}`, 0, 1},
		"vessels with a refused number": {`{"total":400,"items":[` + vessels(`{"imo":"9074720"}`) + `]}`, 0, 1},
		"a torn page":                   {`{"total":400,"items":[` + listed, 0, 1},
	} {
		t.Run(name, func(t *testing.T) {
			rows := 0
			l := newListing(plan.Plan{Cover: []plan.Partition{{Country: "Malta", Expected: -1}}}, true)
			l.onVessel = func(transform.Listed) { rows++ }
			s, _ := testSpending(l, credits.Limit{})
			asked := 0
			for {
				r, ok := l.queue.pop(t.Context())
				if !ok {
					break
				}
				asked++
				body := strings.ReplaceAll(c.body, `"A"`, fmt.Sprintf(`"A %d"`, asked))
				contents, err := api.Read(r.Operation, body)
				if e := (journal.Entry{Operation: r.Operation.Name, Parameters: r.Parameters.Encode(), Body: body}); err == nil {
					if asked > 1 { // another page: the same one again would end the paging
						e.Body = strings.ReplaceAll(body, "9074729", []string{"9218301", "9811000", "9742170"}[asked-2])
					}
					s.listed(l.answer(r, extract.Answer{Entry: e, Contents: contents}))
				}
				l.queue.close()
				s.requestEnded()
			}
			if asked != c.asked || rows != c.rows*asked {
				t.Errorf("%d pages asked, %d rows; want %d pages of %d rows", asked, rows, c.asked, c.rows)
			}
		})
	}
}

// TestPagingAndCoverageAgree reads the pages of a partition as a harvest does, and as the lake does: of the same bodies
// both find the same. A list that moved while it was read ends the night as one that was read, and proves nobody gone.
func TestPagingAndCoverageAgree(t *testing.T) {
	vessels := func(from, rows int) string {
		var all []string
		for i := range rows {
			all = append(all, fmt.Sprintf(`{"mmsi":"%d","name":"V%d"}`, 200_000_000+from+i, from+i))
		}
		return "[" + strings.Join(all, ",") + "]"
	}
	page := func(total, from, rows int) string {
		return fmt.Sprintf(`{"total":%d,"items":%s}`, total, vessels(from, rows))
	}
	for name, c := range map[string]struct {
		bodies []string // by page
		state  string   // of the coverage
		fate   string   // of the paging
	}{
		"all vessels":                {[]string{page(120, 0, 100), page(120, 100, 20)}, "complete", "answered"},
		"no vessel":                  {[]string{page(0, 0, 0)}, "complete", "answered"},
		"keys in capitals":           {[]string{`{"Total":2,"Items":` + vessels(0, 2) + `}`}, "complete", "answered"},
		"a page in detail":           {[]string{`{"detail":{"items":` + vessels(0, 2) + `,"total":2}}`}, "complete", "answered"},
		"a page in detail, no total": {[]string{`{"detail":{"items":` + vessels(0, 2) + `}}`}, "suspect", "suspect"},
		"items twice, the same":      {[]string{`{"total":0,"items":[],"items":[]}`}, "complete", "answered"},
		"items twice":                {[]string{`{"total":2,"items":` + vessels(0, 2) + `,"items":[]}`}, "failed", "unread"},
		"a second page that is torn": {[]string{page(120, 0, 100), `{"total":120,"items":[`}, "partial", "unread"},
		"a short page":               {[]string{page(120, 0, 100), page(120, 100, 19)}, "suspect", "suspect"},
		"a first page that is short": {[]string{page(120, 0, 99), page(120, 100, 20)}, "suspect", "suspect"},
		"a last page that is long":   {[]string{page(120, 0, 100), page(120, 100, 21)}, "suspect", "suspect"},
		"a page that repeats":        {[]string{page(200, 0, 100), page(200, 0, 100)}, "suspect", "suspect"},
		"pages that overlap":         {[]string{page(150, 0, 100), page(150, 99, 50)}, "suspect", "suspect"},
		"an empty page among others": {[]string{page(250, 0, 100), page(0, 0, 0), page(250, 200, 50)}, "suspect", "suspect"},
		"an empty last page":         {[]string{page(101, 0, 100), page(0, 0, 0)}, "suspect", "answered"},
		"a total that shrinks":       {[]string{page(120, 0, 100), page(119, 100, 19)}, "suspect", "answered"},
		"a total that grows":         {[]string{page(120, 0, 100), page(121, 100, 21)}, "suspect", "answered"},
		"a total that moves twice":   {[]string{page(250, 0, 100), page(251, 100, 100), page(249, 200, 49)}, "suspect", "answered"},
		"it moves, and one is short": {[]string{page(120, 0, 100), page(121, 100, 19)}, "suspect", "suspect"},
		"an impossible total":        {[]string{page(-7, 0, 7)}, "suspect", "suspect"},
		"more than the world has":    {[]string{page(3_000_000, 0, 100)}, "suspect", "suspect"},
		"a page past the end":        {[]string{page(100, 0, 100), page(0, 0, 0)}, "complete", "answered"},
		"vessels past the end":       {[]string{page(100, 0, 100), page(100, 100, 3)}, "suspect", "suspect"},
	} {
		t.Run(name, func(t *testing.T) {
			l := newListing(plan.Plan{Cover: []plan.Partition{{Country: "Malta", Expected: -1, Pages: len(c.bodies)}}}, true)
			l.ahead = len(c.bodies)
			s, _ := testSpending(l, credits.AtMost(1000))
			b := transform.NewBatch()
			for n, body := range c.bodies {
				r := api.Page("", "Malta", n+1)
				e := journal.Entry{N: n + 1, Kind: journal.KindAnswer, Operation: r.Operation.Name, Parameters: r.Parameters.Encode(), Status: 200, Outcome: extract.OutcomeOK}
				e.SetBody([]byte(body))
				contents, err := api.Read(r.Operation, body)
				if err != nil {
					e.Outcome = extract.OutcomeUnreadable
				} else {
					l.answer(r, extract.Answer{Entry: e, Contents: contents})
				}
				b.Add(journal.Exchange{Entry: e})
			}
			state := ""
			if err := b.Write(transform.Coverage, func(r arrow.Record) error {
				state = r.Column(r.Schema().FieldIndices("state")[0]).ValueStr(0)
				return nil
			}); err != nil {
				t.Fatal(err)
			}
			p, fate := l.cover[0], "unread"
			switch f := fateOfFirst(s); {
			case f == report.Answered || f == report.CarriedOver:
				fate = "answered"
			case f.State == report.Suspect:
				fate = "suspect"
			}
			if state != c.state || fate != c.fate {
				t.Errorf("the coverage is %s and the fate %s, want %s and %s", state, fate, c.state, c.fate)
			}
			if v := p.verdict(); v.Whole() != (state == "complete") || p.complete() != (fate == "answered") {
				t.Errorf("%+v, complete: %v", v, p.complete())
			}
		})
	}
}

// fateOfFirst is what became of the first partition of a spending's listing.
func fateOfFirst(s *spending) report.Fate {
	h := harvest{listing: s.work.listing, spending: s, requests: newRequestLog()}
	return h.fateOfPartition(h.listing.cover[0])
}
