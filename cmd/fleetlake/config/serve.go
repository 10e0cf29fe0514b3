package config

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"regexp"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v4"

	"github.com/fleetlake/fleetlake/schedules/listen/unixsocket"
	"github.com/fleetlake/fleetlake/schedules/notify"
)

// defaultListen is the default address of the status page.
const defaultListen = "127.0.0.1:8080"

// shortestToken is the least length of a token that guards a page on a network.
const shortestToken = 16

// TrustLoopback is the trust in whoever asks on loopback, who then reads without the token.
const TrustLoopback = "loopback"

// Serve configures the status page of `fleetlake serve`.
type Serve struct {
	Listen      string // "" is no page
	TokenFile   string
	Hosts       []string // names of this machine besides the loopback ones
	Trust       string   // TrustLoopback, or "" for nobody
	Proxies     []netip.Prefix
	ListenGiven bool // the file or the environment sets Listen: an address in use is then an error
	tokenAt     string
	listenAt    string // where these two values are in the file
	hostsAt     string
	environment secretKey // the token, from the environment
	credentials string    // the directory of the service manager's credentials; "" is none
}

// Notify configures the recipients of notifications.
type Notify struct {
	URLs        []secretKey
	Webhook     secretKey
	SecretFile  string
	On          []string      // of notify.Kinds; empty is all
	MaxAge      time.Duration // the age of the newest published run above which recipients are notified
	secretAt    string
	environment secretKey // the secret, from the environment
	credentials string
}

func (d *decoder) serve(n *yaml.Node, s *Serve) {
	d.mapping(n, "serve", keyTable{
		"listen": func(n *yaml.Node) {
			s.listenAt = d.at(n) + ": "
			setting(d, "serve.listen", "an address", parseListen, func(v string) { s.Listen, s.ListenGiven = v, true })(n)
		},
		"token_file": func(n *yaml.Node) {
			s.tokenAt = d.at(n) + ": serve.token_file"
			d.path("serve.token_file", "a file", &s.TokenFile)(n)
		},
		"hosts": func(n *yaml.Node) {
			s.hostsAt = d.at(n) + ": "
			d.list("serve.hosts", parseHost, func(v []string) { s.Hosts = v })(n)
		},
		"trust":           setting(d, "serve.trust", "loopback or nothing", parseTrust, func(v string) { s.Trust = v }),
		"trusted_proxies": d.list("serve.trusted_proxies", parseProxy, func(v []string) { s.Proxies = proxies(v) }),
	})
}

// check refuses a page that other machines could reach without a token.
func (s Serve) check() []string {
	if s.TokenFile != "" || s.environment.reveal() != "" || credentialPath(s.credentials, TokenCredential) != "" {
		return nil
	}
	var problems []string
	if !onLoopback(s.Listen) {
		problems = append(problems, fmt.Sprintf("%sserve.listen: an address that other machines reach, expected a "+
			"token_file beside it, FLEETLAKE_SERVE_TOKEN or an address such as %s", s.listenAt, defaultListen))
	}
	for _, h := range s.Hosts {
		if !isLoopback(h) {
			problems = append(problems, fmt.Sprintf("%sserve.hosts: %q is a name beyond this machine, expected a "+
				"token_file beside it or FLEETLAKE_SERVE_TOKEN", s.hostsAt, h))
		}
	}
	return problems
}

// checkAddresses refuses one address for the page and for Flight SQL, of which the second could not be opened.
func (c Config) checkAddresses() []string {
	if c.Serve.Listen == "" || c.Flight.Listen == "" || !overlap(c.Serve.Listen, c.Flight.Listen) {
		return nil
	}
	return []string{fmt.Sprintf("%sflight.listen: %s is where the page listens (serve.listen: %s), expected another "+
		"address such as %s",
		c.Flight.listenAt, c.Flight.Listen, c.Serve.Listen, defaultFlight)}
}

// overlap reports whether two servers cannot listen on both addresses. An empty host is every address of the machine.
func overlap(a, b string) bool {
	if unixsocket.Is(a) || unixsocket.Is(b) {
		return a == b
	}
	hostA, portA, errA := net.SplitHostPort(a)
	hostB, portB, errB := net.SplitHostPort(b)
	if errA != nil || errB != nil || portA != portB || portA == "0" { // any free port
		return false
	}
	everywhere := func(host string) bool { ip := net.ParseIP(host); return host == "" || ip != nil && ip.IsUnspecified() }
	named := func(host string) string { return strings.Replace(strings.ToLower(host), "localhost", "127.0.0.1", 1) }
	return everywhere(hostA) || everywhere(hostB) || named(hostA) == named(hostB)
}

// parseListen reads HOST:PORT or unix:PATH. An empty host is every address of the machine.
func parseListen(s string) (string, error) {
	if s == "" {
		return "", nil
	}
	if unixsocket.Is(s) {
		return s, unixsocket.Check(s)
	}
	host, port, err := net.SplitHostPort(s)
	if n, bad := strconv.ParseUint(port, 10, 16); err != nil || bad != nil || n == 0 && port != "0" ||
		host != "" && !strings.EqualFold(host, "localhost") && net.ParseIP(host) == nil {
		return "", fmt.Errorf("%q, expected an IP address and a port such as %s, unix: and a path, or \"\" for no page",
			s, defaultListen)
	}
	return s, nil
}

// onLoopback reports whether only this machine reaches an address.
func onLoopback(address string) bool {
	host, _, err := net.SplitHostPort(address)
	return address == "" || unixsocket.Is(address) || err == nil && isLoopback(host)
}

var hostPattern = regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?$`)

func parseHost(s string) ([]string, error) {
	if !hostPattern.MatchString(s) && net.ParseIP(s) == nil {
		return nil, fmt.Errorf("%q, expected the name or the IP address of a host without a port", s)
	}
	return []string{strings.ToLower(s)}, nil
}

func parseTrust(s string) (string, error) {
	if s != "" && s != TrustLoopback {
		return "", fmt.Errorf("%q, expected %s, or \"\" for nobody", s, TrustLoopback)
	}
	return s, nil
}

// parseProxy reads an address, or a network.
func parseProxy(s string) ([]string, error) {
	if address, err := netip.ParseAddr(s); err == nil {
		address = address.Unmap()
		return []string{netip.PrefixFrom(address, address.BitLen()).String()}, nil
	}
	network, err := netip.ParsePrefix(s)
	if err != nil {
		return nil, fmt.Errorf("%q, expected an address or a network such as 10.1.0.0/16", s)
	}
	return []string{network.Masked().String()}, nil
}

// proxies are the networks that parseProxy has read.
func proxies(networks []string) []netip.Prefix {
	var all []netip.Prefix
	for _, n := range networks {
		all = append(all, netip.MustParsePrefix(n))
	}
	return all
}

// Token reads the token of the page; empty if there is none. Its errors name the setting and never the
// value.
func (s Serve) Token() (string, error) {
	token, err := secretOf(s.environment, "FLEETLAKE_SERVE_TOKEN", s.TokenFile, s.tokenAt,
		credentialPath(s.credentials, TokenCredential), "token")
	if err == nil && token != "" && len(token) < shortestToken {
		err = fmt.Errorf("%s: the token has %d characters, expected %d or more", cmp.Or(s.tokenAt, "serve.token_file"),
			len(token), shortestToken)
	}
	return token, err
}

func (d *decoder) notify(n *yaml.Node, c *Notify) {
	var kinds []string
	for _, k := range notify.Kinds {
		kinds = append(kinds, string(k))
	}
	d.mapping(n, "notify", keyTable{
		"urls":    func(n *yaml.Node) { c.URLs = d.addresses(n) },
		"webhook": func(n *yaml.Node) { d.webhook(n, c) },
		"on":      d.words("notify.on", kinds, func(v []string) { c.On = unlessAll(v, kinds) }),
		"max_age": setting(d, "notify.max_age", "a duration", Duration(1), func(v time.Duration) { c.MaxAge = v }),
	})
}

// addresses reads a list of addresses that contain secrets: no problem repeats one.
func (d *decoder) addresses(n *yaml.Node) []secretKey {
	n = resolveAlias(n)
	if n.Kind != yaml.SequenceNode {
		d.report(n, "notify.urls: no list, expected a list such as [] or [a, b]")
		return nil
	}
	var all []secretKey
	for _, item := range n.Content {
		item = resolveAlias(item)
		err := errors.New("no word, expected an address")
		if item.Kind == yaml.ScalarNode {
			err = notify.CheckURL(item.Value)
		}
		if err != nil {
			d.report(item, "notify.urls: %v", err)
			continue
		}
		all = append(all, newSecretKey(item.Value))
	}
	return all
}

func (d *decoder) webhook(n *yaml.Node, c *Notify) {
	d.mapping(n, "notify.webhook", keyTable{
		"url": setting(d, "notify.webhook.url", "an address", parseWebhook, func(v secretKey) { c.Webhook = v }),
		"secret_file": func(n *yaml.Node) {
			c.secretAt = d.at(n) + ": notify.webhook.secret_file"
			d.path("notify.webhook.secret_file", "a file", &c.SecretFile)(n)
		},
	})
}

func parseWebhook(s string) (secretKey, error) {
	if s == "" {
		return secretKey{}, nil
	}
	return newSecretKey(s), notify.CheckWebhook(s)
}

// parseURLs reads addresses that white space separates: a comma may stand in an address.
func parseURLs(s string) ([]secretKey, error) {
	var all []secretKey
	for i, address := range strings.Fields(s) {
		if err := notify.CheckURL(address); err != nil {
			return nil, fmt.Errorf("number %d: %w", i+1, err)
		}
		all = append(all, newSecretKey(address))
	}
	return all, nil
}

// Recipients returns the configuration of the notifier. It reads the secret of the webhook; its error
// names the setting.
func (c Notify) Recipients() (notify.Config, error) {
	r := notify.Config{Webhook: c.Webhook.reveal()}
	for _, u := range c.URLs {
		r.URLs = append(r.URLs, u.reveal())
	}
	for _, k := range c.On {
		r.On = append(r.On, notify.Kind(k))
	}
	var err error
	r.Secret, err = secretOf(c.environment, "FLEETLAKE_WEBHOOK_SECRET", c.SecretFile, c.secretAt,
		credentialPath(c.credentials, SecretCredential), "secret")
	return r, err
}
