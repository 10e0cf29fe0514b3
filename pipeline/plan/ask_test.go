package plan

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/fleetlake/fleetlake/extract/api"
	"github.com/fleetlake/fleetlake/pipeline/credits"
)

func rawOperation(name string, price int, parameters map[string]string) api.RawOperation {
	return api.RawOperation{Parameters: parameters, Operation: api.Operation{Name: name, Method: "GET", Path: "/" + name, Credits: price, PerMinute: 15, Raw: true}}
}

var (
	portCalls = rawOperation("port-calls", 5, map[string]string{"imo_or_mmsi": api.AVessel})
	bulk      = rawOperation("bulk", 2, map[string]string{"imo_or_mmsi": api.Vessels})
	history   = rawOperation("history", 5, map[string]string{"imo_or_mmsi": api.AVessel, "date": api.ADay})
	area      = rawOperation("area", 10, map[string]string{"lat": "{lat}"})
)

// asked are the parameters of the questions of a plan.
func asked(d Plan) (all []string) {
	for _, q := range d.Questions {
		for _, r := range q.Requests {
			all = append(all, r.Parameters.Encode())
		}
	}
	return all
}

func TestQuestions(t *testing.T) {
	key := func(number string) string { return "port-calls imo_or_mmsi=" + number }
	day := 24 * time.Hour
	for name, c := range map[string]struct {
		ask     Ask
		vessels string
		asked   map[string]time.Time
		tonight string // a request that the night has the answer to
		budget  int
		want    string
		left    string
	}{
		"never asked":              {ask: Ask{Operation: portCalls}, vessels: "9218301 306256000", want: "imo_or_mmsi=9218301 imo_or_mmsi=306256000"},
		"a vessel twice":           {ask: Ask{Operation: portCalls}, vessels: "9218301 9218301", want: "imo_or_mmsi=9218301"},
		"asked within max_age":     {ask: Ask{Operation: portCalls, MaxAge: 7 * day}, vessels: "9218301", asked: map[string]time.Time{key("9218301"): tonight.Add(-6 * day)}},
		"asked longer ago":         {ask: Ask{Operation: portCalls, MaxAge: 7 * day}, vessels: "9218301", asked: map[string]time.Time{key("9218301"): tonight.Add(-7 * day)}, want: "imo_or_mmsi=9218301"},
		"asked once is for ever":   {ask: Ask{Operation: portCalls}, vessels: "9218301", asked: map[string]time.Time{key("9218301"): tonight.Add(-900 * day)}},
		"the longest wait first":   {ask: Ask{Operation: portCalls, MaxAge: day, MaxRequests: 2}, vessels: "1111111 2222222 3333333", asked: map[string]time.Time{key("1111111"): tonight.Add(-2 * day), key("2222222"): tonight.Add(-3 * day)}, want: "imo_or_mmsi=3333333 imo_or_mmsi=2222222", left: "1 of 3 questions of port-calls are left out: max_requests"},
		"as many as the cap pays":  {ask: Ask{Operation: portCalls}, vessels: "1111111 2222222 3333333", budget: 14, want: "imo_or_mmsi=1111111 imo_or_mmsi=2222222", left: "1 of 3 questions of port-calls are left out: the cap"},
		"all that the cap pays":    {ask: Ask{Operation: portCalls}, vessels: "1111111 2222222 3333333", budget: 15, want: "imo_or_mmsi=1111111 imo_or_mmsi=2222222 imo_or_mmsi=3333333"},
		"an answer of the night":   {ask: Ask{Operation: portCalls, MaxAge: day}, vessels: "1111111", tonight: key("1111111"), budget: 1, want: "imo_or_mmsi=1111111"},
		"several in one request":   {ask: Ask{Operation: bulk}, vessels: "1111111 2222222", want: "imo_or_mmsi=1111111%2C2222222"},
		"those of them that wait":  {ask: Ask{Operation: bulk, MaxAge: day}, vessels: "1111111 2222222", asked: map[string]time.Time{"bulk 1111111": tonight.Add(-time.Hour)}, want: "imo_or_mmsi=2222222"},
		"each day, the newest":     {ask: Ask{Operation: history, From: "2026-11-18"}, vessels: "1111111", want: "date=2026-11-19&imo_or_mmsi=1111111 date=2026-11-18&imo_or_mmsi=1111111"},
		"none that is still ahead": {ask: Ask{Operation: history, From: "2026-11-20", To: "2026-11-22"}, vessels: "1111111", want: "date=2026-11-20&imo_or_mmsi=1111111"},
		"sets of values":           {ask: Ask{Operation: area, Values: []map[string]string{{"lat": "25.2"}, {"lat": "1.2"}}}, want: "lat=25.2 lat=1.2"},
	} {
		t.Run(name, func(t *testing.T) {
			f := Inputs{Now: tonight, Vessels: [][]string{strings.Fields(c.vessels)}, Asked: c.asked, Tonight: map[string]PastAnswer{}}
			if c.tonight != "" {
				f.Tonight[c.tonight] = PastAnswer{}
			}
			d := Decide(Job{Budget: c.budget, List: List{By: "none"}, Asks: []Ask{c.ask}}, f, documented)
			if got := strings.Join(asked(d), " "); got != c.want {
				t.Errorf("asks %q, want %q", got, c.want)
			}
			left := fmt.Sprint(d.LeftOut)
			if c.left == "" && len(d.LeftOut) > 0 || !strings.Contains(left, c.left) {
				t.Errorf("leaves out %s, want %q", left, c.left)
			}
		})
	}
}

// TestBulkQuestionsNameAtMostFifty vessels, which is what the interface allows, and leave none out.
func TestBulkQuestionsNameAtMostFifty(t *testing.T) {
	var vessels []string
	for i := range 120 {
		vessels = append(vessels, fmt.Sprint(1_000_000+i))
	}
	d := Decide(Job{List: List{By: "none"}, Asks: []Ask{{Operation: bulk}}}, Inputs{Now: tonight, Vessels: [][]string{vessels}}, documented)
	var counts []int
	for _, r := range d.Questions[0].Requests {
		counts = append(counts, strings.Count(api.NumberOf(r.Parameters), ",")+1)
	}
	if fmt.Sprint(counts) != "[50 50 20]" {
		t.Errorf("%v vessels a request", counts)
	}
}

// TestQuestionsComeFirst and leave what remains of a cap to the rest: the price is exact, and the list has no more.
func TestQuestionsComeFirst(t *testing.T) {
	job := Job{Budget: 50, List: List{By: "country", Countries: []string{"Malta", "Panama", "Norway", "Chile"}}, Asks: []Ask{{Operation: portCalls}}}
	d := Decide(job, Inputs{Now: tonight, Vessels: [][]string{{"1111111", "2222222", "3333333"}}}, documented)
	if len(d.Questions[0].Requests) != 3 || len(d.Cover) != 3 {
		t.Errorf("%d questions and %d partitions of a cap of 50", len(d.Questions[0].Requests), len(d.Cover))
	}
	if most, _ := d.Allowance.Limit.Get(); d.Total().Most != 50 || most != 50 {
		t.Errorf("price %+v", d.Total())
	}
	a := credits.NewArbiter(credits.AtMost(50), 0)
	a.SetAside(portCalls.Operation, 15)
	if !a.Pays(api.ByType) {
		t.Error("35 credits are left to searches")
	}
	for range 3 {
		if turn := a.Reserve(portCalls.Operation); turn != credits.Now {
			t.Fatalf("a question that has its credits: %v", turn)
		}
	}
	if turn := a.Reserve(portCalls.Operation); turn != credits.Now {
		t.Errorf("a further one of the cap: %v", turn)
	}
}

func TestNumberOfVessel(t *testing.T) {
	for id, want := range map[string]string{"IMO9218301": "9218301", "MMSI306256000": "306256000", "MMSI257000903.2": "257000903", "9218301": "9218301", " 306256000 ": "306256000",
		"": "", "EVER GIVEN": "", "12345678": "", "IMO": ""} {
		if got := NumberOfVessel(id); got != want {
			t.Errorf("%q: %q, want %q", id, got, want)
		}
	}
}
