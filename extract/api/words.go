package api

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// MostWords is how many characters of the service's words are shown.
const MostWords = 300

// Message finds the service's own words in an error body of any of its shapes, on one line.
func Message(body []byte) string { return Clip(said(body)) }

// Clip shortens a text to what is fit to be shown, on one line. Characters that would control a
// terminal, or turn the direction of what stands beside them, give way to a blank.
func Clip(text string) string {
	text = strings.ToValidUTF8(text[:min(len(text), 8*MostWords)], "?")
	text = strings.Join(strings.FieldsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) || unicode.Is(unicode.Cf, r) }), " ")
	if runes := []rune(text); len(runes) > MostWords {
		return string(runes[:MostWords]) + "…"
	}
	return text
}

// said finds the words of an error body.
func said(body []byte) string {
	var shape struct {
		Error   string          `json:"error"`
		Message string          `json:"message"`
		Detail  json.RawMessage `json:"detail"`
	}
	if json.Unmarshal(body, &shape) != nil {
		return Brief(body)
	}
	if shape.Error != "" || shape.Message != "" {
		return strings.Trim(shape.Error+": "+shape.Message, ": ")
	}
	var detail string
	if json.Unmarshal(shape.Detail, &detail) == nil && detail != "" {
		return detail
	}
	var list []struct {
		Field   string `json:"field"`
		Message string `json:"message"`
		Msg     string `json:"msg"`
		Loc     []any  `json:"loc"`
	}
	if json.Unmarshal(shape.Detail, &list) == nil && len(list) > 0 {
		if list[0].Field != "" {
			return list[0].Field + ": " + list[0].Message
		}
		return strings.TrimSpace(fmt.Sprint(list[0].Loc, " ", list[0].Msg))
	}
	return Brief(body)
}

// Brief shows the start of a body, on one line.
func Brief(body []byte) string {
	if len(bytes.TrimSpace(body)) == 0 {
		return "an empty body"
	}
	return strconv.Quote(Clip(string(body[:min(len(body), 200)])))
}
