package main

import (
	"encoding/json"
	"strings"
)

// values are answers in valid JSON with impossible values.
var values = map[string]faultCase{
	"a total of two thousand million":         {fault: onPages(sets("total", 2_000_000_000)), codes: []int{exitPartial, tooLittle}},
	"a total beyond all numbers":              {fault: onPages(sets("total", json.Number("1e999"))), codes: []int{exitPartial, tooLittle}},
	"a total below zero":                      {fault: onPages(sets("total", -1)), codes: []int{exitPartial, tooLittle}},
	"a total with a fraction":                 {fault: onPages(sets("total", 120.5)), codes: []int{exitDone, exitPartial, tooLittle}, harmless: true},
	"a total in words":                        {fault: onPages(sets("total", "many")), codes: []int{exitPartial, tooLittle}},
	"a total as a text":                       {fault: onPages(edits(totalAsText)), codes: []int{exitDone}, harmless: true},
	"no total":                                {fault: onPages(edits(func(o map[string]any) { delete(o, "total") })), codes: []int{exitDone, exitPartial, tooLittle}, harmless: true},
	"a total that is smaller than its page":   {fault: onPages(sets("total", 1)), codes: []int{exitPartial, tooLittle}},
	"a total that grows with each page":       {fault: growing, codes: []int{exitPartial}, most: 600},
	"a page that comes again and again":       {fault: repeating, codes: []int{exitPartial, exitCredits}, most: 600},
	"a page that is another's":                {fault: onPages(sets("page", 7)), codes: []int{exitDone, exitPartial, tooLittle}, harmless: true},
	"items that are null on an empty page":    {fault: on(edits(func(o map[string]any) { nullWhere(o, "items", true) }), typeSearch), codes: []int{exitDone}, harmless: true},
	"items that are null on every page":       {fault: onPages(edits(func(o map[string]any) { nullWhere(o, "items", false) })), codes: []int{exitPartial, tooLittle}},
	"items that are an object":                {fault: onPages(sets("items", map[string]any{})), codes: []int{exitPartial, tooLittle}},
	"items that are nothing":                  {fault: onPages(sets("items", make([]any, 50))), codes: []int{exitDone, exitPartial, tooLittle}, harmless: true},
	"items that are numbers":                  {fault: onPages(sets("items", []int{1, 2, 3})), codes: []int{exitDone, exitPartial, tooLittle}, harmless: true},
	"items that are lists":                    {fault: onPages(sets("items", [][]string{{}, {}})), codes: []int{exitDone, exitPartial, tooLittle}, harmless: true},
	"no items":                                {fault: onPages(edits(func(o map[string]any) { delete(o, "items") })), codes: []int{exitPartial, tooLittle}},
	"a hundred thousand items on a page":      {fault: onPages(edits(crowd)), codes: []int{exitDone, exitPartial, tooLittle}, harmless: true},
	"numbers where texts were":                {fault: onPages(edits(eachItem(func(v map[string]any) { v["imo"], v["mmsi"] = 9000001, 215000000.0 }))), codes: []int{exitDone, exitPartial, tooLittle}, harmless: true},
	"objects where texts were":                {fault: onPages(edits(eachItem(func(v map[string]any) { v["name"], v["country"] = map[string]any{"en": "x"}, []int{1} }))), codes: []int{exitDone, exitPartial, tooLittle}, harmless: true},
	"vessels without any number":              {fault: onPages(edits(eachItem(func(v map[string]any) { v["imo"], v["mmsi"] = nil, nil }))), codes: []int{exitDone, exitPartial, tooLittle}, harmless: true},
	"all vessels with one number":             {fault: onPages(edits(eachItem(func(v map[string]any) { v["imo"], v["mmsi"] = "9074729", "215000000" }))), codes: []int{exitDone, exitPartial, tooLittle}, harmless: true},
	"a name of a megabyte":                    {fault: onPages(edits(firstItem(func(v map[string]any) { v["name"] = strings.Repeat("N", 1<<20) }))), codes: []int{exitDone, exitPartial, tooLittle}, harmless: true},
	"names with NUL and bells":                {fault: onPages(edits(eachItem(func(v map[string]any) { v["name"] = "A\x00B\x07\x1b[2J" }))), codes: []int{exitDone, exitPartial, tooLittle}, harmless: true},
	"names that are SQL":                      {fault: onPages(edits(eachItem(func(v map[string]any) { v["name"] = "'; DROP TABLE vessels; --" }))), codes: []int{exitDone}, harmless: true},
	"names in broken UTF-8":                   {fault: onPages(rewrites(brokenNames)), codes: []int{exitDone, exitPartial, exitUnexpected}, harmless: true},
	"a hundred members more":                  {fault: onPages(edits(eachItem(manyMembers))), codes: []int{exitDone}, harmless: true},
	"a member that is there twice":            {fault: onPages(rewrites(func(b []byte) []byte { return append(b[:len(b)-1], `,"limit":100}`...) })), codes: []int{exitDone, exitPartial, tooLittle}, harmless: true},
	"a country that nobody asked for":         {fault: onPages(edits(eachItem(func(v map[string]any) { v["country"], v["countryIso"] = "Atlantis", "XX" }))), codes: []int{exitDone, exitPartial, exitUnexpected}, harmless: true},
	"no vessels in the sweep":                 {fault: on(edits(func(o map[string]any) { delete(o, "vessels") }), statusSearch), codes: []int{exitPartial}},
	"vessels that are null in the sweep":      {fault: on(sets("vessels", nil), statusSearch), codes: []int{exitDone, exitPartial}, harmless: true},
	"the answer of the other search":          {fault: on(says(200, `{"total":0,"items":[],"limit":100,"page":1}`), statusSearch), codes: []int{exitPartial}},
	"the sweep's answer to the list":          {fault: onPages(says(200, `{"vessels":[]}`)), codes: []int{exitPartial, tooLittle}},
	"a lookup that answers another vessel":    {fault: on(sets("detail", tinyFleet()[134].profile()), particulars), codes: []int{exitDone, exitPartial}, harmless: true},
	"a lookup that answers in words":          {fault: on(sets("detail", "Vessel not found"), particulars), codes: []int{exitDone}, harmless: true},
	"a lookup that answers with nothing":      {fault: on(sets("detail", nil), particulars), codes: []int{exitDone, exitPartial}, harmless: true},
	"a lookup that answers with a list":       {fault: on(sets("detail", []any{}), particulars), codes: []int{exitDone, exitPartial}, harmless: true},
	"a list that forgets half its vessels":    {fault: onPages(edits(forgetful)), codes: []int{exitPartial, tooLittle}},
	"a list that is empty but for its totals": {fault: onPages(fault{change: emptied}), codes: []int{exitPartial, tooLittle}},
}

func totalAsText(o map[string]any) {
	if n, ok := o["total"].(float64); ok {
		b, _ := json.Marshal(n)
		o["total"] = string(b)
	}
}

// growing promises one page more with each page, and gives it.
func growing(c call) fault {
	if c.path != typeSearch || c.probe || strings.Contains(c.asked, "Tonga") {
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

// emptied gives no vessel and the whole total, which costs nothing.
func emptied(a *answer) {
	edits(func(o map[string]any) { o["items"] = []any{} }).change(a)
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
	for i := range 100 {
		v["member"+strings.Repeat("m", i%7)+string(rune('a'+i%26))+json.Number(strings.Repeat("1", i%9+1)).String()] = i
	}
}

// brokenNames puts a byte into each name that no UTF-8 has.
func brokenNames(b []byte) []byte {
	return []byte(strings.ReplaceAll(string(b), "DOUBLE_", "DOUBLE\xff"))
}
