package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestConfigFlightValues(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		edit func(*Config)
	}{
		"this machine alone":     {"flight: {listen: '127.0.0.1:8815'}", func(c *Config) { c.Flight.Listen = "127.0.0.1:8815" }},
		"a socket":               {"flight: {listen: 'unix:/run/fleetlake/sql.sock'}", func(c *Config) { c.Flight.Listen = "unix:/run/fleetlake/sql.sock" }},
		"none":                   {"flight: {listen: ''}", func(*Config) {}},
		"all machines with TLS":  {"flight: {listen: ':8815', tokens_file: t, tls: {certificate: c, key_file: k}}", func(c *Config) { c.Flight = Flight{Listen: ":8815", TokensFile: "t", Certificate: "c", KeyFile: "k"} }},
		"a network that is safe": {"flight: {listen: '10.0.0.1:8815', tokens_file: t, plaintext: true}", func(c *Config) { c.Flight = Flight{Listen: "10.0.0.1:8815", TokensFile: "t", Plaintext: true} }},
		"limits of queries": {"queries: {memory: 1GiB, time: 90s, rows: 0, concurrent: 2}", func(c *Config) {
			q := &c.Queries
			q.MemoryMiB, q.SpillMiB, q.Time, q.Stall, q.Rows, q.Bytes = 1024, 8192, 90*time.Second, 90*time.Second, 0, 8<<30
			q.Concurrent, q.Queue, q.Wait = 2, 16, 45*time.Second
		}},
	} {
		t.Run(name, func(t *testing.T) { changes(t, c.text, c.edit) })
	}
}

func TestConfigFlightRefuses(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"all machines without a token": {"flight: {listen: '0.0.0.0:8815', plaintext: true}", ":1:18: flight.listen: an address that other machines reach, expected a tokens_file"},
		"all machines without TLS":     {"flight: {listen: ':8815', tokens_file: t}", ":1:18: flight.listen: tokens and rows would travel unencrypted, expected tls beside it, or plaintext: true"},
		"a key without a certificate":  {"flight: {tls: {key_file: k}}", ":1:15: flight.tls: one of certificate and key_file"},
		"a socket without a path":      {"flight: {listen: 'unix:'}", `flight.listen: "unix:", expected unix: and an absolute path`},
		"no port":                      {"flight: {listen: localhost}", `flight.listen: "localhost", expected an IP address and a port such as 127.0.0.1:8815`},
		"an unknown key":               {"flight: {port: 1}", `unknown key "port" in flight, expected one of: listen, plaintext, tls, tokens_file`},
		"a doubtful truth":             {"flight: {plaintext: maybe}", `flight.plaintext: "maybe", expected true or false`},
		"too little memory":            {"queries: {memory: 63MiB}", `queries.memory: "63MiB", expected 64 MiB or more`},
		"no memory":                    {"queries: {memory: lots}", `queries.memory: "lots", expected 64 MiB or more`},
		"too much of it":               {"queries: {memory: 9000000000GiB}", `queries.memory: "9000000000GiB", expected`},
		"a limit that is gone":         {"queries: {stall: 5s}", ":1:11: queries.stall is gone, use time"},
		"no time":                      {"queries: {time: 0s}", `queries.time: "0s", expected a duration`},
		"no query at all":              {"queries: {concurrent: 0}", `queries.concurrent: "0", expected a whole number from 1`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Load(configFile(t, c.text), true, noEnvironment)
			if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
				t.Fatalf("got  %v\nwant %s", err, c.want)
			}
		})
	}
}

// TestTokensOfFlight reads files of tokens. No error repeats a part of one.
func TestTokensOfFlight(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		mode os.FileMode
		want []Client
		err  string
	}{
		"one":               {"analyst planted-0123456789", 0o600, []Client{{Name: "analyst", Token: "planted-0123456789"}}, ""},
		"two, with limits":  {"# ours\n\n a planted-0123456789\tqueries=2  time=30s rows=1000\nb planted-9876543210\n", 0o400, []Client{{Name: "a", Token: "planted-0123456789", Queries: 2, Time: 30 * time.Second, Rows: 1000}, {Name: "b", Token: "planted-9876543210"}}, ""},
		"none":              {"# nobody\n", 0o600, nil, "has no token"},
		"others can read":   {"a planted-0123456789", 0o644, nil, "mode 0644, expected 0600"},
		"a token alone":     {"\nplanted-0123456789", 0o600, nil, "line 2: expected a name"},
		"a short token":     {"a planted", 0o600, nil, "line 1: the token has 7 characters, expected 16 or more"},
		"a token in two":    {"a planted-0123456789 planted", 0o600, nil, "line 1: a: limit 1 is not known"},
		"no number":         {"a planted-0123456789 queries=many", 0o600, nil, `line 1: a: "many", expected a whole number`},
		"a name with signs": {"a:b planted-0123456789", 0o600, nil, "line 1: expected a name"},
		"a token with ß":    {"a planted-0123456789ß", 0o600, nil, "line 1: the token contains white space or other characters"},
		"too long a file":   {strings.Repeat("#", maxTokensBytes+1), 0o600, nil, "longer than"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "tokens")
			if err := os.WriteFile(path, []byte(c.text), c.mode); err != nil {
				t.Fatal(err)
			}
			got, err := Flight{TokensFile: path}.Clients()
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if (err == nil) != (c.err == "") || err != nil && (!strings.Contains(err.Error(), c.err) || strings.Contains(err.Error(), "planted")) {
				t.Errorf("got %v, want %s", err, c.err)
			}
		})
	}
	if got, err := (Flight{}).Clients(); got != nil || err != nil {
		t.Errorf("no file: %v, %v", got, err)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, FlightCredential), []byte("a planted-0123456789"), 0o440); err != nil {
		t.Fatal(err)
	}
	if got, err := (Flight{credentials: dir}).Clients(); len(got) != 1 || err != nil {
		t.Errorf("a credential: %v, %v", got, err)
	}
}
