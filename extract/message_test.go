package extract

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"unicode"

	"github.com/fleetlake/fleetlake/extract/api"
)

// TestMessagesOfTheServiceArePrintable has refusals, answers and broken headers with characters that
// would control a terminal, or change the direction of the text beside them.
func TestMessagesOfTheServiceArePrintable(t *testing.T) {
	const words = "red\x1b[31m bell\a nul\x00 turned\u202etxt.exe\u2066 mark\ufeff line\u2028end\x7f\u009b"
	quoted, _ := json.Marshal(words)
	cases := map[string]http.HandlerFunc{
		"a refusal": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(500); w.Write([]byte(words)) },
		"shape A": func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(500)
			fmt.Fprintf(w, `{"error":%s,"message":%[1]s}`, quoted)
		},
		"shape B": func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(400)
			fmt.Fprintf(w, `{"detail":%s}`, quoted)
		},
		"shape D": func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(422)
			fmt.Fprintf(w, `{"detail":[{"field":%s,"message":%[1]s}]}`, quoted)
		},
		"an answer":       func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte(words)) },
		"an answer, JSON": func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintf(w, `{"wrong":%s}`, quoted) },
		"a head": func(w http.ResponseWriter, _ *http.Request) {
			c, _, _ := w.(http.Hijacker).Hijack()
			defer c.Close()
			io.WriteString(c, words+"\r\n\r\n")
		},
	}
	for name, handler := range cases {
		t.Run(name, func(t *testing.T) {
			client, segment := serve(t, 0, handler)
			_, err := client.once(t.Context(), api.Page("", "Malta", 1))
			if err == nil {
				t.Fatal("no error")
			}
			for _, text := range []string{err.Error(), last(t, segment).Error} {
				if strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }) {
					t.Errorf("unprintable: %q", text)
				}
			}
		})
	}
}

func TestMessagesOfTheServiceAreBounded(t *testing.T) {
	long := strings.Repeat("words of the service ", 250_000)
	for name, body := range map[string]string{"text": long, "shape A": `{"error":"` + long + `","message":"x"}`,
		"shape B": `{"detail":"` + long + `"}`, "shape D": `{"detail":[{"field":"country","message":"` + long + `"}]}`} {
		if m := api.Message([]byte(body)); len(m) > 2*api.LongestMessage || strings.Contains(m, "\n") {
			t.Errorf("%s: a message of %d bytes", name, len(m))
		}
	}
	values := strings.TrimSuffix(strings.Repeat(`"v",`, api.MostAccepted+1), ",")
	for name, types := range map[string]string{"many values": values, "a long one": `"` + long + `"`} {
		_, err := api.ParseAccepted(`{"detail":[{"field":"type_specific","allowed_values":[` + types + `]},{"field":"country","allowed_values":["Malta"]}]}`)
		if err == nil || len(err.Error()) > 2*api.LongestMessage {
			t.Errorf("%s: %v", name, err)
		}
	}
}
