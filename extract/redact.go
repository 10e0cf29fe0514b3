package extract

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"html"
	"net/url"
	"slices"
	"strings"
)

// redacted replaces a secret wherever the service repeats it.
const redacted = "[redacted]"

// shortestSecret is the length of the shortest secret that is removed. A shorter one would occur
// by chance in ordinary words.
const shortestSecret = 8

// redactor removes a secret from texts, in every encoding in which a service may repeat it.
type redactor struct {
	forms    [][]byte
	replacer *strings.Replacer
}

// newRedactor returns the redactor of a secret. For a secret that is too short it removes nothing.
func newRedactor(secret string) *redactor {
	if len(secret) < shortestSecret {
		return &redactor{}
	}
	quoted, _ := json.Marshal(secret) // a string always can be
	forms := []string{secret, strings.Trim(string(quoted), `"`), html.EscapeString(secret),
		hex.EncodeToString([]byte(secret)), strings.ToUpper(hex.EncodeToString([]byte(secret)))}
	// as encoders of JSON write it that escape no HTML
	forms = append(forms, strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(secret))
	for _, f := range []string{url.QueryEscape(secret), url.PathEscape(secret)} {
		forms = append(forms, f, lowerEscapes(f))
	}
	slashes := strings.NewReplacer("/", `\/`)
	for _, f := range slices.Clone(forms) {
		forms = append(forms, slashes.Replace(f))
	}
	forms = append(forms, inBase64(secret)...)
	slices.SortFunc(forms, func(a, b string) int { return len(b) - len(a) }) // the longest first: one may contain another
	r, pairs := &redactor{}, []string{}
	for _, f := range slices.Compact(forms) {
		r.forms = append(r.forms, []byte(f))
		pairs = append(pairs, f, redacted)
	}
	r.replacer = strings.NewReplacer(pairs...)
	return r
}

// inBase64 returns a secret as base64 writes it, alone or inside a text ("user:secret"): the
// characters that depend on the secret only, for each of the three offsets at which it can begin.
func inBase64(secret string) []string {
	var forms []string
	for _, e := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
		for before := range 3 {
			text := e.EncodeToString([]byte(strings.Repeat("\x00", before) + secret))
			first := (before*8 + 5) / 6 // without the character that depends on the text before, too
			last := (before + len(secret)) * 8 / 6
			forms = append(forms, text[first:last])
		}
	}
	return forms
}

// lowerEscapes writes %2F as %2f.
func lowerEscapes(s string) string {
	b := []byte(s)
	for i := 0; i+2 < len(b); i++ {
		if b[i] == '%' {
			copy(b[i:], strings.ToLower(s[i:i+3]))
		}
	}
	return string(b)
}

// redact removes the key from what the service sent. A text without it, as nearly all are, is not
// copied.
func (r *redactor) redact(body []byte) []byte {
	if !slices.ContainsFunc(r.forms, func(f []byte) bool { return bytes.Contains(body, f) }) {
		return body
	}
	return []byte(r.replacer.Replace(string(body)))
}
