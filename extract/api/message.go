package api

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// LongestMessage is how many characters of a message of the service are printed.
const LongestMessage = 300

// Message returns the message in an error body of any shape of the service, clipped.
func Message(body []byte) string { return Clip(messageOf(body)) }

// Clip returns a text for printing: on one line, and of at most LongestMessage characters and an
// ellipsis. Characters that would control a terminal, or change the direction of the text beside
// them, become a space.
func Clip(text string) string {
	text = strings.ToValidUTF8(text[:min(len(text), 8*LongestMessage)], "?")
	text = strings.Join(strings.FieldsFunc(text, func(r rune) bool {
		return unicode.IsSpace(r) ||
			unicode.IsControl(r) || unicode.Is(unicode.Cf, r)
	}), " ")
	if runes := []rune(text); len(runes) > LongestMessage {
		return string(runes[:LongestMessage]) + "…"
	}
	return text
}

// messageOf returns the message in an error body, of any length.
func messageOf(body []byte) string {
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

// briefly is how many bytes of a body Brief quotes.
const briefly = 200

// Brief quotes the start of a body, on one line.
func Brief(body []byte) string {
	if len(bytes.TrimSpace(body)) == 0 {
		return "an empty body"
	}
	return strconv.Quote(Clip(string(body[:min(len(body), briefly)])))
}
