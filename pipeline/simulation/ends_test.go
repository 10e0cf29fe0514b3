package simulation

import (
	"slices"
	"strings"
	"time"

	"github.com/fleetlake/fleetlake/extract/api"
	"github.com/fleetlake/fleetlake/pipeline/plan"
	"github.com/fleetlake/fleetlake/pipeline/report"
)

// checkEnd checks what a run left out, against what it could have paid for. Room is how many credits it
// could still have spent.
func (w *world) checkEnd(job plan.Job, r report.Report, s *segment, room int) {
	segments := w.publishedSegments()
	c := coverageOf(s, segments)
	w.checkPlanned(job, s, c)
	w.checkTwice(s, segments)
	w.checkFreshness(job, s, segments)
	if w.faulty {
		return
	}
	cheapest := -1
	for k := range wanted(job, c) {
		if c.fresh[k] || c.checks[k] || c.isWhole(k) {
			continue
		}
		if price := c.missing(k, segments); cheapest < 0 || price < cheapest {
			cheapest = price
		}
	}
	switch {
	case s.state == report.StateDone && cheapest >= 0:
		w.fail("end", "%s is done, and a search that it planned is not complete", s.Run)
	case s.state != report.StateDone && cheapest < 0:
		w.fail("end", "%s is %s, and has everything of %d searches: %s", s.Run, s.state, len(wanted(job, c)), r.Reason)
	case s.state != report.StateDone && cheapest <= room:
		w.fail("money", "%s is %s: %d credits were left, and a search for at most %d is left out: %s", s.Run, s.state, room, cheapest, r.Reason)
	}
	w.checkLookups(job, s, segments, room)
}

// checkTwice checks that no run buys a page or a status search that a run which it resumes has.
func (w *world) checkTwice(s *segment, segments map[string]*segment) {
	bought := map[string]bool{}
	for _, run := range append(slices.Clone(s.Continues), s.Run) {
		if segments[run] == nil {
			continue
		}
		for _, e := range segments[run].entries {
			k, n := searchOf(e.Operation, e.Parameters)
			if !e.ok() || n == 0 {
				continue
			}
			if bought[e.Operation+e.Parameters] {
				w.fail("money", "%s bought page %d of %s %s, which its night has", run, n, k.kind, k.value)
			}
			bought[e.Operation+e.Parameters] = true
		}
	}
}

// isWhole reports whether there is nothing left to request of a search, whether or not its answers are
// believed.
func (c covered) isWhole(k search) bool {
	pages, total := c.pages[k], 0
	for _, p := range pages {
		total = max(total, p.total)
	}
	return len(pages) >= max(1, (total+api.PageSize-1)/api.PageSize)
}

// missing is the most that the rest of a search can cost, by all that was ever known of it.
func (c covered) missing(k search, segments map[string]*segment) int {
	if k.kind == "status" {
		return api.ByStatus.Credits
	}
	vessels := c.expected[k]
	for _, s := range segments {
		for _, a := range s.answers {
			if a.search == k {
				vessels = max(vessels, a.total)
			}
		}
	}
	return api.ByType.Credits * (max(1, (vessels+api.PageSize-1)/api.PageSize) - len(c.pages[k]))
}

// wanted returns the searches of a job. What the cheapest list is, only its plan says.
func wanted(job plan.Job, c covered) map[search]bool {
	want := map[search]bool{}
	for _, status := range job.Sweep.Statuses {
		zoned, _ := api.StatusNamed(status)
		for _, zone := range job.Sweep.Zones {
			if !zoned.Zoned && len(job.Sweep.Zones) == len(api.Zones) {
				zone = "" // one search of the world
			}
			want[search{"status", strings.Trim(status+"/"+zone, "/")}] = true
		}
	}
	countries, planned := job.List.Countries, false
	for k := range c.expected {
		if job.List.By == "cheapest" && k.kind != "status" {
			want[k], planned = true, true
		}
	}
	if job.List.By != "none" && len(countries) == 0 && !planned {
		countries = api.Countries
	}
	for _, country := range countries {
		want[search{"country", strings.ToLower(strings.TrimSpace(country))}] = true
	}
	return want
}

// checkPlanned checks that a run without a cap planned or skipped each search of its job, and that none
// requested another.
func (w *world) checkPlanned(job plan.Job, s *segment, c covered) {
	want := wanted(job, c)
	for k := range want {
		if _, planned := c.expected[k]; !planned && s.Budget == 0 {
			w.fail("end", "%s neither planned nor skipped %s %s", s.Run, k.kind, k.value)
		}
	}
	for _, e := range s.entries {
		if k, n := searchOf(e.Operation, e.Parameters); e.Kind == "intent" && n > 0 && !want[k] {
			w.fail("money", "%s requested %s %s, which its job does not list", s.Run, k.kind, k.value)
		}
	}
}

// checkFreshness checks that a run bought nothing again that the job wants only after some time, and
// skipped only what is fresh. It does so once, when the run has ended.
func (w *world) checkFreshness(job plan.Job, s *segment, segments map[string]*segment) {
	seen := w.compared[s.Run]
	w.compared[s.Run] = true
	if seen || w.night.event == "clock" { // then times are not comparable, on later nights either
		return
	}
	night := map[string]bool{s.Run: true}
	for _, run := range s.Continues {
		night[run] = true
	}
	last := map[search]time.Time{}
	for _, other := range segments {
		if night[other.Run] || other.Run > s.Run || w.later && !w.basis[other.Run] {
			continue
		}
		for k := range coverageOf(other, segments).completed() {
			if other.started().After(last[k]) {
				last[k] = other.started()
			}
		}
	}
	bought := map[search]bool{}
	for _, e := range s.entries {
		if k, n := searchOf(e.Operation, e.Parameters); e.Kind == "intent" && n > 0 {
			bought[k] = true
		}
	}
	for _, p := range s.Partitions {
		k, age := search{p.Kind, p.Value}, job.List.MaxAge
		switch {
		case p.Kind == "status":
			age = job.Sweep.Every
		case p.Check:
			age = 7 * 24 * time.Hour
			fallthrough
		default:
			k.value = strings.ToLower(strings.TrimSpace(p.Value))
		}
		fresh := s.started().Sub(last[k]) < age
		if bought[k] && p.Skipped == "" && fresh { // the night itself may have its answers
			w.fail("money", "%s buys %s %s, which was covered at %v", s.Run, k.kind, k.value, last[k])
		}
		if strings.HasPrefix(p.Skipped, "covered at") && s.started().Sub(last[k]) >= 7*24*time.Hour {
			w.fail("end", "%s skipped %s %s as fresh, which was covered at %v", s.Run, k.kind, k.value, last[k])
		}
	}
}

// lookups returns when each number was last looked up, and whether no vessel was found then.
func lookups(segments map[string]*segment) (last map[string]time.Time, unknown map[string]bool) {
	last, unknown = map[string]time.Time{}, map[string]bool{}
	for _, s := range segments {
		for _, e := range s.entries {
			if e.Kind == "answer" && isLookup(e.Operation) && (e.ok() || e.Outcome == "not_found") && e.Sent.After(last[e.Parameters]) {
				last[e.Parameters], unknown[e.Parameters] = e.Sent, !e.ok()
			}
		}
	}
	return last, unknown
}

// lookedUp returns the answers to the lookups of a run. Of those that arrive together the ones with a vessel come
// last: in which order the run has read them is not known.
func lookedUp(s *segment) (answers []entry) {
	for _, e := range s.entries {
		if e.Kind == "answer" && isLookup(e.Operation) {
			answers = append(answers, e)
		}
	}
	slices.SortStableFunc(answers, func(a, b entry) int {
		c := a.Received.Compare(b.Received)
		switch {
		case c != 0 || a.ok() == b.ok():
			return c
		case b.ok():
			return -1
		}
		return 1
	})
	return answers
}

// checkPace checks that no vessel was looked up that another night did within the last 20 hours.
func (w *world) checkPace(s *segment, segments map[string]*segment) {
	if w.night.event == "clock" {
		return
	}
	before := map[string]time.Time{}
	for _, other := range segments {
		if other.Run >= s.Run || slices.Contains(s.Continues, other.Run) || w.later && !w.basis[other.Run] {
			continue
		}
		for _, e := range other.entries {
			if e.Kind == "answer" && isLookup(e.Operation) && e.ok() && e.Sent.After(before[e.Operation+e.Parameters]) {
				before[e.Operation+e.Parameters] = e.Sent
			}
		}
	}
	for _, e := range s.entries {
		if at := before[e.Operation+e.Parameters]; e.Kind == "intent" && isLookup(e.Operation) && !at.IsZero() && s.started().Sub(at) < 20*time.Hour && s.started().After(at) {
			w.fail("money", "%s: %s %s was looked up %v before", s.Run, e.Operation, e.Parameters, s.started().Sub(at))
		}
	}
}

func isLookup(operation string) bool {
	return operation == api.Particulars.Name || operation == api.Info.Name || operation == api.Location.Name
}

// checkLookups checks that no vessel was looked up twice within a day, and that none on tonight's list
// that never was is left out while there is room for it.
func (w *world) checkLookups(job plan.Job, s *segment, segments map[string]*segment, room int) {
	if len(job.Lookup.Want) == 0 {
		return
	}
	made, requests, found := 0, 0, map[string]bool{} // of the night
	for _, run := range append(slices.Clone(s.Continues), s.Run) {
		foundHere, row, checks := map[string]bool{}, map[string]int{}, map[string]int{} // of the run, by operation
		for _, e := range lookedUp(segments[run]) {
			requests++
			if !e.ok() && e.Outcome != "not_found" {
				continue
			}
			key := e.Operation + e.Parameters
			before, again := found[key]
			if !again {
				made++
			}
			// After more than three lookups in a row that find no vessel, the run repeats one that found its own: if that
			// finds none either, the service is away, and those of the row are repeated, which is free. Other answers
			// may arrive while this request waits for its turn.
			if row[e.Operation]++; e.ok() {
				row[e.Operation] = 0
			} else if row[e.Operation]%4 == 0 {
				checks[e.Operation]++
			}
			if before && foundHere[key] && checks[e.Operation] > 0 {
				checks[e.Operation]--
			} else if before {
				w.fail("money", "%s: %s %s was looked up twice in one night", run, e.Operation, e.Parameters)
			}
			found[key] = before || e.ok()
			foundHere[key] = foundHere[key] || e.ok()
		}
	}
	w.checkPace(s, segments)
	if job.Lookup.MaxRequests > 0 && made > job.Lookup.MaxRequests {
		w.fail("money", "%s made %d lookups of at most %d", s.Run, made, job.Lookup.MaxRequests)
	}
	if s.Budget > 0 {
		room = min(room, s.Budget-s.spent(time.Time{}).credits) // a run never spends more than its plan said
	}
	if room < job.Lookup.Operation().Credits || job.Lookup.MaxRequests > 0 && requests >= job.Lookup.MaxRequests || s.state != report.StateDone {
		return
	}
	end := s.entries[len(s.entries)-1]
	late := job.Deadline > 0 && end.At.Sub(s.started()) > job.Deadline*97/100 // a plan leaves some time unused
	last, unknown := lookups(segments)
	due := func(parameters string) bool { // what is not found is asked for ever later, up to half a year
		age := s.started().Sub(last[parameters])
		return age > 21*time.Hour && !unknown[parameters] || age > 183*24*time.Hour
	}
	listed := map[string]bool{}
	for _, pages := range coverageOf(s, segments).pages {
		for _, p := range pages {
			for _, v := range p.items {
				listed[v.MMSI] = true
			}
		}
	}
	for _, v := range w.sim.Truth(dayOf(s.Date)) {
		ofIMO, ofMMSI := "imo_or_mmsi="+strings.TrimPrefix(v.VesselID, "IMO"), "imo_or_mmsi="+v.MMSI
		byIMO, byMMSI := last[ofIMO], last[ofMMSI]
		watched := slices.Contains(job.Lookup.Watch, v.MMSI) || slices.Contains(job.Lookup.Watch, strings.TrimPrefix(v.VesselID, "IMO"))
		if watched && w.night.event != "clock" && due(ofIMO) && due(ofMMSI) {
			w.fail("end", "%s leaves out %s (%s), which is watched and was looked up at %v and at %v, with room for %d credits", s.Run, v.VesselID, v.MMSI, byIMO, byMMSI, room)
		}
		if byIMO.IsZero() && byMMSI.IsZero() && listed[v.MMSI] && !job.Lookup.WatchedOnly && !late {
			w.fail("end", "%s lists %s (%s), which was never looked up, with room for %d credits after %d of %d: %s", s.Run, v.VesselID, v.MMSI, room, s.spent(time.Time{}).credits, s.Budget, end.End.LeftOut)
		}
	}
}
