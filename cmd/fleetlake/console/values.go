package console

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
)

// cellText is a value as CSV and tables write it; NULL is empty. Lists, structs and maps are
// written as JSON.
func cellText(v any, databaseType string) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return strconv.FormatFloat(v, 'g', -1, 64)
		}
	case float32:
		return cellText(widen(v), databaseType)
	}
	b := appendJSON(nil, v, databaseType)
	if b[0] != '"' {
		return string(b)
	}
	var s string
	if json.Unmarshal(b, &s) != nil {
		return string(b)
	}
	return s
}

// appendJSON writes a value as JSON: numbers with all their digits, times in UTC, dates as
// dates, bytes as hex digits. JSON has no NaN and no infinity: they are null.
func appendJSON(b []byte, v any, databaseType string) []byte {
	switch v := v.(type) {
	case nil:
		return append(b, "null"...)
	case json.RawMessage: // of a query whose answer DuckDB wrote as JSON
		return append(b, v...)
	case time.Time:
		return append(b, strconv.Quote(timeText(v, databaseType))...)
	case []byte:
		return append(b, strconv.Quote(bytesText(v, databaseType))...)
	case *big.Int:
		return v.Append(b, 10)
	case float32:
		return appendJSON(b, widen(v), databaseType)
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return append(b, "null"...)
		}
	}
	return appendOther(b, v, databaseType)
}

// appendOther writes a value of which only the kind is known. The driver's own types are not named
// here: only the warehouse imports the driver.
func appendOther(b []byte, v any, databaseType string) []byte {
	r := reflect.ValueOf(v)
	switch r.Kind() {
	case reflect.Slice, reflect.Array:
		element, _, _ := strings.Cut(databaseType, "[")
		b = append(b, '[')
		for i := range r.Len() {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendJSON(b, r.Index(i).Interface(), element)
		}
		return append(b, ']')
	case reflect.Map:
		return appendMap(b, r)
	}
	if s, ok := v.(fmt.Stringer); ok && r.Kind() == reflect.Struct { // a decimal
		if text := s.String(); json.Valid([]byte(text)) {
			return append(b, text...)
		}
	}
	return append(b, marshal(v)...)
}

// appendMap writes a map or a struct as an object. Its keys are sorted, because Go's maps
// have no order.
func appendMap(b []byte, m reflect.Value) []byte {
	type pair struct {
		key   string
		value any
	}
	var pairs []pair
	for iter := m.MapRange(); iter.Next(); {
		pairs = append(pairs, pair{cellText(iter.Key().Interface(), ""), iter.Value().Interface()})
	}
	slices.SortFunc(pairs, func(a, b pair) int { return strings.Compare(a.key, b.key) })
	b = append(b, '{')
	for i, p := range pairs {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, marshal(p.key)...)
		b = append(b, ':')
		b = appendJSON(b, p.value, "")
	}
	return append(b, '}')
}

// marshal writes JSON that keeps < and & readable. A value that JSON cannot represent becomes its
// text.
func marshal(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(v) != nil {
		b.Reset()
		e.Encode(fmt.Sprint(v)) // a string always encodes
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// widen returns the float64 that is written like the float32: 0.1 and not 0.10000000149011612.
func widen(f float32) float64 {
	wide, err := strconv.ParseFloat(strconv.FormatFloat(float64(f), 'g', -1, 32), 64)
	if err != nil {
		return float64(f)
	}
	return wide
}

// timeText writes a moment by RFC 3339 in UTC, a date as a date and a time of day as one. A TIMESTAMP
// has no zone, and gets none: it may be the time of any clock.
func timeText(t time.Time, databaseType string) string {
	switch t = t.UTC(); databaseType {
	case "DATE":
		return t.Format("2006-01-02")
	case "TIME", "TIMETZ", "TIME WITH TIME ZONE":
		return t.Format("15:04:05.999999")
	case "TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS":
		return t.Format("2006-01-02T15:04:05.999999999")
	}
	return t.Format(time.RFC3339Nano)
}

// bytesText writes bytes as hex digits, those of a UUID with its dashes.
func bytesText(b []byte, databaseType string) string {
	s := hex.EncodeToString(b)
	if databaseType == "UUID" && len(b) == 16 {
		return s[:8] + "-" + s[8:12] + "-" + s[12:16] + "-" + s[16:20] + "-" + s[20:]
	}
	return s
}

// isNumber reports whether a value is aligned to the right of its column.
func isNumber(v any) bool {
	switch v.(type) {
	case nil, bool, string, time.Time, []byte:
		return false
	case *big.Int:
		return true
	}
	switch reflect.ValueOf(v).Kind() {
	case reflect.Slice, reflect.Array, reflect.Map:
		return false
	case reflect.Struct:
		_, decimal := v.(fmt.Stringer)
		return decimal
	}
	return true
}
