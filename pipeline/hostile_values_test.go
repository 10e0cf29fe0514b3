package pipeline

import (
	"fmt"
	"slices"
	"strings"
)

// hostileValues are answers in valid JSON, with status 200, that say what cannot be.
func hostileValues() map[string]hostileCase {
	all := map[string]hostileCase{}
	// What the pages of the list are instead; the status searches and the lookups are honest.
	add := func(name string, body func(q *call) string, c hostileCase) {
		if c.on == nil {
			c.on = pages
		}
		c.does = instead(body)
		all[name] = c
	}
	unreadable := hostileCase{answers: "200 unreadable unknown", ends: "partial service", covered: "complete 4, failed 3", most: patience}
	free := unreadable
	free.answers = "200 unreadable free"
	twice := unreadable
	twice.billed = true
	suspect := hostileCase{answers: "200 ok priced", billed: true, ends: "partial", says: "totals and pages contradict each other", covered: "complete 4, suspect 3"}
	harmless := hostileCase{answers: "200 ok priced", billed: true, ends: "done", covered: "complete 7"}

	capped := func(covered string) hostileCase { // the totals are as many pages as the cap has credits for
		return hostileCase{answers: "200 ok priced", billed: true, ends: "partial budget", says: "the cap of the night", covered: covered}
	}
	renamed := func(name string) hostileCase {
		c := harmless
		c.fleet = func() []ship {
			fleet := ships()
			for _, v := range fleet { // status searches have the honest names
				v.name = strings.Replace(v.name, "HOSTILE", name, 1)
				fleet = append(fleet, v)
			}
			return fleet
		}
		return c
	}

	for name, total := range map[string]string{"of two thousand million": "2000000000", "of more than 64 bits": "99999999999999999999999", "below zero": "-1", "of less than 64 bits": "-99999999999999999999999", "of one": "1"} {
		add("a total "+name, totalOf(total), suspect)
	}
	for name, total := range map[string]string{"in words": `"many"`, "that is no number": `"NaN"`, "that is a list": "[120]", "that is an object": `{"n":1}`, "that is NaN": "NaN", "beyond all numbers": "1e999", "that is true": "true"} {
		add("a total "+name, totalOf(total), unreadable)
	}
	add("a total as a text", func(q *call) string { return swapTotal(q.body, func(n string) string { return `"` + n + `"` }) }, harmless)
	add("a total with a fraction of zero", func(q *call) string { return swapTotal(q.body, func(n string) string { return n + ".0" }) }, harmless)
	add("a total as a power", func(q *call) string { return swapTotal(q.body, func(n string) string { return n + "e0" }) }, harmless)
	add("no total", func(q *call) string { return swapTotal(q.body, func(string) string { return "null" }) }, suspect)
	add("a total twice", func(q *call) string { return strings.Replace(q.body, `"items"`, `"total":3,"items"`, 1) }, twice)
	add("items twice", func(q *call) string { return strings.Replace(q.body, `"limit"`, `"items":[],"limit"`, 1) }, twice)
	add("keys in capitals", func(q *call) string {
		return strings.NewReplacer(`"total"`, `"TOTAL"`, `"items"`, `"Items"`).Replace(q.body)
	}, harmless)
	add("a page in detail", func(q *call) string { return `{"detail":` + q.body + `}` }, harmless)
	add("pages of vessels without numbers", nameless, of(suspect, "complete 4, suspect 3"))
	add("a total that moves", func(q *call) string {
		return swapTotal(q.body, func(n string) string { return n + q.values.Get("page") })
	}, suspect)
	add("a total that is more than the list", totalOf("500"), suspect)

	add("items that are null", func(q *call) string { return swapItems(q.body, "null") }, unreadable)
	add("items that are an object", func(q *call) string { return swapItems(q.body, "{}") }, unreadable)
	add("items that are a text", func(q *call) string { return swapItems(q.body, `"none"`) }, unreadable)
	add("items that are missing", func(q *call) string { return strings.Replace(q.body, `"items"`, `"itemz"`, 1) }, unreadable)
	add("items that are none, and the total", func(q *call) string { return swapItems(q.body, "[]") }, free)
	add("items that are numbers", func(q *call) string { return swapItems(q.body, "[1,2,3]") }, unreadable)
	add("a page that is empty", func(q *call) string { return pageBody(0, 1, nil) }, hostileCase{answers: "200 empty free", ends: "done", covered: "complete 7"})
	add("a page of a hundred thousand lists in a list", func(*call) string {
		return `{"total":1,"items":[` + strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000) + `]}`
	}, unreadable)
	add("a page with a hundred thousand lists beside", func(q *call) string {
		return strings.Replace(q.body, `"limit"`, `"deep":`+strings.Repeat("[", 100_000)+strings.Repeat("]", 100_000)+`,"limit"`, 1)
	}, unreadable)

	add("numbers that are numbers", func(q *call) string { return unquoted(q.body) }, harmless)
	add("names in broken UTF-8", func(q *call) string { return strings.ReplaceAll(q.body, "HOSTILE", "HO\xffSTILE") }, renamed("HO\ufffdSTILE"))
	add("names with NUL", func(q *call) string { return strings.ReplaceAll(q.body, "HOSTILE", `HOS\u0000TILE`) }, renamed("HOS TILE"))
	add("a thousand members more", func(q *call) string {
		return strings.ReplaceAll(q.body, `"callsign":null`, `"callsign":null`+strings.Repeat(`,"more":"x"`, 60))
	}, harmless)

	// Most ships of the page are of one country, so that it is of another for two of the three.
	add("the same page again and again", func(q *call) string { return pageBody(20_000, 1, ships()[:100]) }, capped("complete 4, partial 1, suspect 2"))
	add("the first page for the second", func(q *call) string {
		if q.values.Get("page") == "2" {
			return pageBody(120, 2, ships()[:20])
		}
		return q.body
	}, of(suspect, "complete 6, suspect 1"))
	add("the pages of another country", func(q *call) string { return pageBody(10, 1, ships()[120:130]) }, of(suspect, "complete 5, suspect 2"))
	add("each vessel twice on its page", func(q *call) string { return q.doubled() }, of(suspect, "complete 5, suspect 2"))
	add("a page that says it is another", func(q *call) string { return strings.Replace(q.body, `"page":`, `"page":7`, 1) }, harmless)
	add("half of the vessels, and the whole total", func(q *call) string { return q.halved() }, suspect)
	add("a list that never ends", endlessList, hostileCase{on: func(q *call) bool { return q.operation == "by-type" && !q.probe }, billed: true, bills: 10, answers: "200 ok priced", ends: "partial", covered: "complete 3, suspect 4", fleet: nobodies})
	add("the answer of a status search", func(*call) string { return `{"vessels":[]}` }, unreadable)
	add("the answer of a lookup", func(*call) string { return profileOf(ships()[0]) }, unreadable)
	add("the answer of the balance", func(*call) string { return `{"detail":{"credits":100}}` }, unreadable)

	add("a page in answer to a status search", func(*call) string { return pageBody(1, 1, ships()[:1]) }, hostileCase{on: sweeps, answers: "200 unreadable unknown", ends: "partial service", covered: "complete 4, failed 3", most: patience})
	add("a lookup in answer to a status search", func(*call) string { return profileOf(ships()[0]) }, hostileCase{on: sweeps, answers: "200 unreadable unknown", ends: "partial service", covered: "complete 4, failed 3", most: patience})
	add("a page in answer to a lookup", func(*call) string { return pageBody(1, 1, ships()[:1]) }, hostileCase{on: lookups, answers: "200 unreadable unknown", ends: "partial service", covered: "complete 7", most: patience})
	add("another vessel in answer to a lookup", func(*call) string { return profileOf(ships()[134]) }, hostileCase{on: lookups, answers: "200 ok priced", billed: true, ends: "done", covered: "complete 7"})
	add("words in answer to a lookup", func(*call) string { return `{"detail":"Vessel not found"}` }, hostileCase{on: lookups, answers: "200 empty priced", billed: true, ends: "done", covered: "complete 7"})
	add("a status search that is empty", func(*call) string { return `{"vessels":[]}` }, hostileCase{on: sweeps, answers: "200 empty priced", billed: true, ends: "done", covered: "complete 7"})
	add("a status search of null", func(*call) string { return `{"vessels":null}` }, hostileCase{on: sweeps, answers: "200 empty priced", billed: true, ends: "done", covered: "complete 7"})
	return all
}

// of is a case that covers something else.
func of(c hostileCase, covered string) hostileCase {
	c.covered = covered
	return c
}

// doubled is a page with half of its vessels, each twice.
func (q *call) doubled() string {
	fleet := slices.DeleteFunc(ships(), func(v ship) bool { return v.country != q.values.Get("country") })
	if q.values.Get("page") == "2" {
		fleet = fleet[100:]
	}
	items := fleet[:min(100, len(fleet))/2]
	return pageBody(map[string]int{"Malta": 120, "Panama": 10, "Cyprus": 4}[q.values.Get("country")], 1, slices.Concat(items, items))
}

// totalOf gives each page another total.
func totalOf(total string) func(*call) string {
	return func(q *call) string { return swapTotal(q.body, func(string) string { return total }) }
}

// swapTotal gives a page another total, by the one that it has.
func swapTotal(body string, change func(string) string) string {
	before, rest, _ := strings.Cut(body, `"total":`)
	total, rest, _ := strings.Cut(rest, ",")
	return before + `"total":` + change(total) + "," + rest
}

// swapItems gives a page another list.
func swapItems(body, items string) string {
	before, rest, _ := strings.Cut(body, `"items":`)
	return before + `"items":` + items + rest[strings.LastIndex(rest, "]")+1:]
}

// unquoted writes the numbers of vessels as numbers.
func unquoted(body string) string {
	for _, key := range []string{`"imo":"`, `"mmsi":"`} {
		parts := strings.Split(body, key)
		for i := range parts[1:] {
			parts[i+1] = strings.Replace(parts[i+1], `"`, "", 1)
		}
		body = strings.Join(parts, key[:len(key)-1])
	}
	return body
}

// halved is a page with every other vessel and the whole total.
func (q *call) halved() string {
	fleet := slices.DeleteFunc(ships(), func(v ship) bool { return v.country != q.values.Get("country") })
	page := q.values.Get("page")
	items := fleet[:min(100, len(fleet))]
	if page == "2" {
		items = fleet[100:]
	}
	return pageBody(len(fleet), 1, items[:len(items)/2])
}

// endlessList has one page more with each page, of vessels that no page had before.
func endlessList(q *call) string {
	items := make([]ship, 100)
	for i := range items {
		items[i] = nobody(100*q.n+i, q.values.Get("country"))
	}
	return pageBody(100*(q.nth+1), q.nth, items)
}

func nobody(i int, country string) ship {
	return ship{imo: imoWithCheck(100_000 + i), name: fmt.Sprintf("NOBODY %d", i), country: country}
}

// nameless is a full page of many, whose vessels have no number and no two the same name.
func nameless(q *call) string {
	items := make([]ship, 100)
	for i := range items {
		items[i] = ship{name: strings.Repeat("N", q.n+i), country: q.values.Get("country")}
	}
	return pageBody(20_000, q.nth, items)
}

// nobodies are the fleet with all whom an endless list may have.
func nobodies() []ship {
	fleet := ships()
	for i := range 10_000 {
		for _, country := range hostileJob().List.Countries {
			v := nobody(i, country)
			v.mmsi = "000000000"
			fleet = append(fleet, v)
		}
	}
	return fleet
}
