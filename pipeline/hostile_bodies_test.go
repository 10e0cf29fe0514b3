package pipeline

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
	"unicode/utf16"
)

// hostileBodies are answers whose heads are right and whose bodies are not.
func hostileBodies() map[string]hostileCase {
	unreadable := func(c hostileCase) hostileCase { // answers come, and none is one
		c.ends, c.most = "partial service", patience
		c.covered = cmp.Or(c.covered, "failed 7")
		if c.on == nil {
			c.on = priced
		}
		if c.answers == "" {
			c.answers = "200 unreadable unknown"
		}
		return c
	}
	broken := func(c hostileCase) hostileCase { // no whole answer comes
		c.answers = cmp.Or(c.answers, "200 network unknown")
		return unreadable(c)
	}
	passing := func(c hostileCase) hostileCase { // the first answers are none
		c.answers, c.ends, c.covered, c.billed = cmp.Or(c.answers, "200 unreadable unknown"), "done", "complete 7", true
		return c
	}
	alone := func(c hostileCase) hostileCase { // one partition alone has no answer, and that is no outage
		c.on = func(q *call) bool { return q.operation == "by-type" && strings.Contains(q.parameters, "Cyprus") }
		c.answers, c.billed = cmp.Or(c.answers, "200 unreadable unknown"), true
		c.ends, c.covered, c.says, c.most = "partial service", "complete 6, failed 1", "failed again and again", 4*time.Minute
		return c
	}
	tooLarge := func(c hostileCase) hostileCase { // the first answer of each operation, which is asked once
		c.on, c.answers, c.ends, c.billed = first(1, priced), "200 too_large unknown", "partial too_large", true
		c.covered, c.says, c.once = "complete 5, failed 2", "the answer is larger than", true
		return c
	}
	allTooLarge := func(c hostileCase) hostileCase { // it is the service that fails
		c.answers, c.billed, c.tcp = "200 too_large unknown", true, true
		return unreadable(c)
	}
	whole := func(c hostileCase) hostileCase { // the answer is as good as any
		c.ends, c.covered, c.billed = "done", "complete 7", true
		if c.on == nil {
			c.on, c.answers = priced, "200 empty free; 200 ok priced"
		}
		return c
	}
	return map[string]hostileCase{
		"a body of a byte a second":    broken(hostileCase{does: dripsBody, billed: true, answers: "200 empty free; 200 network unknown", covered: "complete 1, failed 6"}),
		"a body that stops in half":    broken(hostileCase{does: func(q *call) { q.half(); q.wait() }, billed: true}),
		"a body that is cut in half":   broken(hostileCase{does: (*call).half, billed: true, tcp: true}),
		"a body that is reset in half": broken(hostileCase{does: func(q *call) { q.half(); q.kept = nil; cut(q.Conn) }, tcp: true}),
		"a length that is too long":    broken(hostileCase{does: func(q *call) { q.headed(fmt.Sprintf("Content-Length: %d\r\n", len(q.body)+1000)) }, tcp: true}),
		"a length of exabytes":         broken(hostileCase{does: func(q *call) { q.headed("Content-Length: 9223372036854775807\r\n") }}),
		"a length that is too short": unreadable(hostileCase{does: func(q *call) {
			q.headed(fmt.Sprintf("Content-Length: %d\r\n", len(q.body)-10))
			q.keep(q.body[:len(q.body)-10])
		}, tcp: true}),
		"a chunk without a size":              broken(hostileCase{does: chunks("zz\r\n{}\r\n", "")}),
		"a chunk of a size beyond all":        broken(hostileCase{does: chunks("fffffffffffffffff\r\n{}\r\n", "")}),
		"a chunk below zero":                  broken(hostileCase{does: chunks("-2\r\n{}\r\n", "")}),
		"a chunk that is cut off":             broken(hostileCase{does: chunks("ff\r\n{}", "{}"), tcp: true}),
		"a chunk that is longer than it says": broken(hostileCase{does: chunks("1\r\n{}\r\n0\r\n\r\n", "{")}),
		"chunks without an end":               broken(hostileCase{does: chunks("2\r\n{}\r\n", "{}"), billed: true}),
		"a trailer of a megabyte":             broken(hostileCase{does: chunks("2\r\n{}\r\n0\r\nX-Trailer: "+strings.Repeat("x", 1<<20)+"\r\n\r\n", "{}")}),
		"gzip that ends in half":              broken(hostileCase{does: func(q *call) { p := zipped(q.body); q.packed("gzip", p[:len(p)/2]); q.kept = nil }}),
		"gzip with a wrong checksum":          broken(hostileCase{does: func(q *call) { p := zipped(q.body); p[len(p)-6] ^= 1; q.packed("gzip", p); q.keep(q.body) }, tcp: true}),
		"gzip that is none":                   broken(hostileCase{does: func(q *call) { q.packed("gzip", []byte(q.body)); q.keep("") }}),

		"HTML with 200, once":                 passing(hostileCase{on: first(1, priced), does: says(200, "<!doctype html><title>Maintenance</title>")}),
		"an object that is cut off, once":     passing(hostileCase{on: first(1, priced), does: instead(func(q *call) string { return q.body[:len(q.body)-1] })}),
		"a body that is cut in half, once":    passing(hostileCase{on: first(1, priced), does: (*call).half, answers: "200 network unknown"}),
		"HTML with 200 for one partition":     alone(hostileCase{does: says(200, "<!doctype html><title>Maintenance</title>")}),
		"an empty body for one partition":     alone(hostileCase{does: says(200, "")}),
		"half a body for one partition":       alone(hostileCase{does: (*call).half, answers: "200 network unknown"}),
		"gzip that is none for one partition": alone(hostileCase{does: func(q *call) { q.packed("gzip", []byte(q.body)); q.keep("") }, answers: "200 network unknown"}),

		"a body without an end":           allTooLarge(hostileCase{does: endlessBody(" ")}),
		"a body of digits without an end": tooLarge(hostileCase{does: endlessBody("1")}),
		"blanks without an end behind the JSON": tooLarge(hostileCase{does: func(q *call) {
			floods("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n"+q.body, strings.Repeat(" ", 1<<14))(q)
			q.keep((q.body + repeated(" "))[:q.limit()])
		}}),
		"chunks of a body without an end": tooLarge(hostileCase{does: endlessChunks, tcp: true}),
		"a bomb of gzip":                  allTooLarge(hostileCase{does: bombed}),
		"a bomb of gzip, once":            tooLarge(hostileCase{does: bombed}),
		"gzip that nobody asked for twice": unreadable(hostileCase{does: func(q *call) {
			p := zipped(string(zipped(q.body)))
			q.packed("gzip", p)
			q.keep(string(zipped(q.body)))
		}}),
		"gzip without a word":              unreadable(hostileCase{does: instead(func(q *call) string { return string(zipped(q.body)) })}),
		"a packing that nobody asked for":  unreadable(hostileCase{does: func(q *call) { q.packed("br", []byte("\x1b\x03\x00\xf8")) }}),
		"HTML with 200":                    unreadable(hostileCase{does: says(200, "<!doctype html><title>Maintenance</title>Back soon"), says: "Maintenance", tcp: true}),
		"an empty body with 200":           unreadable(hostileCase{does: says(200, ""), says: "an empty body", tcp: true}),
		"blanks with 200":                  unreadable(hostileCase{does: says(200, " \r\n\t "), says: "an empty body"}),
		"a list with 200":                  unreadable(hostileCase{does: says(200, "[]")}),
		"a text with 200":                  unreadable(hostileCase{does: says(200, `"OK"`)}),
		"a number with 200":                unreadable(hostileCase{does: says(200, "42")}),
		"true with 200":                    unreadable(hostileCase{does: says(200, "true")}),
		"an error object with 200":         unreadable(hostileCase{does: says(200, `{"error":"Internal","message":"boom"}`), says: "boom", tcp: true}),
		"XML with 200":                     unreadable(hostileCase{does: says(200, "<?xml version='1.0'?><vessels/>")}),
		"an object that is written twice":  unreadable(hostileCase{does: instead(func(q *call) string { return q.body + q.body })}),
		"an object with something behind":  unreadable(hostileCase{does: instead(func(q *call) string { return q.body + "]" })}),
		"an object that is cut off":        unreadable(hostileCase{does: instead(func(q *call) string { return q.body[:len(q.body)-1] })}),
		"JSON with comments":               unreadable(hostileCase{does: instead(func(q *call) string { return "/* vessels */" + q.body })}),
		"JSON with one quotation mark":     unreadable(hostileCase{does: instead(func(q *call) string { return strings.ReplaceAll(q.body, `"`, `'`) })}),
		"JSON of UTF-16":                   unreadable(hostileCase{does: instead(func(q *call) string { return inUTF16(q.body) }), tcp: true}),
		"JSON behind a NUL":                unreadable(hostileCase{does: instead(func(q *call) string { return "\x00" + q.body })}),
		"JSON behind a mark of byte order": unreadable(hostileCase{does: instead(func(q *call) string { return "\ufeff" + q.body })}),
		"JSON behind what stops hijacking": unreadable(hostileCase{does: instead(func(q *call) string { return ")]}',\n" + q.body })}),
		"a hundred thousand lists, open":   unreadable(hostileCase{does: says(200, `{"items":`+strings.Repeat("[", 100_000))}),
		"a hundred thousand objects, open": unreadable(hostileCase{does: says(200, strings.Repeat(`{"detail":`, 100_000))}),
		"a text without an end":            unreadable(hostileCase{does: says(200, `{"items":["`+strings.Repeat("x", 100_000))}),

		"ten thousand blanks before the JSON": whole(hostileCase{does: instead(func(q *call) string { return strings.Repeat(" ", 10_000) + q.body })}),
		"gzip":                                whole(hostileCase{does: func(q *call) { q.packed("gzip", zipped(q.body)); q.keep(q.body) }, tcp: true}),
		"no length, and then the end":         whole(hostileCase{does: func(q *call) { q.headed("Connection: close\r\n") }, tcp: true}),
		"chunks of a byte":                    whole(hostileCase{does: chunksOfAByte, tcp: true}),
		"chunks and a length": whole(hostileCase{does: func(q *call) {
			q.keep(q.body)
			q.say(fmt.Sprintf("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n%x\r\n%s\r\n0\r\n\r\n", len(q.body), q.body))
		}}),
		"a type of content that is a lie": whole(hostileCase{does: func(q *call) {
			q.keep(q.body)
			q.say(fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Type: image/png; charset=utf-16\r\nContent-Length: %d\r\n\r\n%s", len(q.body), q.body))
		}}),
		"the key in a body": whole(hostileCase{on: lookups, answers: "200 ok priced", does: func(q *call) {
			b := strings.Replace(q.body, "HOSTILE", hostileKey, 1)
			q.answer(200, b)
			q.keep(strings.Replace(b, hostileKey, "[redacted]", 1))
		}}),
	}
}

// says answers with a status and a body.
func says(status int, body string, headers ...string) func(*call) {
	return func(q *call) { q.answer(status, body, headers...) }
}

// instead answers with another body.
func instead(body func(*call) string) func(*call) { return func(q *call) { q.answer(200, body(q)) } }

// half sends the first half of the honest body.
func (q *call) half() {
	q.keep(q.body[:len(q.body)/2])
	q.say(fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s", len(q.body), *q.kept))
}

// dripsBody sends the honest body a byte a second, and keeps what was read of it.
func dripsBody(q *call) {
	q.say(fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n", len(q.body)))
	head := q.sent
	drips(q.body)(q)
	q.keep(q.body[:q.sent-head])
}

// packed sends a body in a packing.
func (q *call) packed(packing string, body []byte) {
	q.answer(200, string(body), "Content-Encoding: "+packing)
}

// chunks sends a body in chunks as they are written.
func chunks(text, kept string) func(*call) {
	return func(q *call) {
		q.say("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + text)
		q.keep(kept)
	}
}

func chunksOfAByte(q *call) {
	var b strings.Builder
	for _, c := range []byte(q.body) {
		fmt.Fprintf(&b, "1\r\n%c\r\n", c)
	}
	chunks(b.String()+"0\r\n\r\n", q.body)(q)
}

// limit is the most of a body that the client keeps.
func (q *call) limit() int {
	if q.operation == "by-status" {
		return mostOfSweep
	}
	return mostOfOther
}

// endlessBody repeats a byte until the client goes away.
func endlessBody(of string) func(*call) {
	return func(q *call) {
		floods("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n", strings.Repeat(of, 1<<14))(q)
		q.keep(repeated(of)[:q.limit()])
	}
}

func endlessChunks(q *call) {
	floods("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", "4000\r\n"+strings.Repeat("7", 1<<14)+"\r\n")(q)
	q.keep(repeated("7")[:q.limit()])
}

// bombed sends a gigabyte of zeros in a megabyte of gzip.
func bombed(q *call) {
	q.say("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nConnection: close\r\n\r\n")
	for range 64 { // a gzip may have many members
		if _, err := io.Copy(q, bytes.NewReader(bomb())); err != nil {
			break
		}
	}
	q.keep(repeated("\x00")[:q.limit()])
}

// bomb is 16 MiB of zeros, a thousand times smaller.
var bomb = sync.OnceValue(func() []byte { return zipped(repeated("\x00") + repeated("\x00")) })

// repeated is a byte as often as the largest body has any. It is made once for each: what a test takes
// itself counts as much as what the run takes.
func repeated(of string) string {
	text, ok := repetitions.Load(of)
	if !ok {
		text, _ = repetitions.LoadOrStore(of, strings.Repeat(of, mostOfSweep))
	}
	return text.(string)
}

var repetitions sync.Map

func zipped(body string) []byte {
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	io.WriteString(w, body)
	w.Close()
	return packed.Bytes()
}

func inUTF16(text string) string {
	b := []byte("\xff\xfe")
	for _, c := range utf16.Encode([]rune(text)) {
		b = append(b, byte(c), byte(c>>8))
	}
	return string(b)
}
