package main

import (
	"strings"
	"testing"
	"time"
)

const (
	ambiguous = `{"error":"Bad Request","message":"Your credits are insufficient or the endpoint is blacklisted"}`
	htmlPage  = "<!doctype html><html><head><title>Maintenance</title></head><body>We will be back soon.</body></html>"
)

// refusals are answers with an error status that do not end.
var refusals = map[string]faultCase{
	"500 to everything":                         {fault: always(says(500, `{"error":"Internal","message":"boom"}`)), codes: []int{tooLittle}, says: "500"},
	"502 in HTML":                               {fault: always(says(502, htmlPage)), codes: []int{tooLittle}, says: "502"},
	"503 to everything":                         {fault: always(says(503, `{"detail":"Database temporarily unavailable"}`)), codes: []int{tooLittle}, says: "503"},
	"503 for an hour":                           {fault: always(says(503, `{"detail":"away"}`, "Retry-After", "3600")), codes: []int{tooLittle}, says: "503"},
	"503 and a time that is past":               {fault: always(says(503, `{"detail":"away"}`, "Retry-After", "Wed, 21 Oct 2015 07:28:00 GMT")), codes: []int{tooLittle}, says: "503"},
	"504 to everything":                         {fault: always(says(504, "")), codes: []int{tooLittle}, says: "504"},
	"520 with an empty body":                    {fault: always(says(520, "")), codes: []int{tooLittle}, says: "520"},
	"429 to everything":                         {fault: always(says(429, `{"detail":"Too Many Requests"}`)), codes: []int{tooLittle}},
	"429 for an hour":                           {fault: always(says(429, `{"detail":"Too Many Requests"}`, "Retry-After", "3600")), codes: []int{tooLittle}},
	"429 for a year":                            {fault: always(says(429, `{"detail":"Too Many Requests"}`, "Retry-After", "31536000")), codes: []int{tooLittle}},
	"429 until a time that is past":             {fault: always(says(429, `{"detail":"Too Many Requests"}`, "Retry-After", "Wed, 21 Oct 2015 07:28:00 GMT")), codes: []int{tooLittle}},
	"429 for a time in words":                   {fault: always(says(429, `{"detail":"Too Many Requests"}`, "Retry-After", "soon")), codes: []int{tooLittle}},
	"429 for less than no time":                 {fault: always(says(429, `{"detail":"Too Many Requests"}`, "Retry-After", "-5")), codes: []int{tooLittle}},
	"429 to the first search alone":             {fault: first(1, says(429, `{"detail":"Too Many Requests"}`), typeSearch), codes: []int{exitPartial}},
	"401 to everything":                         {fault: always(says(401, `{"error":"Unauthorized","message":"Invalid or missing API key"}`)), codes: []int{exitKey}, says: "key"},
	"401 that echoes the key":                   {fault: always(echo(401)), codes: []int{exitKey}},
	"401 to the list alone":                     {fault: on(says(401, `{"error":"Unauthorized","message":"Invalid or missing API key"}`), typeSearch), codes: []int{exitKey}, says: "key"},
	"500 that echoes the key":                   {fault: always(echo(500)), codes: []int{tooLittle}},
	"404 that echoes the key":                   {fault: on(echo(404), priced...), codes: []int{tooLittle}},
	"402 to everything that is priced":          {fault: on(says(402, `{"error":"Payment Required","message":"buy credits"}`), priced...), codes: []int{exitCredits}, says: "credits"},
	"403 to everything that is priced":          {fault: on(says(403, `{"error":"Forbidden","message":"not for you"}`), priced...), codes: []int{tooLittle}, says: "not for you"},
	"404 to everything":                         {fault: always(says(404, `{"detail":"Not Found"}`)), codes: []int{tooLittle}, says: "not found"},
	"404 to the searches":                       {fault: on(says(404, `{"detail":"Not Found"}`), searches...), codes: []int{tooLittle, exitPartial}, says: "not found"},
	"404 to the first search":                   {fault: first(1, says(404, `{"detail":"Not Found"}`), typeSearch), codes: []int{exitDone, exitPartial}},
	"404 to every lookup":                       {fault: on(says(404, `{"error":"Not Found","message":"vessel not found"}`), particulars), codes: []int{exitDone}, harmless: true},
	"400 in words for two things":               {fault: on(says(400, ambiguous), priced...), codes: []int{tooLittle}, says: "blacklisted"},
	"400 in words for two things, to the list":  {fault: on(says(400, ambiguous), typeSearch), codes: []int{exitPartial, tooLittle}, says: "blacklisted"},
	"400 in words for two things, to the sweep": {fault: on(says(400, ambiguous), statusSearch), codes: []int{exitPartial, tooLittle}, says: "blacklisted"},
	"400 for want of credits, and it is true":   {fault: on(says(400, ambiguous), priced...), prepare: broke, codes: []int{exitCredits}, says: "credits"},
	"400 for values that were always good":      {fault: on(says(400, `{"error":"Bad Request","message":"invalid parameter value"}`), statusSearch), codes: []int{exitPartial, tooLittle}, says: "invalid parameter value"},
	"400 in no words":                           {fault: on(says(400, ""), statusSearch), codes: []int{exitPartial, tooLittle}},
	"422 of the framework":                      {fault: on(says(422, `{"detail":[{"loc":["header","x-api-key"],"msg":"field required","type":"value_error.missing"}]}`), typeSearch), codes: []int{exitPartial, tooLittle}, says: "field required"},
	"422 to the whole list":                     {fault: on(says(422, `{"detail":[{"field":"country","value":"Malta","message":"not an accepted value","allowed_values":["Atlantis"]}]}`), typeSearch), codes: []int{exitPartial, tooLittle}, says: "not an accepted value"},
	"408 to everything":                         {fault: always(says(408, "")), codes: []int{tooLittle}, says: "408"},
	"410 to everything that is priced":          {fault: on(says(410, `{"message":"gone for good"}`), priced...), codes: []int{tooLittle}, says: "gone for good"},
	"418 to everything that is priced":          {fault: on(says(418, `{"message":"teapot"}`), priced...), codes: []int{tooLittle}, says: "teapot"},
	"451 to everything that is priced":          {fault: on(says(451, `{"message":"legal reasons"}`), priced...), codes: []int{tooLittle}, says: "legal reasons"},
	"999 to everything that is priced":          {fault: on(says(999, `{"message":"no such status"}`), priced...), codes: []int{tooLittle}},
	"302 to itself":                             {fault: always(says(302, "", "Location", "/api/vessels_operations/my-credits")), codes: []int{tooLittle}, says: "302"},
	"307 to another host":                       {fault: always(says(307, "", "Location", "https://collector.example/")), codes: []int{tooLittle}, says: "307"},
	"304 to everything that is priced":          {fault: on(says(304, ""), priced...), codes: []int{tooLittle}, says: "304"},
	"an error text of 5 MB": {fault: later(func() func(call) fault {
		return always(says(500, `{"error":"boom","message":"`+strings.Repeat("word ", 1<<20)+`"}`))
	}), codes: []int{tooLittle}, says: "500"},
	"an error text of 5 MB without a blank": {fault: later(func() func(call) fault {
		return on(says(400, `{"detail":"`+strings.Repeat("x", 5<<20)+`"}`), typeSearch)
	}), codes: []int{exitPartial, tooLittle}},
	"an error text with control characters":      {fault: always(says(500, `{"error":"bad\u001b[2J\u0007","message":"one\r\ntwo\u0000three\u2028four\u202efive\u009b"}`)), codes: []int{tooLittle}, says: "two"},
	"an error text in broken UTF-8":              {fault: always(says(500, "{\"error\":\"\xff\xfe\",\"message\":\"\xc3\x28\"}")), codes: []int{tooLittle}},
	"the list is away for good":                  {fault: on(says(503, `{"detail":"Database temporarily unavailable"}`), typeSearch), codes: []int{exitPartial, tooLittle}, says: "503"},
	"the sweep is away for good":                 {fault: on(says(500, `{"error":"Internal","message":"boom"}`), statusSearch), codes: []int{exitPartial, tooLittle}, says: "500"},
	"the lookups are away for good":              {fault: on(says(502, htmlPage), particulars), codes: []int{exitPartial}, says: "502"},
	"the balance is away for good":               {fault: on(says(500, ""), creditsCall), codes: []int{exitDone}},
	"the balance is HTML":                        {fault: on(says(200, htmlPage), creditsCall), codes: []int{exitDone}, harmless: true},
	"the balance is a text":                      {fault: on(says(200, `{"detail":"plenty of credits left"}`), creditsCall), codes: []int{exitDone}, harmless: true},
	"the balance is below zero":                  {fault: on(says(200, `{"detail":{"credits":-5}}`), creditsCall), codes: []int{exitCredits, exitDone}, harmless: true},
	"the balance is a number beyond all numbers": {fault: on(says(200, `{"detail":{"credits":1e400}}`), creditsCall), codes: []int{exitDone}, harmless: true},
	"the balance hangs":                          {fault: on(fault{speak: hang}, creditsCall), codes: []int{exitDone}},
}

// broke takes the credits away.
func broke(_ *testing.T, d *double, _ *world) { d.balance = 3 }

// passing are faults that come to an end: the run waits for that, and is done.
var passing = map[string]faultCase{
	"the first search of each kind is a 500":    {fault: first(1, says(500, ""), searches...), patient: true, codes: []int{exitDone}},
	"the first two of each kind are 503":        {fault: first(2, says(503, `{"detail":"away"}`), priced...), patient: true, codes: []int{exitDone}},
	"503 that says when to come again":          {fault: first(1, says(503, `{"detail":"away"}`, "Retry-After", "1"), priced...), patient: true, codes: []int{exitDone}},
	"the first search is HTML with 200":         {fault: first(1, says(200, htmlPage), typeSearch), patient: true, codes: []int{exitDone}},
	"the first two of each kind are cut off":    {fault: first(2, fault{speak: reset}, priced...), patient: true, codes: []int{exitDone}},
	"the first of each kind hangs":              {fault: first(1, fault{speak: hang}, priced...), patient: true, codes: []int{exitDone}},
	"the first body of each search is cut off":  {fault: first(1, sends(whole, half), searches...), patient: true, codes: []int{exitDone}},
	"the first balances are 503":                {fault: first(2, says(503, ""), creditsCall), patient: true, codes: []int{exitDone}},
	"every other answer is 503":                 {fault: everyOther(says(503, `{"detail":"away"}`)), patient: true, codes: []int{exitDone}},
	"everything is 502 for two seconds":         {fault: during(2*time.Second, says(502, htmlPage)), patient: true, codes: []int{exitDone}},
	"connections are refused for two seconds":   {prepare: refusedFor(2 * time.Second), patient: true, codes: []int{exitDone}},
	"one lookup is of a vessel that is unknown": {fault: first(1, says(404, `{"error":"Not Found","message":"vessel not found"}`), particulars), patient: true, codes: []int{exitDone}, harmless: true},
}

func everyOther(f fault) func(call) fault {
	return func(c call) fault {
		if c.n%2 == 0 {
			return f
		}
		return fault{}
	}
}

func during(d time.Duration, f fault) func(call) fault {
	return func(c call) fault {
		if c.since < d {
			return f
		}
		return fault{}
	}
}

// refusedFor refuses connections for a while from the second request on.
func refusedFor(away time.Duration) func(*testing.T, *double, *world) {
	return func(t *testing.T, d *double, _ *world) {
		d.fault = func(c call) fault {
			if c.n == 2 {
				go func() {
					d.down()
					time.Sleep(away) // an outage for a real process lasts real time
					d.up(t)
				}()
			}
			return fault{}
		}
	}
}
