package extract

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"testing"

	"github.com/fleetlake/fleetlake/extract/api"
	"github.com/fleetlake/fleetlake/extract/journal"
	"github.com/google/go-cmp/cmp"
	"github.com/sourcegraph/conc/iter"
)

// keyed is a service that accepts one key, and the file in which the client finds one.
type keyed struct {
	mu       sync.Mutex
	accepted string
	file     string
	unread   error
	reads    int
	asked    map[string]int // by vessel
	served   map[string]int
}

func (k *keyed) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	k.mu.Lock()
	defer k.mu.Unlock()
	vessel := r.URL.Query().Get("imo_or_mmsi")
	k.asked[vessel]++
	if r.Header.Get("x-api-key") != k.accepted {
		w.WriteHeader(http.StatusUnauthorized)
		fmt.Fprint(w, `{"error":"Unauthorized","message":"Invalid key `+r.Header.Get("x-api-key")+`"}`)
		return
	}
	k.served[vessel]++
	if r.URL.Path == api.Credits.Path {
		fmt.Fprint(w, `{"credits":1000}`)
		return
	}
	fmt.Fprint(w, `{"detail":{"name":"NEWSUN","imo":"9218301"}}`)
}

func (k *keyed) read() (string, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.reads++
	return k.file, k.unread
}

// TestARotatedKeyIsReadAgain changes the key of a service while lookups are in flight: each that is refused is sent once
// more if its file has another key by then, and never otherwise.
func TestARotatedKeyIsReadAgain(t *testing.T) {
	const vessels = 40
	for name, c := range map[string]struct {
		file   string // after the first answers
		unread error
		asked  int // the most requests of one vessel
		fails  bool
	}{
		"the new key is in the file": {"second-key", nil, 2, false},
		"the file has the old key":   {"first-key", nil, 1, true},
		"the file has a wrong key":   {"third-key", nil, 2, true},
		"the file is gone":           {"", errors.New("no such file"), 1, true},
	} {
		t.Run(name, func(t *testing.T) {
			k := &keyed{accepted: "first-key", file: "first-key", asked: map[string]int{}, served: map[string]int{}}
			client, segment := serve(t, 10_000, k.ServeHTTP)
			s := client.service
			s.ReadKey = k.read
			client = NewClient(s, client.budget, segment)
			if _, err := client.Balance(t.Context()); err != nil {
				t.Fatal(err)
			}
			k.mu.Lock()
			k.accepted, k.file, k.unread, k.reads = "second-key", c.file, c.unread, 0
			clear(k.asked)
			k.mu.Unlock()

			errs := make([]error, vessels)
			iter.Iterator[error]{MaxGoroutines: vessels}.ForEachIdx(errs, func(i int, err *error) {
				r := api.Lookup(api.Particulars, strconv.Itoa(9000000+i))
				ticket, refused := client.Admit(t.Context(), r.Operation)
				if refused == nil {
					_, refused = client.Send(t.Context(), ticket, r)
				}
				*err = refused
			})
			for i, err := range errs {
				vessel := strconv.Itoa(9000000 + i)
				if e, ok := errors.AsType[*Error](err); c.fails != ok || ok && e.Outcome != OutcomeUnauthorized || !ok && err != nil {
					t.Errorf("%s: %v", vessel, err)
				}
				if k.asked[vessel] > c.asked || !c.fails && k.served[vessel] != 1 {
					t.Errorf("%s: asked %d times, served %d times", vessel, k.asked[vessel], k.served[vessel])
				}
			}
			if !c.fails && (k.reads != 1 || client.Stats(api.Particulars).Credits != vessels) {
				t.Errorf("the file was read %d times, %d credits", k.reads, client.Stats(api.Particulars).Credits)
			}
		})
	}
}

// TestTheFreeCallIsSentWithARotatedKey, too: a run begins with it.
func TestTheFreeCallIsSentWithARotatedKey(t *testing.T) {
	k := &keyed{accepted: "first-key", file: "first-key", asked: map[string]int{}, served: map[string]int{}}
	client, segment := serve(t, 0, k.ServeHTTP)
	s := client.service
	s.ReadKey = k.read
	client = NewClient(s, client.budget, segment)
	k.accepted, k.file = "second-key", "second-key"
	if left, err := client.Balance(t.Context()); left != 1000 || err != nil {
		t.Errorf("%d credits, %v", left, err)
	}
	var outcomes []string
	for e, err := range journal.Read(segment.Path()) {
		if err != nil {
			t.Fatal(err)
		}
		if e.Kind == journal.KindBalance {
			outcomes = append(outcomes, e.Outcome)
		}
	}
	if diff := cmp.Diff([]string{OutcomeUnauthorized, OutcomeOK}, outcomes); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
