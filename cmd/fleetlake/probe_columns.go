package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/fleetlake/fleetlake/warehouse"
)

// mostShown is how many bytes of an answer are printed.
const mostShown = 4000

// indented returns an answer for reading, cut where it is long.
func indented(body string) string {
	var b bytes.Buffer
	text := body
	if json.Indent(&b, []byte(body), "", "  ") == nil {
		text = b.String()
	}
	if len(text) > mostShown {
		text = strings.ToValidUTF8(text[:mostShown], "") + fmt.Sprintf("\n... %d more bytes", len(text)-mostShown)
	}
	return text
}

// suggestColumns returns what an answer could have as columns: those of the elements of its largest list of objects,
// with the path of that list, or else those of its own members.
func suggestColumns(body string) (rows string, columns []string) {
	var root any
	if json.Unmarshal([]byte(body), &root) != nil {
		return "", nil
	}
	path, list := largestList("$", root)
	if len(list) > 0 {
		merged := map[string]any{}
		for _, element := range list {
			for key, v := range element {
				if v != nil {
					merged[key] = v
				}
			}
		}
		return path, columnsOf("$", merged)
	}
	object, _ := root.(map[string]any)
	if detail, ok := object["detail"].(map[string]any); ok {
		return "", columnsOf("$.detail", detail)
	}
	return "", columnsOf("$", object)
}

// largestList returns the list of objects with the most elements below a value, and its path.
func largestList(path string, v any) (best string, list []map[string]any) {
	switch v := v.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			if !plainKey.MatchString(key) {
				continue
			}
			if p, l := largestList(path+"."+key, v[key]); len(l) > len(list) {
				best, list = p, l
			}
		}
	case []any:
		var objects []map[string]any
		for _, element := range v {
			if o, ok := element.(map[string]any); ok {
				objects = append(objects, o)
			}
		}
		return path, objects
	}
	return best, list
}

// plainKey matches a member that a JSON path names without quotes.
var plainKey = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// columnsOf lists the members of an object that are values, as the configuration writes columns.
func columnsOf(path string, object map[string]any) (columns []string) {
	for _, key := range slices.Sorted(maps.Keys(object)) {
		name := columnName(key)
		if !plainKey.MatchString(key) || !warehouse.RawColumnPattern.MatchString(name) || slices.Contains(warehouse.RawViewColumns, name) {
			continue
		}
		switch typ := typeOf(object[key]); typ {
		case "":
		case "VARCHAR":
			columns = append(columns, fmt.Sprintf("%s: %s.%s", name, path, key))
		default:
			columns = append(columns, fmt.Sprintf("%s: {path: %s.%s, type: %s}", name, path, key, typ))
		}
	}
	return columns
}

// typeOf returns the type of a column that a value fits; empty for an object or a list.
func typeOf(v any) string {
	switch v := v.(type) {
	case float64:
		return "DOUBLE"
	case bool:
		return "BOOLEAN"
	case string:
		if _, err := time.Parse(time.RFC3339, v); err == nil {
			return "TIMESTAMPTZ"
		}
		if _, err := time.Parse(time.DateOnly, v); err == nil {
			return "DATE"
		}
		return "VARCHAR"
	}
	return ""
}

var hump = regexp.MustCompile(`([a-z0-9])([A-Z])`)

// columnName is a member's name in lower_snake_case.
func columnName(key string) string { return strings.ToLower(hump.ReplaceAllString(key, "${1}_$2")) }
