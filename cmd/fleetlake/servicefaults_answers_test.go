package main

import (
	"bytes"
	"crypto/tls"
	"io"
	"log"
	"net"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"
)

// connections are faults below HTTP, and of its heads.
var connections = map[string]faultCase{
	"nobody listens":                         {prepare: func(_ *testing.T, d *double, _ *world) { d.down() }, codes: []int{tooLittle}, says: "refused"},
	"connections are reset":                  {fault: always(fault{speak: reset}), codes: []int{tooLittle}, says: "reset"},
	"connections end without a word":         {fault: always(writes("")), codes: []int{tooLittle}, says: "eof"},
	"connections hang":                       {fault: always(fault{speak: hang}), codes: []int{tooLittle}},
	"the searches hang":                      {fault: on(fault{speak: hang}, searches...), codes: []int{tooLittle, exitPartial}},
	"TLS is spoken to by a plain server":     {prepare: overTLS(nil), codes: []int{tooLittle}, says: "https"},
	"a certificate that nobody signed":       {prepare: overTLS(&tls.Config{}), codes: []int{tooLittle}, says: "certificate"},
	"a TLS that is too old":                  {prepare: overTLS(&tls.Config{MaxVersion: tls.VersionTLS11}), codes: []int{tooLittle}, says: "tls"},
	"the greeting of another protocol":       {fault: always(writes("SSH-2.0-OpenSSH_9.6\r\n")), codes: []int{tooLittle}, says: "malformed"},
	"bytes without a meaning":                {fault: always(writes(strings.Repeat("\x00\xff\x13\x37", 4096))), codes: []int{tooLittle}},
	"a status line and nothing more":         {fault: always(writes("HTTP/1.1 200 OK\r\n\r\n")), codes: []int{tooLittle}},
	"a status line without a number":         {fault: always(writes("HTTP/1.1 OK\r\nContent-Length: 0\r\n\r\n")), codes: []int{tooLittle}, says: "malformed"},
	"an answer of HTTP/2":                    {fault: always(writes("\x00\x00\x12\x04\x00\x00\x00\x00\x00PRI * HTTP/2.0\r\n\r\n")), codes: []int{tooLittle}},
	"another protocol, by 101":               {fault: always(writes("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n")), codes: []int{tooLittle}},
	"a head that never ends":                 {fault: always(endless("HTTP/1.1 200 OK\r\n", "X-More: "+strings.Repeat("y", 1000)+"\r\n")), codes: []int{tooLittle}},
	"a line of a head that never ends":       {fault: always(endless("HTTP/1.1 200 OK\r\nX-More: ", strings.Repeat("y", 1000))), codes: []int{tooLittle}},
	"a storm of 100 Continue":                {fault: always(endless("", "HTTP/1.1 100 Continue\r\n\r\n")), codes: []int{tooLittle}},
	"a few early hints before the answer":    {fault: always(hinted), codes: []int{exitDone}, harmless: true},
	"one byte each tenth of a second":        {fault: on(sends(whole, drip), priced...), codes: []int{tooLittle}},
	"slow, but honest":                       {fault: always(fault{before: func() { time.Sleep(200 * time.Millisecond) }}), codes: []int{exitDone}, patient: true},
	"a body that is cut in half":             {fault: on(sends(whole, half), priced...), codes: []int{tooLittle}, says: "eof"},
	"a body that stops in half":              {fault: on(sends(whole, halfAndHang), priced...), codes: []int{tooLittle}},
	"a chunk that is cut off":                {fault: on(sends(chunked, chunkCut), priced...), codes: []int{tooLittle}, says: "eof"},
	"a chunk of no size":                     {fault: on(sends(chunked, then("zz\r\n{}\r\n")), priced...), codes: []int{tooLittle}},
	"a length that is too long":              {fault: on(sends(length(1000), all), priced...), codes: []int{tooLittle}, says: "eof"},
	"a length that is too short":             {fault: on(sends(length(-10), all), priced...), codes: []int{tooLittle}},
	"a length below zero":                    {fault: on(sends(fixedHead("Content-Length: -1\r\n"), all), priced...), codes: []int{tooLittle}, says: "content-length"},
	"two lengths":                            {fault: on(sends(fixedHead("Content-Length: 10\r\nContent-Length: 20\r\n"), all), priced...), codes: []int{tooLittle}, says: "content-length"},
	"a length of exabytes":                   {fault: on(sends(fixedHead("Content-Length: 9223372036854775807\r\n"), all), priced...), codes: []int{tooLittle}},
	"no length, and the connection is ended": {fault: on(sends(fixedHead("Connection: close\r\n"), all), priced...), codes: []int{exitDone}, harmless: true},
	"a clock of 1970":                        {fault: always(dated("Thu, 01 Jan 1970 00:00:00 GMT")), codes: []int{exitDone}, harmless: true},
	"a clock of another century":             {fault: always(dated("Fri, 01 Jan 2199 00:00:00 GMT")), codes: []int{exitDone}, harmless: true},
	"a hundred cookies":                      {fault: always(cookies), codes: []int{exitDone}, harmless: true},
}

// bodies are answers with status 200 and a wrong body.
var bodies = map[string]faultCase{
	"HTML with 200":                      {fault: always(says(200, htmlPage, "Content-Type", "text/html")), codes: []int{tooLittle}, says: "maintenance"},
	"an empty body with 200":             {fault: always(says(200, "")), codes: []int{tooLittle}, says: "empty"},
	"204 to everything":                  {fault: always(says(204, "")), codes: []int{tooLittle}, says: "204"},
	"206 with a part":                    {fault: on(fault{billed: true, change: func(a *answer) { a.status = 206 }}, priced...), codes: []int{tooLittle}, says: "206"},
	"a text with 200":                    {fault: on(says(200, "OK"), priced...), codes: []int{tooLittle}, says: "ok"},
	"null with 200":                      {fault: on(says(200, "null"), priced...), codes: []int{tooLittle, exitPartial}, says: "null"},
	"a list with 200":                    {fault: on(says(200, "[]"), priced...), codes: []int{tooLittle}, says: "[]"},
	"an error with 200":                  {fault: on(says(200, `{"error":"Internal","message":"boom"}`), priced...), codes: []int{tooLittle}, says: "boom"},
	"XML with 200":                       {fault: on(says(200, "<?xml version='1.0'?><vessels/>"), priced...), codes: []int{tooLittle}, says: "xml"},
	"a body that has no end":             {fault: on(endless("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n", `{"items":["`+strings.Repeat("x", 1<<16)), priced...), codes: []int{tooLittle}},
	"64 bodies at once that have no end": {fault: on(endless("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n", strings.Repeat(" ", 1<<16)), priced...), api: ", max_in_flight: 64", prepare: wideJob, codes: []int{tooLittle}, most: 4000},
	"a bomb of gzip":                     {fault: on(fault{billed: true, change: func(a *answer) { a.body = bomb(); a.header.Set("Content-Encoding", "gzip") }}, priced...), codes: []int{tooLittle}},
	"gzip that is none":                  {fault: on(fault{billed: true, change: func(a *answer) { a.header.Set("Content-Encoding", "gzip") }}, priced...), codes: []int{tooLittle}, says: "gzip"},
	"gzip":                               {fault: on(fault{billed: true, change: func(a *answer) { a.body = zipped(a.body); a.header.Set("Content-Encoding", "gzip") }}, priced...), codes: []int{exitDone}, harmless: true},
	"a packing that was not asked for":   {fault: on(fault{billed: true, change: func(a *answer) { a.body = []byte("\x1b\x03\x00\xf8"); a.header.Set("Content-Encoding", "br") }}, priced...), codes: []int{tooLittle}},
	"a hundred thousand lists in a list": {fault: later(func() func(call) fault {
		return on(says(200, `{"total":1,"items":`+strings.Repeat("[", 100_000)+strings.Repeat("]", 100_000)+`}`), searches...)
	}), codes: []int{tooLittle, exitPartial}},
	"a hundred thousand objects, open": {fault: later(func() func(call) fault {
		return on(says(200, strings.Repeat(`{"vessels":[`, 100_000)), searches...)
	}), codes: []int{tooLittle, exitPartial}},
	"an object that is written twice":      {fault: on(rewrites(func(b []byte) []byte { return append(b, b...) }), priced...), codes: []int{tooLittle, exitPartial}},
	"a mark of byte order before the JSON": {fault: on(rewrites(func(b []byte) []byte { return append([]byte("\xef\xbb\xbf"), b...) }), priced...), codes: []int{exitDone, tooLittle}, harmless: true},
	"ten thousand blanks before the JSON":  {fault: on(rewrites(func(b []byte) []byte { return append(bytes.Repeat([]byte(" "), 10_000), b...) }), priced...), codes: []int{exitDone}, harmless: true},
	"UTF-16": {fault: on(rewrites(func(b []byte) []byte {
		return append([]byte("\xff\xfe"), bytes.Join(bytes.Split(b, nil), []byte{0})...)
	}), priced...), codes: []int{tooLittle}},
	"NaN for a number":                {fault: onPages(rewrites(func(b []byte) []byte { return bytes.ReplaceAll(b, []byte(`"limit":100`), []byte(`"limit":NaN`)) })), codes: []int{exitPartial, tooLittle}},
	"the key as the name of a vessel": {fault: on(rewrites(func(b []byte) []byte { return bytes.ReplaceAll(b, []byte("DOUBLE_"), []byte(shapes(canary)[3])) }), priced...), codes: []int{exitDone}, harmless: true},
}

// then and fixedHead return constants where a function is needed.
func then(s string) func(net.Conn, []byte) {
	return func(c net.Conn, _ []byte) { io.WriteString(c, s) }
}
func fixedHead(s string) func([]byte) string { return func([]byte) string { return s } }

func chunked([]byte) string { return "Transfer-Encoding: chunked\r\n" }
func length(more int) func([]byte) string {
	return func(b []byte) string { return whole(make([]byte, len(b)+more)) }
}
func all(c net.Conn, body []byte)  { c.Write(body) }
func half(c net.Conn, body []byte) { c.Write(body[:len(body)/2]) }
func chunkCut(c net.Conn, body []byte) {
	io.WriteString(c, strconv.FormatInt(int64(len(body)), 16)+"\r\n")
	half(c, body)
}

func halfAndHang(c net.Conn, body []byte) {
	half(c, body)
	hang(c, answer{})
}

// drip sends one byte at a time.
func drip(c net.Conn, body []byte) {
	for i := range body {
		if _, err := c.Write(body[i : i+1]); err != nil {
			return
		}
		time.Sleep(100 * time.Millisecond) // the fault itself: a real process meets a slow peer
	}
}

// hinted sends what HTTP allows before an answer, and then an honest answer.
var hinted = fault{billed: true, speak: func(c net.Conn, a answer) {
	io.WriteString(c, strings.Repeat("HTTP/1.1 103 Early Hints\r\nLink: </style.css>; rel=preload\r\n\r\n", 3))
	io.WriteString(c, "HTTP/1.1 "+strconv.Itoa(a.status)+" OK\r\n"+whole(a.body)+"\r\n")
	c.Write(a.body)
}}

// dated gives honest answers another time.
func dated(date string) fault {
	return fault{billed: true, change: func(a *answer) { a.header.Set("Date", date) }}
}

var cookies = fault{billed: true, change: func(a *answer) {
	for i := range 100 {
		a.header.Add("Set-Cookie", "session"+strconv.Itoa(i)+"="+strings.Repeat("z", 100))
	}
}}

// overTLS has the program speak TLS to a server with this configuration, or to one that
// speaks plain HTTP.
func overTLS(c *tls.Config) func(*testing.T, *double, *world) {
	return func(t *testing.T, d *double, w *world) {
		address := d.address
		if c != nil {
			s := httptest.NewUnstartedServer(d)
			s.TLS, s.Config.ErrorLog = c, log.New(io.Discard, "", 0)
			s.StartTLS()
			t.Cleanup(s.Close)
			address = s.Listener.Addr().String()
		}
		w.env = append(w.env, "FLEETLAKE_BASE_URL=https://"+address+"/api/vessels_operations")
	}
}

// wideJob makes more requests than may be in flight.
func wideJob(t *testing.T, d *double, w *world) {
	whole := newDoubleWorld(t, d, 20_000, 4000, ", timeout: 700ms, patience: 1s, max_in_flight: 64", "jobs: {nightly: {deadline: 3s}}")
	w.dir = whole.dir
}
