package main

import (
	"encoding/json"
	"strings"
)

// values are answers in good JSON that say what cannot be.
var values = map[string]faultCase{
	"a total of two thousand million":         {fault: on(sets("total", 2_000_000_000), typeSearch), codes: []int{exitPartial}},
	"a total beyond all numbers":              {fault: on(sets("total", json.Number("1e999")), typeSearch), codes: []int{exitPartial}},
	"a total below zero":                      {fault: on(sets("total", -1), typeSearch), codes: []int{exitPartial}},
	"a total with a fraction":                 {fault: on(sets("total", 120.5), typeSearch), codes: []int{exitPartial}},
	"a total in words":                        {fault: on(sets("total", "many"), typeSearch), codes: []int{exitPartial}},
	"a total as a text":                       {fault: on(edits(totalAsText), typeSearch), codes: []int{exitDone}, harmless: true},
	"no total":                                {fault: on(edits(func(o map[string]any) { delete(o, "total") }), typeSearch), codes: []int{exitDone, exitPartial}, harmless: true},
	"a total that is smaller than its page":   {fault: on(sets("total", 1), typeSearch), codes: []int{exitPartial}},
	"a total that grows with each page":       {fault: growing, codes: []int{exitPartial}, most: 600},
	"a page that comes again and again":       {fault: repeating, codes: []int{exitPartial}, most: 600},
	"a page that is another's":                {fault: on(sets("page", 7), typeSearch), codes: []int{exitDone, exitPartial}, harmless: true},
	"items that are null on an empty page":    {fault: on(edits(func(o map[string]any) { nullWhere(o, "items", true) }), typeSearch), codes: []int{exitDone}, harmless: true},
	"items that are null on every page":       {fault: on(edits(func(o map[string]any) { nullWhere(o, "items", false) }), typeSearch), codes: []int{exitPartial}},
	"items that are an object":                {fault: on(sets("items", map[string]any{}), typeSearch), codes: []int{exitPartial}},
	"items that are nothing":                  {fault: on(sets("items", make([]any, 50)), typeSearch), codes: []int{exitDone, exitPartial}, harmless: true},
	"items that are numbers":                  {fault: on(sets("items", []int{1, 2, 3}), typeSearch), codes: []int{exitDone, exitPartial}, harmless: true},
	"items that are lists":                    {fault: on(sets("items", [][]string{{}, {}}), typeSearch), codes: []int{exitDone, exitPartial}, harmless: true},
	"no items":                                {fault: on(edits(func(o map[string]any) { delete(o, "items") }), typeSearch), codes: []int{exitPartial}},
	"a hundred thousand items on a page":      {fault: on(edits(crowd), typeSearch), codes: []int{exitDone, exitPartial}, harmless: true},
	"numbers where texts were":                {fault: on(edits(eachItem(func(v map[string]any) { v["imo"], v["mmsi"] = 9000001, 215000000.0 })), typeSearch), codes: []int{exitDone, exitPartial}, harmless: true},
	"objects where texts were":                {fault: on(edits(eachItem(func(v map[string]any) { v["name"], v["country"] = map[string]any{"en": "x"}, []int{1} })), typeSearch), codes: []int{exitDone, exitPartial}, harmless: true},
	"vessels without any number":              {fault: on(edits(eachItem(func(v map[string]any) { v["imo"], v["mmsi"] = nil, nil })), typeSearch), codes: []int{exitDone, exitPartial}, harmless: true},
	"all vessels with one number":             {fault: on(edits(eachItem(func(v map[string]any) { v["imo"], v["mmsi"] = "9074729", "215000000" })), typeSearch), codes: []int{exitDone, exitPartial}, harmless: true},
	"a name of a megabyte":                    {fault: on(edits(firstItem(func(v map[string]any) { v["name"] = strings.Repeat("N", 1<<20) })), typeSearch), codes: []int{exitDone, exitPartial}, harmless: true},
	"names with NUL and bells":                {fault: on(edits(eachItem(func(v map[string]any) { v["name"] = "A\x00B\x07\x1b[2J" })), typeSearch), codes: []int{exitDone, exitPartial}, harmless: true},
	"names that are SQL":                      {fault: on(edits(eachItem(func(v map[string]any) { v["name"] = "'; DROP TABLE vessels; --" })), typeSearch), codes: []int{exitDone}, harmless: true},
	"names in broken UTF-8":                   {fault: on(rewrites(brokenNames), typeSearch), codes: []int{exitDone, exitPartial, exitUnexpected}, harmless: true},
	"a thousand members more":                 {fault: on(edits(eachItem(manyMembers)), typeSearch), codes: []int{exitDone}, harmless: true},
	"a member that is there twice":            {fault: on(rewrites(func(b []byte) []byte { return append(b[:len(b)-1], `,"total":0,"items":[]}`...) }), typeSearch), codes: []int{exitDone, exitPartial}, harmless: true},
	"a country that nobody asked for":         {fault: on(edits(eachItem(func(v map[string]any) { v["country"], v["countryIso"] = "Atlantis", "XX" })), typeSearch), codes: []int{exitDone, exitPartial, exitUnexpected}, harmless: true},
	"no vessels in the sweep":                 {fault: on(edits(func(o map[string]any) { delete(o, "vessels") }), statusSearch), codes: []int{exitPartial}},
	"vessels that are null in the sweep":      {fault: on(sets("vessels", nil), statusSearch), codes: []int{exitDone, exitPartial}, harmless: true},
	"the answer of the other search":          {fault: on(says(200, `{"total":0,"items":[],"limit":100,"page":1}`), statusSearch), codes: []int{exitPartial}},
	"the sweep's answer to the list":          {fault: on(says(200, `{"vessels":[]}`), typeSearch), codes: []int{exitPartial}},
	"a lookup that tells of another vessel":   {fault: on(sets("detail", tinyFleet()[134].profile()), particulars), codes: []int{exitDone, exitPartial}, harmless: true},
	"a lookup that answers in words":          {fault: on(sets("detail", "Vessel not found"), particulars), codes: []int{exitDone}, harmless: true},
	"a lookup that answers with nothing":      {fault: on(sets("detail", nil), particulars), codes: []int{exitDone, exitPartial}, harmless: true},
	"a lookup that answers with a list":       {fault: on(sets("detail", []any{}), particulars), codes: []int{exitDone, exitPartial}, harmless: true},
	"a list that forgets half its vessels":    {fault: on(edits(forgetful), typeSearch), codes: []int{exitPartial}},
	"a list that is empty but for its totals": {fault: on(sets("items", []any{}), typeSearch), codes: []int{exitPartial}},
}

func totalAsText(o map[string]any) {
	if n, ok := o["total"].(float64); ok {
		b, _ := json.Marshal(n)
		o["total"] = string(b)
	}
}

// growing promises one page more with each page, and gives it.
func growing(c call) fault {
	if c.path != typeSearch || strings.Contains(c.asked, "Tonga") {
		return fault{}
	}
	return fault{billed: true, change: func(a *answer) {
		fleet := worldFleet(100)
		items := make([]any, 100)
		for i, h := range fleet {
			h.imo, h.mmsi, h.flag = imoNumber(100_000+c.n*100+i), "", "Malta"
			items[i] = h.item()
		}
		*a = jsonAnswer(200, map[string]any{"total": (c.nth + 1) * 100, "items": items, "limit": 100, "page": c.nth}, 10)
	}}
}

// repeating says that there are two hundred pages, and gives the first each time.
func repeating(c call) fault {
	if c.path != typeSearch || !strings.Contains(c.asked, "Malta") {
		return fault{}
	}
	return fault{billed: true, change: func(a *answer) {
		items := make([]any, 100)
		for i, h := range tinyFleet()[:100] {
			items[i] = h.item()
		}
		*a = jsonAnswer(200, map[string]any{"total": 20_000, "items": items, "limit": 100, "page": 1}, 10)
	}}
}

// nullWhere makes a list null, on empty pages or on all.
func nullWhere(o map[string]any, key string, empty bool) {
	if list, ok := o[key].([]any); ok && (len(list) == 0 || !empty) {
		o[key] = nil
	}
}

// crowd repeats a page's vessels until there are a hundred thousand.
func crowd(o map[string]any) {
	if items, ok := o["items"].([]any); ok && len(items) > 0 {
		many := make([]any, 100_000)
		for i := range many {
			many[i] = items[i%len(items)]
		}
		o["items"] = many
	}
}

// forgetful gives every other vessel and the whole total.
func forgetful(o map[string]any) {
	if items, ok := o["items"].([]any); ok {
		o["items"] = items[:len(items)/2]
	}
}

func eachItem(edit func(vessel map[string]any)) func(map[string]any) {
	return func(o map[string]any) {
		items, _ := o["items"].([]any)
		for _, item := range items {
			if v, ok := item.(map[string]any); ok {
				edit(v)
			}
		}
	}
}

func firstItem(edit func(vessel map[string]any)) func(map[string]any) {
	return func(o map[string]any) {
		if items, _ := o["items"].([]any); len(items) > 0 {
			edit(items[0].(map[string]any))
		}
	}
}

func manyMembers(v map[string]any) {
	for i := range 1000 {
		v["member"+strings.Repeat("m", i%7)+string(rune('a'+i%26))+json.Number(strings.Repeat("1", i%9+1)).String()] = i
	}
}

// brokenNames puts a byte into each name that no UTF-8 has.
func brokenNames(b []byte) []byte {
	return []byte(strings.ReplaceAll(string(b), "DOUBLE_", "DOUBLE\xff"))
}
