package config

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"regexp"
	"strings"
	"time"

	"go.yaml.in/yaml/v4"

	"github.com/fleetlake/fleetlake/schedules/listen/times"
	"github.com/fleetlake/fleetlake/schedules/listen/unixsocket"
	"github.com/fleetlake/fleetlake/warehouse/worker"
)

// Flight configures Arrow Flight SQL in `fleetlake serve`.
type Flight struct {
	Listen      string // "" is none
	TokensFile  string
	Certificate string // a file; with KeyFile, or neither
	KeyFile     string
	Plaintext   bool // other machines may ask without TLS

	tokensAt, listenAt, tlsAt, keyAt string // where these values are in the file
	credentials                      string // the directory of the service manager's credentials; "" is none
}

// Client is who may ask Flight SQL, and within which limits; 0 is no limit of its own.
type Client struct {
	Name, Token string
	Queries     int // at the same time
	Time        time.Duration
	Rows        int64
}

// Queries are the limits of queries from a network.
type Queries struct {
	worker.Limits
	Concurrent int
	Queue      int
	Wait       time.Duration
}

// defaultFlight is the address in messages.
const defaultFlight = "127.0.0.1:8815"

// FlightCredential names the credentials with the tokens of Flight SQL.
const FlightCredential = "flight-tokens"

// defaultQueries suit two cores beside a harvest.
func defaultQueries() Queries {
	q := Queries{Concurrent: 4, Limits: worker.Limits{MemoryMiB: 512, Threads: 1, Time: time.Minute, Rows: 10_000_000}}
	q.derive()
	return q
}

// derive sets the limits that follow from others.
func (q *Queries) derive() {
	q.SpillMiB, q.Bytes = 8*q.MemoryMiB, 8*int64(q.MemoryMiB)<<20
	limits := times.Of(q.Time)
	q.Stall, q.Wait, q.Queue = limits.Piece, limits.Queue, 8*q.Concurrent
}

func (d *decoder) flight(n *yaml.Node, f *Flight) {
	d.mapping(n, "flight", keyTable{
		"listen": func(n *yaml.Node) {
			f.listenAt = d.at(n) + ": "
			setting(d, "flight.listen", "an address", parseFlightListen, func(v string) { f.Listen = v })(n)
		},
		"tokens_file": func(n *yaml.Node) {
			f.tokensAt = d.at(n) + ": flight.tokens_file"
			d.path("flight.tokens_file", "a file", &f.TokensFile)(n)
		},
		"plaintext": setting(d, "flight.plaintext", "true or false", parseTruth, func(v bool) { f.Plaintext = v }),
		"tls": func(n *yaml.Node) {
			f.tlsAt = d.at(n) + ": "
			d.mapping(n, "flight.tls", keyTable{
				"certificate": d.path("flight.tls.certificate", "a file", &f.Certificate),
				"key_file": func(n *yaml.Node) {
					f.keyAt = d.at(n) + ": flight.tls.key_file"
					d.path("flight.tls.key_file", "a file", &f.KeyFile)(n)
				},
			})
		},
	})
}

func (d *decoder) queries(n *yaml.Node, q *Queries) {
	d.mapping(n, "queries", keyTable{
		"memory":     setting(d, "queries.memory", "an amount of memory", mebibytes(64), func(v int) { q.MemoryMiB = v }),
		"time":       setting(d, "queries.time", "a duration", Duration(1), func(v time.Duration) { q.Time = v }),
		"rows":       setting(d, "queries.rows", "a number", Number(0, math.MaxInt), func(v int) { q.Rows = int64(v) }),
		"concurrent": setting(d, "queries.concurrent", "a number", Number(1, 256), func(v int) { q.Concurrent = v }),
	})
	q.derive()
}

// mebibytes returns a parser of amounts of bytes that are at least so many MiB, and at most 1 PiB.
func mebibytes(least int) func(string) (int, error) {
	return func(s string) (int, error) {
		n, err := Bytes(s)
		if err != nil || n>>20 < int64(least) || n>>20 > 1<<30 {
			return 0, fmt.Errorf("%q, expected %d MiB or more, such as 512MiB or 2GB", s, least)
		}
		return int(n >> 20), nil
	}
}

func parseFlightListen(s string) (string, error) {
	if unixsocket.Is(s) {
		return s, unixsocket.Check(s)
	}
	if _, err := parseListen(s); err != nil {
		return "", fmt.Errorf("%q, expected an IP address and a port such as %s, unix: and a path, or \"\" for none", s,
			defaultFlight)
	}
	return s, nil
}

// hasTokens reports whether clients need one.
func (f Flight) hasTokens() bool {
	return f.TokensFile != "" || credentialPath(f.credentials, FlightCredential) != ""
}

// check refuses a server that other machines could reach without tokens, or without TLS unless the
// configuration says so, and half of what TLS needs.
func (f Flight) check() []string {
	var problems []string
	if (f.Certificate == "") != (f.KeyFile == "") {
		problems = append(problems, f.tlsAt+"flight.tls: one of certificate and key_file, expected both or neither")
	}
	if f.Listen == "" || onLoopback(f.Listen) {
		return problems
	}
	if !f.hasTokens() {
		problems = append(problems, fmt.Sprintf("%sflight.listen: an address that other machines reach, expected a "+
			"tokens_file beside it or an address such as %s", f.listenAt, defaultFlight))
	}
	if f.Certificate == "" && !f.Plaintext {
		problems = append(problems, f.listenAt+"flight.listen: tokens and rows would travel unencrypted, expected "+
			"tls beside it, or plaintext: true if the network is trusted or encrypted already")
	}
	return problems
}

// Clients reads the tokens; none if the configuration names no file of them. Its errors name the setting
// and the line, and never a token.
func (f Flight) Clients() ([]Client, error) {
	path, at := f.TokensFile, cmp.Or(f.tokensAt, "flight.tokens_file")
	if path == "" {
		path, at = credentialPath(f.credentials, FlightCredential), "CREDENTIALS_DIRECTORY"
	}
	if path == "" {
		return nil, nil
	}
	text, err := secretText(path, at, "tokens", maxTokensBytes)
	if err != nil {
		return nil, err
	}
	at += ": the tokens file"
	if len(text) > maxTokensBytes {
		return nil, fmt.Errorf("%s is longer than %d bytes", at, maxTokensBytes)
	}
	var all []Client
	for i, line := range strings.Split(text, "\n") {
		words := strings.Fields(line)
		if len(words) == 0 || strings.HasPrefix(words[0], "#") {
			continue
		}
		c, err := parseClient(words)
		if err != nil {
			return nil, fmt.Errorf("%s: line %d: %w", at, i+1, err)
		}
		all = append(all, c)
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%s has no token, expected lines such as: analyst TOKEN queries=2 time=30s rows=100000", at)
	}
	return all, nil
}

// maxTokensBytes is longer than any file of tokens.
const maxTokensBytes = 64 << 10

var clientName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$`)

// parseClient reads a name, a token and limits.
func parseClient(words []string) (c Client, err error) {
	if len(words) < 2 || !clientName.MatchString(words[0]) {
		return c, errors.New("expected a name of letters, digits, - and _, then a token, then limits such as queries=2")
	}
	if c.Name = words[0]; len(words[1]) < shortestToken {
		return c, fmt.Errorf("the token has %d characters, expected %d or more", len(words[1]), shortestToken)
	}
	if c.Token, err = checkKey(words[1], "the token", "token"); err != nil {
		return c, err
	}
	for i, limit := range words[2:] {
		name, value, _ := strings.Cut(limit, "=")
		switch n := 0; name {
		case "queries":
			c.Queries, err = Number(1, 10_000)(value)
		case "time":
			c.Time, err = Duration(1)(value)
		case "rows":
			n, err = Number(1, math.MaxInt)(value)
			c.Rows = int64(n)
		default: // it could be a part of a token
			err = fmt.Errorf("limit %d is not known, expected queries=NUMBER, time=DURATION or rows=NUMBER", i+1)
		}
		if err != nil {
			return c, fmt.Errorf("%s: %w", c.Name, err)
		}
	}
	return c, nil
}

// CheckKey returns an error if the key of TLS cannot be read, or others can read it.
func (f Flight) CheckKey() error {
	if f.KeyFile == "" {
		return nil
	}
	_, err := secretText(f.KeyFile, cmp.Or(f.keyAt, "flight.tls.key_file"), "TLS key", maxTokensBytes)
	return err
}
