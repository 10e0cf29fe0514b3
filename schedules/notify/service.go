package notify

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/nicholas-fedor/shoutrrr/pkg/router"
	"github.com/nicholas-fedor/shoutrrr/pkg/types"
)

// service is an address of shoutrrr. It is looked up for each message, because some services
// log in at the start.
type service struct {
	number int
	kind   string
	url    string
	pieces []string // of the address, the longest first
}

// CheckURL reports whether shoutrrr has a service for an address. It connects to nothing, and
// its error does not repeat the address.
func CheckURL(address string) error {
	u, err := url.Parse(address)
	var known router.ServiceRouter
	if err != nil || !slices.Contains(known.ListServices(), kindOf(u)) || u.Opaque != "" {
		return errors.New("no address of a known service, expected one of shoutrrr such as ntfy://ntfy.sh/TOPIC or smtp://USER:PASSWORD@HOST:587/?from=A&to=B")
	}
	return nil
}

// kindOf is the service of an address: the scheme, up to a plus.
func kindOf(u *url.URL) string {
	kind, _, _ := strings.Cut(u.Scheme, "+")
	return strings.ToLower(kind)
}

// newService takes an address that CheckURL has accepted.
func newService(number int, address string) *service {
	u, _ := url.Parse(address)
	return &service{number: number, kind: kindOf(u), url: address, pieces: pieces(u)}
}

func (s *service) id() string { return hashOf(s.url) }

func (s *service) name() string { return fmt.Sprintf("%s (number %d)", s.kind, s.number) }

func (s *service) send(_ context.Context, e Event) error {
	var r router.ServiceRouter
	to, err := r.Locate(s.url)
	if err != nil {
		return errors.New("the address is not what the service expects")
	}
	if err := to.Send(e.Text()+"\nid "+e.ID, &types.Params{}); err != nil {
		return errors.New(s.cleaned(err.Error()))
	}
	return nil
}

// shortest is the least length in bytes of a piece of an address that could be a secret.
const shortest = 4

var (
	anyURL    = regexp.MustCompile(`[A-Za-z][A-Za-z0-9+.-]*://[^\s"']+`)
	separator = regexp.MustCompile(`[^A-Za-z0-9]+`)
)

// pieces are all parts of an address in all spellings in which a message could repeat them.
func pieces(u *url.URL) []string {
	all := []string{u.Host, u.Hostname(), u.Path, u.EscapedPath(), u.RawQuery, u.Fragment}
	if u.User != nil {
		password, _ := u.User.Password()
		all = append(all, password, u.User.Username(), u.User.String())
	}
	for _, values := range u.Query() {
		all = append(all, values...)
	}
	for _, piece := range slices.Clone(all) {
		all = append(all, url.QueryEscape(piece), url.PathEscape(piece))
		all = append(all, separator.Split(piece, -1)...)
	}
	all = slices.DeleteFunc(all, func(s string) bool { return len(strings.Trim(s, "/")) < shortest })
	slices.SortFunc(all, func(a, b string) int { return len(b) - len(a) })
	return slices.Compact(all)
}

// cleaned is a message of a service without any piece of its address.
func (s *service) cleaned(words string) string {
	words = anyURL.ReplaceAllString(words, "[address]")
	for _, piece := range s.pieces {
		words = strings.ReplaceAll(words, piece, "[…]")
	}
	return shortened(words)
}
