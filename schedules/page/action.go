package page

import (
	"context"
	"fmt"
	"net/http"
	"slices"

	"github.com/fleetlake/fleetlake/pipeline"
	"github.com/fleetlake/fleetlake/pipeline/wording"
	"github.com/fleetlake/fleetlake/schedules/listen/times"
)

// formLimit is more bytes than any form of the page has.
const formLimit = 4 << 10

// postRun starts a job now.
func (s *site) postRun(w http.ResponseWriter, r *http.Request) {
	if !s.fromForm(w, r) {
		return
	}
	job := r.PostFormValue("job")
	schedule, err := s.Config.Schedule()
	if err != nil {
		s.done(w, r, fmt.Errorf("the scheduler does not answer: %w", err))
		return
	}
	if s.RunNow == nil || !slices.Contains(schedule.jobs(), job) {
		s.say(w, http.StatusNotFound, "There is no such job", "Perhaps the schedule has changed since the page was loaded.")
		return
	}
	again := r.PostFormValue("again") != ""
	if !again {
		ctx, cancel := context.WithTimeout(r.Context(), times.Read)
		defer cancel()
		preview, err := s.PriceAgain(ctx, job)
		if err != nil {
			s.say(w, http.StatusConflict, "That did not work", "What the run would cost is not known: "+s.sanitize(err.Error()))
			return
		}
		if preview != nil {
			s.confirm(w, *preview)
			return
		}
	}
	s.done(w, r, s.RunNow(job, again))
}

// confirm asks whether a night that has ended is to be paid for again, and names the price.
func (s *site) confirm(w http.ResponseWriter, p pipeline.Preview) {
	price := "about " + wording.Counted(p.Credits.Expected, "credit")
	lines := []string{fmt.Sprintf("The night of %s for %s has ended. Running it again costs %s", p.Job, p.Date, price)}
	if p.Credits.Most > 0 {
		lines[0] += ", at most " + wording.Count(p.Credits.Most)
	}
	if lines[0] += "."; p.Balance != nil {
		lines[0] += fmt.Sprintf(" The balance is %s.", wording.Count(*p.Balance))
	}
	lines = append(lines, "The answers that the night has paid for are kept either way.")
	send(w, http.StatusOK, s.page(view{Kind: "note", Title: "Pay for the night again?", Version: s.Version, Now: s.Now(), Form: s.form,
		Repeat: &repeat{Job: p.Job, Price: price}, Verdict: Verdict{Level: "warn", Title: "Pay for the night again?", Lines: lines}}))
}

// postStop stops the run that is under way.
func (s *site) postStop(w http.ResponseWriter, r *http.Request) {
	if !s.fromForm(w, r) {
		return
	}
	if s.Config.Stop == nil {
		s.say(w, http.StatusNotFound, "There is nothing to stop", "This process does not run jobs.")
		return
	}
	s.done(w, r, s.Config.Stop())
}

// fromForm reports whether the request comes from a form of this process, and answers it if not.
func (s *site) fromForm(w http.ResponseWriter, r *http.Request) bool {
	r.Body = http.MaxBytesReader(w, r.Body, formLimit)
	if r.ParseForm() == nil && equalSecrets(r.PostForm.Get("form"), s.form) {
		return true
	}
	s.say(w, http.StatusForbidden, "That form is out of date", "fleetlake was restarted since the page was loaded. Open the page again and repeat.")
	return false
}

// done redirects to the page, or says why the action was refused.
func (s *site) done(w http.ResponseWriter, r *http.Request, err error) {
	if err != nil {
		s.say(w, http.StatusConflict, "That did not work", s.sanitize(err.Error()))
		return
	}
	s.status.forget()
	http.Redirect(w, r, "/", http.StatusSeeOther)
}

// jobs lists the jobs of the schedule.
func (s Schedule) jobs() []string {
	var names []string
	for _, slot := range s.Slots {
		if slot.State == "next" && !slices.Contains(names, slot.Job) {
			names = append(names, slot.Job)
		}
	}
	return names
}
