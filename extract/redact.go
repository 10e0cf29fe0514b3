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

// redacted stands for a secret wherever the service repeats one.
const redacted = "[redacted]"

// shortestSecret is the shortest text that is taken out of what the service says. A shorter one
// would be found by chance in ordinary words.
const shortestSecret = 8

// redactor takes a secret out of texts, in every encoding in which a service may repeat it.
type redactor struct {
	forms    [][]byte
	replacer *strings.Replacer
}

// newRedactor returns the redactor of a secret. That of one that is too short takes nothing out.
func newRedactor(secret string) *redactor {
	if len(secret) < shortestSecret {
		return &redactor{}
	}
	quoted, _ := json.Marshal(secret) // a string always can be
	forms := []string{secret, strings.Trim(string(quoted), `"`), html.EscapeString(secret),
		hex.EncodeToString([]byte(secret)), strings.ToUpper(hex.EncodeToString([]byte(secret)))}
	forms = append(forms, strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(secret)) // as encoders of JSON write it that escape no HTML
	for _, f := range []string{url.QueryEscape(secret), url.PathEscape(secret)} {
		forms = append(forms, f, lowerEscapes(f))
	}
	slashes := strings.NewReplacer("/", `\/`)
	for _, f := range slices.Clone(forms) {
		forms = append(forms, slashes.Replace(f))
	}
	forms = append(forms, inBase64(secret)...)
	slices.SortFunc(forms, func(a, b string) int { return len(b) - len(a) }) // the longest first: one may hold another
	r, pairs := &redactor{}, []string{}
	for _, f := range slices.Compact(forms) {
		r.forms = append(r.forms, []byte(f))
		pairs = append(pairs, f, redacted)
	}
	r.replacer = strings.NewReplacer(pairs...)
	return r
}

// inBase64 is a secret as it appears in base64, alone or in the middle of a text ("user:secret"):
// the characters that are the secret's alone, for each of the three places it can begin at.
func inBase64(secret string) []string {
	var forms []string
	for _, e := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
		for before := range 3 {
			text := e.EncodeToString([]byte(strings.Repeat("\x00", before) + secret))
			first := (before*8 + 5) / 6 // the character that mixes with what is before is left out
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

// redact takes the key out of what the service says. A text without it, as nearly all are, is not
// copied.
func (r *redactor) redact(body []byte) []byte {
	if !slices.ContainsFunc(r.forms, func(f []byte) bool { return bytes.Contains(body, f) }) {
		return body
	}
	return []byte(r.replacer.Replace(string(body)))
}
