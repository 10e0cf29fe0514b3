package simulation

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/fleetlake/fleetlake/extract/api"
)

// item is a vessel in an answer.
type item struct {
	MMSI         string
	Country      *string
	TypeSpecific *string
}

// page is the answer to one page of the list, or to one status search.
type page struct {
	total int
	items []item
	print string // the vessels, as a text
}

// search is one partition of a run: a country, a type or both, or a status with its zone.
type search struct{ kind, value string }

// searchOf returns what a request searches, and which page of it.
func searchOf(operation, parameters string) (s search, number int) {
	q := query(parameters)
	country, kind := strings.TrimSpace(q.Get("country")), strings.TrimSpace(q.Get("type_specific"))
	number, _ = strconv.Atoi(q.Get("page"))
	switch {
	case operation == api.ByStatus.Name:
		return search{"status", strings.Trim(q.Get("navigational_status")+"/"+q.Get("world_zone"), "/")}, 1
	case operation != api.ByType.Name, country == "" && kind == "":
		return s, 0
	case country == "":
		return search{"type", strings.ToLower(kind)}, number
	case kind == "":
		return search{"country", strings.ToLower(country)}, number
	}
	return search{"type+country", strings.ToLower(kind + "|" + country)}, number
}

// readPage reads the answer to a search.
func readPage(body string) (p page, ok bool) {
	var b struct {
		Total          json.Number
		Items, Vessels []item
	}
	if json.Unmarshal([]byte(body), &b) != nil {
		return p, false
	}
	total, _ := strconv.Atoi(b.Total.String())
	p = page{total: total, items: append(b.Items, b.Vessels...)}
	for _, v := range p.items {
		p.print += v.MMSI + " "
	}
	return p, true
}

// covered is what one run, with those that it resumes, has of each search.
type covered struct {
	run      *segment
	pages    map[search]map[int]page
	expected map[search]int  // vessels when it was last covered, by the plan
	checks   map[search]bool // of which only the first page is requested
	skipped  map[search]bool // which its plan leaves out, for any reason
	fresh    map[search]bool // which it leaves out since they were covered lately
	silent   map[bool]bool   // whether the status searches, and the others, are empty as if the service were out of order
}

// coverageOf reads what a run and the runs that it resumes have.
func coverageOf(s *segment, by map[string]*segment) covered {
	c := covered{s, map[search]map[int]page{}, map[search]int{}, map[search]bool{}, map[search]bool{}, map[search]bool{}, map[bool]bool{}}
	for _, run := range append(slices.Clone(s.Continues), s.Run) {
		of := by[run]
		if of == nil {
			continue
		}
		for _, p := range of.Partitions {
			k := search{p.Kind, p.Value}
			if p.Kind != "status" {
				k.value = strings.ToLower(strings.TrimSpace(p.Value))
			}
			if before, planned := c.expected[k]; run == s.Run || !planned || before < 0 && !c.skipped[k] {
				c.expected[k], c.checks[k], c.skipped[k] = p.Expected, p.Check, p.Skipped != ""
				c.fresh[k] = strings.HasPrefix(p.Skipped, "covered at")
			}
		}
		for _, a := range of.answers {
			if c.pages[a.search] == nil {
				c.pages[a.search] = map[int]page{}
			}
			c.pages[a.search][a.number] = a.page
		}
	}
	c.listen()
	return c
}

// rows counts the vessels on the pages of a search.
func (c covered) rows(k search) (n int) {
	for _, p := range c.pages[k] {
		n += len(p.items)
	}
	return n
}

// listen sets whether the status searches, and the others, are empty as if the service were out of order: more of
// them lost all their vessels, and several at least, than have any.
func (c *covered) listen() {
	lost, have, vessels := map[bool]int{}, map[bool]int{}, map[bool]int{}
	for k := range c.pages {
		status := k.kind == "status"
		if c.rows(k) > 0 {
			have[status]++
		} else if c.expected[k] > 0 {
			lost[status]++
			vessels[status] += c.expected[k]
		}
	}
	c.silent[true] = lost[true] > 1 && lost[true] > have[true] && vessels[true] > 9
	c.silent[false] = lost[false] > 1 && lost[false] > have[false] && vessels[false] > 3
}

// complete reports whether the pages of a search have all its vessels, and do not contradict each other.
// A search that had some vessels and has none is not believed, and neither is an empty one where most are so.
func (c covered) complete(k search) bool {
	pages, rows, few := c.pages[k], c.rows(k), 3
	if k.kind == "status" {
		few = 9
	}
	if len(pages) == 0 || rows == 0 && (c.expected[k] > few || c.silent[k.kind == "status"]) {
		return false
	}
	if k.kind == "status" {
		return true
	}
	total, prints := 0, map[string]bool{}
	for _, p := range pages {
		if p.total > 0 && total > 0 && p.total != total || p.print != "" && prints[p.print] {
			return false
		}
		total, prints[p.print] = max(total, p.total), true
	}
	if c.checks[k] && total > 0 && total == c.byOthers(k) {
		first, whole := pages[1]
		return whole && len(first.items) >= min(total, api.PageSize)
	}
	for number := range max(1, (total+api.PageSize-1)/api.PageSize) {
		if _, ok := pages[number+1]; !ok {
			return false
		}
	}
	return rows == total
}

// byOthers counts the entries of the other searches of the list that belong to a type or a country.
func (c covered) byOthers(k search) (n int) {
	for other, pages := range c.pages {
		if other.kind == k.kind || other.kind == "status" || c.checks[other] {
			continue
		}
		for _, p := range pages {
			for _, v := range p.items {
				of := v.Country
				if k.kind == "type" {
					of = v.TypeSpecific
				}
				if of != nil && strings.EqualFold(strings.TrimSpace(*of), k.value) {
					n++
				}
			}
		}
	}
	return n
}

// completed returns the searches that a run has completely, of those that it has an answer to.
func (c covered) completed() map[search]bool {
	all := map[search]bool{}
	for k := range c.pages {
		if c.complete(k) {
			all[k] = true
		}
	}
	return all
}

// publishedSegments returns the runs that must be published, by id: those of the journal that no
// rollback removed.
func (w *world) publishedSegments() map[string]*segment {
	all := map[string]*segment{}
	for _, s := range w.journalNow() {
		if !w.out[s.Run] && s.state != "" {
			all[s.Run] = s
		}
	}
	return all
}

// checkCoverage compares the coverage table with the answers: which searches of which runs are complete.
func (w *world) checkCoverage(segments map[string]*segment) {
	want := map[string]bool{}
	for _, s := range segments {
		for k := range coverageOf(s, segments).completed() {
			want[strings.Join([]string{s.Run, k.kind, k.value}, " ")] = true
		}
	}
	got := map[string]bool{}
	for _, row := range w.ask("SELECT run_id, kind, CASE WHEN kind = 'status' THEN value ELSE lower(trim(value)) END FROM coverage WHERE state = 'complete'") {
		got[strings.Join(row, " ")] = true
	}
	for _, k := range slices.Sorted(maps.Keys(want)) {
		if !got[k] {
			w.fail("coverage", "%s: the answers are complete, and the table does not say so: %s", k, w.stateOf(k))
		}
	}
	for _, k := range slices.Sorted(maps.Keys(got)) {
		if !want[k] {
			w.fail("coverage", "%s: the table says that it is complete, and the answers are not", k)
		}
	}
}

// stateOf describes a row of the coverage table.
func (w *world) stateOf(k string) string {
	words := strings.SplitN(k, " ", 3)
	return fmt.Sprint(w.ask(fmt.Sprintf("SELECT state, reason, pages, expected_rows, received_rows FROM coverage WHERE run_id = '%s' AND kind = '%s' AND lower(value) = '%s'",
		words[0], words[1], strings.ReplaceAll(words[2], "'", "''"))))
}

// proofs returns what each night proved absent: for a status search that the vessels on no page of it are
// not there; for "country" and "type" that the list misses those on none of its pages. An empty answer to a
// status search counts if it is the first, or if it follows another.
func (w *world) proofs(segments map[string]*segment) map[string]map[string]bool {
	proofs, byDate := map[string]map[string]bool{}, map[string][]covered{}
	for _, s := range segments {
		byDate[s.Date] = append(byDate[s.Date], coverageOf(s, segments))
	}
	last := map[search]int{}
	for _, date := range slices.Sorted(maps.Keys(byDate)) {
		rows, complete := map[search]int{}, map[search]bool{}
		for _, c := range byDate[date] {
			for k := range c.pages {
				if c.rows(k) == 0 && c.silent[k.kind == "status"] {
					continue // as if it was not asked
				}
				if c.complete(k) {
					complete[k] = true
				}
				rows[k] = max(rows[k], c.rows(k))
			}
		}
		proven := map[string]bool{}
		whole := map[string]map[string]bool{"country": {}, "type": {}, "type+country": {}, "status": proven}
		for k, n := range rows {
			before, asked := last[k]
			whole[k.kind][k.value] = complete[k] && (n > 0 || !asked || before == 0 || k.kind != "status")
			last[k] = n
		}
		proven["country"], proven["type"] = all(api.Countries, whole["country"]), all(api.Types, whole["type"])
		proofs[date] = proven
	}
	return proofs
}
