package extract

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"html"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"

	"github.com/fleetlake/fleetlake/extract/api"
	"github.com/fleetlake/fleetlake/extract/journal"
	"github.com/klauspost/compress/zstd"
)

// TestTheKeyIsRedactedEverywhere has a service that repeats the key in its refusals, in every encoding:
// it reaches no error, no log and no journal.
func TestTheKeyIsRedactedEverywhere(t *testing.T) {
	const key = `se/cret+"key"&<9>=?`
	forms := map[string]string{
		"raw":                key,
		"in a URL":           url.QueryEscape(key),
		"in a path":          url.PathEscape(key),
		"in a URL, lower":    strings.ToLower(url.QueryEscape(key)),
		"in JSON":            `se/cret+\"key\"\u0026\u003c9\u003e=?`,
		"in JSON, but HTML":  `se/cret+\"key\"&<9>=?`,
		"with escaped slash": `se\/cret+\"key\"\u0026\u003c9\u003e=?`,
		"in HTML":            html.EscapeString(key),
		"in hex":             hex.EncodeToString([]byte(key)),
		"in base64":          base64.StdEncoding.EncodeToString([]byte(key)),
		"in base64 for URLs": base64.URLEncoding.EncodeToString([]byte(key)),
		"with a user":        base64.StdEncoding.EncodeToString([]byte("user:" + key)),
		"with another user":  base64.StdEncoding.EncodeToString([]byte("us:" + key + ":more")),
	}
	for name, form := range forms {
		t.Run(name, func(t *testing.T) {
			client, segment := serve(t, 0, func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(http.StatusUnauthorized)
				io.WriteString(w, `{"error":"Unauthorized","message":"Invalid key `+form+`, ask for another"}`)
			})
			var log bytes.Buffer
			client.service.Log = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
			client.keys.current = newKey(key)
			_, err := client.once(t.Context(), api.Page("", "Malta", 1))
			if err == nil {
				t.Fatal("a refused key is no error")
			}
			heart := form[5 : len(form)-5] // the ends of a text in base64 mix with its neighbours
			packed, _ := os.ReadFile(segment.Path())
			z, _ := zstd.NewReader(nil)
			text, unpacked := z.DecodeAll(packed, nil)
			if unpacked != nil {
				t.Fatal(unpacked)
			}
			e := last(t, segment)
			for where, text := range map[string]string{"the error": err.Error(), "the log": log.String(), "the journal": string(text), "the body": e.Body} {
				if strings.Contains(text, heart) {
					t.Errorf("%s contains the key: %s", where, text)
				}
			}
			if e.Charge != journal.ChargeFree || !strings.Contains(e.Body, redacted) {
				t.Errorf("%s, body %s", e.Charge, e.Body)
			}
		})
	}
}

// TestATextWithoutTheKeyIsNotCopied looks for the key in a body of the largest size.
func TestATextWithoutTheKeyIsNotCopied(t *testing.T) {
	r, body := newRedactor("planted-key"), bytes.Repeat([]byte("planted "), maxBody/8)
	if n := testing.AllocsPerRun(1, func() { body = r.redact(body) }); n > 0 {
		t.Errorf("%v copies of the body", n)
	}
}

// TestEveryRequestIsLogged reads the debug log of an answered request.
func TestEveryRequestIsLogged(t *testing.T) {
	client, _ := serve(t, 0, func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, vessel) })
	var log bytes.Buffer
	client.service.Log = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})).With("run", "r7")
	if _, err := client.do(t.Context(), api.Page("", "Malta", 1)); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"run=r7", "endpoint=by-type", `parameters="country=Malta&page=1"`, "status=200", "credits=10", "took="} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("%q is missing in %s", want, log.String())
		}
	}
}
