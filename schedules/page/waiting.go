package page

import (
	"fmt"
	"iter"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/fleetlake/fleetlake/pipeline/wording"
	"github.com/fleetlake/fleetlake/warehouse/worker"
	"github.com/sourcegraph/conc"
)

// soon is how long a page waits for the answer of a statement before it begins without it, and sayEvery how often it
// says then that it waits, so that nobody on the way takes the connection for a dead one.
const soon, sayEvery = time.Second, 5 * time.Second

// question is a statement that is being answered.
type question struct {
	began    time.Time
	answered chan struct{} // closed when there is an answer or a problem

	mu       sync.Mutex
	progress worker.Progress
	changed  chan struct{} // has an element when progress changed
}

func (q *question) tell(p worker.Progress) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.progress = p
	select {
	case q.changed <- struct{}{}:
	default:
	}
}

// words say what the statement waits for, and for how long it may.
func (s *site) words(q *question) string {
	select {
	case <-q.changed: // these words say it
	default:
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	took := wording.Duration(time.Since(q.began).Round(time.Second))
	if q.progress.Running {
		return fmt.Sprintf("The statement has run for %s, of at most %s.", took, wording.Duration(s.Times.Statement))
	}
	before := "It is the next"
	if n := q.progress.Before; n > 0 {
		before = "Before it: " + wording.Counted(n, "statement")
	}
	return fmt.Sprintf("The statement has waited %s for its turn, of at most %s. %s.", took, wording.Duration(s.Times.Queue), before)
}

// answer runs a statement, and serves its answer. A browser gets the top of the page soon, and the rest when it is
// there; the statement ends if it leaves before. Others get the answer whole, with its status.
func (s *site) answer(w http.ResponseWriter, r *http.Request, v AskView) {
	q := &question{began: time.Now(), answered: make(chan struct{}), changed: make(chan struct{}, 1)}
	status := http.StatusOK
	var running conc.WaitGroup
	running.Go(func() {
		defer close(q.answered)
		answer, err := s.Ask(r.Context(), v.SQL, q.tell)
		v.Took = wording.Duration(time.Since(q.began))
		if err != nil {
			status = s.failed(&v, err)
			return
		}
		v.Answer = &answer
		v.draw()
	})
	defer running.Wait()
	late := time.NewTimer(soon)
	defer late.Stop()
	if strings.Contains(r.Header.Get("Accept"), "text/html") {
		select {
		case <-q.answered:
		case <-late.C:
			v.Waits = s.waits(w, q)
			s.sendSlowly(w, r, &v)
			return
		}
	}
	<-q.answered
	send(w, status, s.page(s.askView(&v)))
}

// waits sends what the page has, and yields what the statement waits for, until it is answered.
func (s *site) waits(w http.ResponseWriter, q *question) iter.Seq[string] {
	return func(yield func(string) bool) {
		tick := time.NewTicker(sayEvery)
		defer tick.Stop()
		for yield(s.words(q)) {
			allowTime(w, s.Times.Page)
			_ = http.NewResponseController(w).Flush() // a client that disconnected ends the statement
			select {
			case <-q.answered:
				allowTime(w, s.Times.Page)
				return
			case <-q.changed:
			case <-tick.C:
			}
		}
	}
}

// sendSlowly sends a page while it is made.
func (s *site) sendSlowly(w http.ResponseWriter, r *http.Request, v *AskView) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("X-Accel-Buffering", "no") // a proxy that collects the page would keep what it says
	if err := templates().ExecuteTemplate(w, "page.html", s.framed(s.askView(v))); err != nil {
		s.Log.Info("a page was not sent whole", "path", r.URL.Path, "error", err)
		panic(http.ErrAbortHandler)
	}
}
