package pipeline

import (
	"fmt"
	"strings"
	"sync"
	"time"
)

// hostileRefusals are error statuses, redirects, and balances that lie.
func hostileRefusals() map[string]hostileCase {
	all := map[string]hostileCase{}
	// A status for ever, by what it means and how its price is known: of a page, a status search and a lookup.
	for status, c := range map[int]string{
		201: "unreadable unknown", 202: "unreadable unknown", 203: "unreadable unknown", 204: "unreadable unknown", 206: "unreadable unknown",
		300: "unreadable unknown", 304: "unreadable unknown",
		405: "unreadable", 406: "unreadable", 409: "unreadable", 410: "unreadable", 413: "unreadable", 418: "unreadable", 421: "unreadable", 426: "unreadable", 431: "unreadable", 451: "unreadable", 499: "unreadable",
		404: "not_found", 408: "unavailable", 429: "limited",
		500: "unavailable unknown", 501: "unavailable unknown", 502: "unavailable unknown", 503: "unavailable", 504: "unavailable unknown", 505: "unavailable unknown", 511: "unavailable unknown", 520: "unavailable unknown", 599: "unavailable unknown", 999: "unavailable unknown",
	} {
		answers := fmt.Sprint(status, " ", c)
		switch {
		case status == 429:
			answers = "429 limited assumed; 429 limited free"
		case status >= 400 && status < 500, status == 503: // the list costs only what is listed
			answers = fmt.Sprintf("%s free; %s unknown", answers, answers)
		}
		body := `{"message":"hostile for ever"}`
		if status == 204 || status == 304 {
			body = ""
		}
		all[fmt.Sprint(status, " for ever")] = hostileCase{on: priced, does: says(status, body), answers: answers, ends: "partial service", says: fmt.Sprint(status), covered: "failed 7", most: patience}
	}
	for name, c := range map[string]hostileCase{
		"429 for a year":                {does: says(429, "", "Retry-After: 31536000")},
		"429 for longer than all":       {does: says(429, "", "Retry-After: 99999999999999999999")},
		"429 until a time that is past": {does: says(429, "", "Retry-After: Wed, 21 Oct 1970 07:28:00 GMT")},
		"429 until the year 9999":       {does: says(429, "", "Retry-After: Fri, 31 Dec 9999 23:59:59 GMT")},
		"429 for a time in words":       {does: says(429, "", "Retry-After: soon")},
		"429 for less than no time":     {does: says(429, "", "Retry-After: -5")},
		"429 for two times":             {does: says(429, "", "Retry-After: 1", "Retry-After: 86400")},
	} {
		c.on, c.answers, c.ends, c.says, c.covered, c.most = priced, "429 limited assumed; 429 limited free", "partial service", "429", "failed 7", max(endless, 70*time.Minute) // a pause of up to an hour is kept
		all[name] = c
	}
	for name, c := range map[string]hostileCase{
		"503 for a year":                {does: says(503, "", "Retry-After: 31536000")},
		"503 until a time that is past": {does: says(503, "", "Retry-After: Wed, 21 Oct 1970 07:28:00 GMT")},
	} {
		c.on, c.answers, c.ends, c.says, c.covered, c.most = priced, "503 unavailable free; 503 unavailable unknown", "partial service", "503", "failed 7", patience
		all[name] = c
	}
	for name, location := range map[string]string{
		"to another host": "https://collector.example/steal", "to another host, in short": "//collector.example/", "to itself": "/api/vessels_operations/my-credits",
		"to a file": "file:///etc/passwd", "to nowhere": "", "to another port": "http://127.0.0.1:9/", "to another scheme": "gopher://127.0.0.1/", "to what is no address": "http://%zz/",
	} {
		for _, status := range []int{301, 302, 303, 307, 308} {
			if status != 302 && status != 307 && location != "https://collector.example/steal" {
				continue
			}
			c := hostileCase{on: every, does: says(status, "moved", "Location: "+location), ends: "partial service", says: fmt.Sprint(status), covered: "failed 7", most: endless,
				answers: fmt.Sprintf("%d unreadable free; %d unreadable unknown; credits %d unreadable", status, status, status), tcp: strings.Contains(location, "collector.example/steal")}
			all[fmt.Sprintf("%d %s", status, name)] = c
		}
	}
	for name, c := range wordings() {
		all[name] = c
	}
	for name, c := range balances() {
		all[name] = c
	}
	return all
}

// wordings are refusals in words.
func wordings() map[string]hostileCase {
	all := map[string]hostileCase{}
	add := func(name string, status int, words string, c hostileCase) {
		if c.does == nil {
			c.does = says(status, words)
		}
		if c.on == nil {
			c.on = pages
		}
		all[fmt.Sprintf("%d: %s", status, name)] = c
	}
	for _, words := range []string{"Insufficient credits", "You have no CREDITS left", "insufficient funds", "your balance is too low"} {
		add(words, 400, fmt.Sprintf(`{"detail":%q}`, words), hostileCase{answers: "400 no_credits free", ends: "partial credits", says: words})
		add(words+", shape A", 400, fmt.Sprintf(`{"error":"Bad Request","message":%q}`, words), hostileCase{answers: "400 no_credits free", ends: "partial credits", says: words})
	}
	for _, words := range []string{"This endpoint is blacklisted for your key", "Endpoint BLOCKED"} {
		add(words, 400, fmt.Sprintf(`{"detail":%q}`, words), hostileCase{answers: "400 blocked free", ends: "partial blocked", says: words})
	}
	const both = "Your credits are insufficient or the endpoint is blacklisted"
	add("in words for two things", 400, fmt.Sprintf(`{"detail":%q}`, both), hostileCase{answers: "400 blocked free", ends: "partial blocked", says: both})
	add("in no words", 400, "", hostileCase{answers: "400 blocked free", ends: "partial blocked"})
	add("in HTML", 400, "<html>Bad Request</html>", hostileCase{answers: "400 blocked free", ends: "partial blocked", says: "Bad Request"})
	add("a list of lists", 400, `[[["credits"]]]`, hostileCase{answers: "400 no_credits free", ends: "partial credits"})
	add("a status search in no words", 400, "", hostileCase{on: sweeps, answers: "400 rejected unknown", covered: "complete 4, failed 3", most: patience, ends: "partial service"})
	add("a value that was always good", 400, `{"error":"Bad Request","message":"invalid parameter value"}`, hostileCase{on: sweeps, answers: "400 rejected unknown", covered: "complete 4, failed 3", most: patience, ends: "partial service", says: "invalid parameter value"})
	add("a status search without credits", 400, `{"message":"insufficient credits"}`, hostileCase{on: sweeps, answers: "400 no_credits assumed", ends: "partial credits", says: "insufficient credits"})
	add("a bad key", 401, `{"error":"Unauthorized","message":"Invalid or missing API key"}`, hostileCase{on: every, answers: "credits 401 unauthorized", ends: "partial key", says: "Invalid or missing API key", covered: "skipped 7"})
	add("a bad key, to the list alone", 401, "", hostileCase{answers: "401 unauthorized free", ends: "partial key"})
	add("a bad key, in HTML", 401, "<html>Login</html>", hostileCase{on: priced, answers: "401 unauthorized free", ends: "partial key", says: "Login"})
	add("pay", 402, `{"error":"Payment Required","message":"buy credits"}`, hostileCase{answers: "402 no_credits free", ends: "partial credits", says: "buy credits"})
	add("pay for a status search", 402, "", hostileCase{on: sweeps, answers: "402 no_credits assumed", ends: "partial credits"})
	add("forbidden", 403, `{"error":"Forbidden","message":"not for you"}`, hostileCase{answers: "403 blocked free", ends: "partial blocked", says: "not for you"})
	add("forbidden, all of it", 403, "", hostileCase{on: priced, answers: "403 blocked free; 403 blocked unknown", ends: "partial blocked"})
	add("a list", 404, `{"detail":"Not Found"}`, hostileCase{answers: "404 not_found free", covered: "complete 4, failed 3", ends: "partial service", says: "Not Found", most: patience})
	add("every vessel", 404, `{"error":"Not Found","message":"vessel not found"}`, hostileCase{on: lookups, answers: "404 not_found unknown", ends: "done", covered: "complete 7"})
	add("the framework", 422, `{"detail":[{"loc":["header","x-api-key"],"msg":"field required","type":"value_error.missing"}]}`, hostileCase{answers: "422 rejected free", covered: "complete 4, failed 3", ends: "partial service", says: "field required"})
	add("a value that is not in its own list", 422, `{"detail":[{"field":"country","value":"Malta","message":"not accepted","allowed_values":["Atlantis"]}]}`, hostileCase{answers: "422 rejected free", covered: "complete 4, failed 3", ends: "partial service", says: "not accepted"})
	add("an error text of 5 MB", 500, "", hostileCase{on: priced, does: func(q *call) { q.answer(500, tooMany()); q.keep(tooMany()[:mostOfOther]) }, answers: "500 unreadable unknown", ends: "partial service", says: "the answer is larger than", covered: "failed 7", most: patience, large: true})
	add("control characters", 500, "{\"error\":\"bad\\u001b[2J\\u0007\",\"message\":\"one\\r\\ntwo\\u0000three\\u2028four\\u202efive\"}", hostileCase{on: priced, answers: "500 unavailable unknown", ends: "partial service", says: "two three four five", covered: "failed 7", most: patience})
	add("broken UTF-8", 500, "{\"error\":\"\xff\xfe\",\"message\":\"\xc3\x28\"}", hostileCase{on: priced, answers: "500 unavailable unknown", ends: "partial service", covered: "failed 7", most: patience})
	add("the first two of all", 500, "", hostileCase{on: first(2, priced), answers: "500 unavailable unknown", ends: "done", covered: "complete 7"})
	add("the first two of all", 503, "", hostileCase{on: first(2, priced), answers: "503 unavailable free; 503 unavailable unknown", ends: "done", covered: "complete 7"})
	add("the first search", 429, "", hostileCase{on: first(1, pages), answers: "429 limited free", ends: "done", covered: "complete 7", most: 5 * patience})
	add("the lists of accepted values", 500, "", hostileCase{on: func(q *call) bool { return q.probe }, answers: "500 unavailable free", ends: "done", covered: "complete 7"})
	add("lists of accepted values of a stranger", 422, `{"detail":[{"field":"type_specific","allowed_values":["Raft"]},{"field":"country","allowed_values":["Atlantis"]}]}`,
		hostileCase{on: func(q *call) bool { return q.probe }, answers: "422 probe free", ends: "done", covered: "complete 3, skipped 4"})
	return all
}

// tooMany is an error text that is longer than any is kept.
var tooMany = sync.OnceValue(func() string { return `{"error":"boom","message":"` + strings.Repeat("word ", 1<<20) + `"}` })

// balances are lies of the free call.
func balances() map[string]hostileCase {
	all := map[string]hostileCase{}
	for name, body := range map[string]func(q *call) string{
		"rises":                      func(q *call) string { return fmt.Sprintf(`{"detail":{"credits":%d}}`, 1_000_000+1000*q.nth) },
		"falls faster than the bill": func(q *call) string { return fmt.Sprintf(`{"detail":{"credits":%d}}`, 1_000_000-1000*q.nth) },
		"jumps":                      func(q *call) string { return fmt.Sprintf(`{"detail":{"credits":%d}}`, 500_000*(q.nth%2)) },
		"is below zero":              func(*call) string { return `{"detail":{"credits":-5}}` },
		"is zero":                    func(*call) string { return `{"detail":{"credits":0}}` },
		"is a number as a text":      func(*call) string { return `{"detail":{"credits":"1000000"}}` },
		"is a sentence":              func(*call) string { return `{"detail":"99929 credits left."}` },
		"is beyond all numbers":      func(*call) string { return `{"detail":{"credits":99999999999999999999999}}` },
	} {
		all["a balance that "+name] = hostileCase{on: balance, does: instead(body), answers: "credits 200 ok", ends: "done", covered: "complete 7"}
	}
	for name, body := range map[string]string{
		"is a text": `{"detail":"plenty of credits left"}`, "is HTML": "<html>", "is null": `{"detail":{"credits":null}}`, "is a list": `[100]`, "is empty": "", "is a page": pageBody(0, 1, nil),
		"is no number": `{"detail":{"credits":"NaN"}}`,
	} {
		all["a balance that "+name] = hostileCase{on: balance, does: says(200, body), answers: "credits 200 unreadable", ends: "done", covered: "complete 7"}
	}
	all["a balance that never comes"] = hostileCase{on: balance, does: (*call).wait, answers: "credits 0 network", ends: "done", covered: "complete 7"}
	all["a balance without an end"] = hostileCase{on: balance, does: endlessBody("1"), answers: "credits 200 too_large", ends: "done", covered: "complete 7"}
	all["a balance that is refused"] = hostileCase{on: balance, does: says(500, ""), answers: "credits 500 unavailable", ends: "done", covered: "complete 7"}
	return all
}
