package config

import (
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fleetlake/fleetlake/schedules/notify"
)

func TestConfigServeValues(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		edit func(*Config)
	}{
		"no page":             {"serve: {listen: ''}", func(c *Config) { c.Serve.Listen = "" }},
		"a page on IPv6":      {"serve: {listen: '[::1]:80'}", func(c *Config) { c.Serve.Listen = "[::1]:80" }},
		"a page on a socket":  {"serve: {listen: 'unix:/run/fleetlake/page.sock'}", func(c *Config) { c.Serve.Listen = "unix:/run/fleetlake/page.sock" }},
		"a page on localhost": {"serve: {listen: 'localhost:0'}", func(c *Config) { c.Serve.Listen = "localhost:0" }},
		"a page for all with a token": {"serve: {listen: ':80', token_file: t, hosts: [Fleet.example.org, 10.0.0.1, '::1']}", func(c *Config) {
			c.Serve = Serve{Listen: ":80", TokenFile: "t", Hosts: []string{"fleet.example.org", "10.0.0.1", "::1"}}
		}},
		"whom to trust": {"serve: {token_file: t, trust: loopback, trusted_proxies: [127.0.0.1, '::ffff:10.1.2.3', 10.1.2.3/16]}", func(c *Config) {
			c.Serve.TokenFile, c.Serve.Trust = "t", TrustLoopback
			c.Serve.Proxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32"), netip.MustParsePrefix("10.1.2.3/32"), netip.MustParsePrefix("10.1.0.0/16")}
		}},
		"whom to notify": {"notify: {urls: ['ntfy://ntfy.sh/topic'], webhook: {url: 'https://example.org/x', secret_file: s}, on: [Failed, stale], max_age: 8d}", func(c *Config) {
			c.Notify = Notify{URLs: []secretKey{newSecretKey("ntfy://ntfy.sh/topic")}, Webhook: newSecretKey("https://example.org/x"),
				SecretFile: "s", On: []string{"failed", "stale"}, MaxAge: 8 * 24 * time.Hour}
		}},
	} {
		t.Run(name, func(t *testing.T) { changes(t, c.text, c.edit) })
	}
}

func TestConfigServeRefuses(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"a page for all without a token":   {"serve: {listen: '0.0.0.0:80'}", `:1:17: serve.listen: an address that other machines reach, expected a token_file`},
		"and so without an address":        {"serve: {listen: ':80', token_file: ''}", `serve.listen: an address that other machines reach`},
		"a lookalike of this machine":      {"serve: {listen: 'localhost.example.org:80'}", `expected an IP address and a port`},
		"no port":                          {"serve: {listen: 127.0.0.1}", `serve.listen: "127.0.0.1", expected an IP address and a port`},
		"a socket without a directory":     {"serve: {listen: 'unix:page.sock'}", `serve.listen: "unix:page.sock", expected unix: and an absolute path`},
		"a port beyond all":                {"serve: {listen: '127.0.0.1:70000'}", `expected an IP address and a port`},
		"a host with a port":               {"serve: {hosts: ['a:80']}", `serve.hosts: "a:80", expected the name or the IP address of a host without a port`},
		"a host of others without a token": {"serve: {hosts: [localhost, fleet.example.org]}", `:1:16: serve.hosts: "fleet.example.org" is a name beyond this machine, expected a token_file`},
		"a host of all":                    {"serve: {hosts: ['*']}", `serve.hosts: "*"`},
		"an unknown key":                   {"serve: {port: 80}", `unknown key "port" in serve, expected one of: hosts, listen, token_file, trust, trusted_proxies`},
		"a trust in all":                   {"serve: {trust: all}", `serve.trust: "all", expected loopback`},
		"a proxy by name":                  {"serve: {trusted_proxies: [nginx]}", `serve.trusted_proxies: "nginx", expected an address or a network`},
		"a service of nobody":              {"notify: {urls: ['planted://planted']}", `:1:17: notify.urls: no address of a known service`},
		"a word for a list":                {"notify: {urls: planted}", `notify.urls: no list`},
		"a list in a list":                 {"notify: {urls: [[planted]]}", `notify.urls: no word`},
		"a webhook by mail":                {"notify: {webhook: {url: 'smtp://planted'}}", `notify.webhook.url: not an absolute address, expected https://`},
		"a webhook in the clear":           {"notify: {webhook: {url: 'http://planted.example.org/x'}}", `notify.webhook.url: notifications would travel unencrypted, expected https://`},
		"an unknown kind":                  {"notify: {on: [fail]}", `notify.on: "fail", expected one of: stale, failed, credits, export_failed, drifting, partial, watched, export_recovered`},
		"a key of a job that is gone":      {"jobs: {a: {jitter: 24h}}", `jobs.a.jitter is gone, use another minute in the schedule`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Load(configFile(t, c.text), true, noEnvironment)
			if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
				t.Fatalf("got  %v\nwant %s", err, c.want)
			}
			if strings.Contains(err.Error(), "planted") {
				t.Errorf("the address is repeated: %v", err)
			}
		})
	}
}

func TestNotifyURLsFromTheEnvironment(t *testing.T) {
	for text, want := range map[string]int{"": 0, " ntfy://a/b\n gotify://c/d,e ": 2, "ntfy://a/b planted": -1} {
		c, err := Load(configFile(t, ""), true, func(name string) string {
			return map[string]string{"FLEETLAKE_NOTIFY_URLS": text}[name]
		})
		switch {
		case want >= 0 && (err != nil || len(c.Notify.URLs) != want):
			t.Errorf("%q: %d addresses, %v; want %d", text, len(c.Notify.URLs), err, want)
		case want < 0 && (err == nil || strings.Contains(err.Error(), "planted") || !strings.Contains(err.Error(), "FLEETLAKE_NOTIFY_URLS: number 2")):
			t.Errorf("%q: got %v", text, err)
		}
	}
}

func TestSecretFilesOfServe(t *testing.T) {
	file := func(text string, mode os.FileMode) string {
		path := filepath.Join(t.TempDir(), "planted")
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for name, c := range map[string]struct{ path, want string }{
		"a token":               {file("0123456789abcdef\n", 0o600), ""},
		"a short token":         {file("planted-planted", 0o600), "the token has 15 characters, expected 16 or more"},
		"a token for everybody": {file("0123456789abcdef", 0o644), "the token file has mode 0644"},
		"an empty token":        {file("", 0o600), "the token file is empty, expected the token"},
		"no file":               {filepath.Join(t.TempDir(), "planted"), "open the token file: no such file"},
	} {
		token, err := Serve{TokenFile: c.path, tokenAt: "f:1:2: serve.token_file"}.Token()
		switch {
		case c.want == "" && (err != nil || token != "0123456789abcdef"):
			t.Errorf("%s: got %q, %v", name, token, err)
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), "f:1:2: serve.token_file: "+c.want) || strings.Contains(err.Error(), "planted")):
			t.Errorf("%s: got %v", name, err)
		}
	}
	r, err := Notify{SecretFile: file("s3cret", 0o600), On: []string{"failed"}}.Recipients()
	if err != nil || r.Secret != "s3cret" || len(r.On) != 1 || r.On[0] != notify.Failed {
		t.Errorf("recipients: %+v, %v", r, err)
	}
}
