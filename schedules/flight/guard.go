package flight

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/fleetlake/fleetlake/warehouse/turns"
)

// Client is who may ask, by a token. Its limits are beside those of all queries.
type Client struct {
	Name    string // for the log
	Token   string
	Queries int           // at the same time; 0 is no limit of its own
	Time    time.Duration // of one query; 0 likewise
	Rows    int64         // of one answer; 0 likewise
}

// caller is a client as the server knows it: only a hash of its token is compared, in constant time.
type caller struct {
	Client
	hash [sha256.Size]byte
	room chan struct{} // an element per query; nil is no limit
}

// guard admits requests.
type guard struct{ callers []*caller }

// CheckClients returns an error if two clients have one name or one token, or one has none.
func CheckClients(clients []Client) error {
	_, err := newGuard(clients)
	return err
}

func newGuard(clients []Client) (*guard, error) {
	g := &guard{}
	for _, c := range clients {
		one := &caller{Client: c, hash: sha256.Sum256([]byte(c.Token))}
		one.Token = ""
		for _, other := range g.callers {
			if other.Name == one.Name || other.hash == one.hash {
				return nil, fmt.Errorf("the clients %s and %s have the same name or token, expected another for each", other.Name, one.Name)
			}
		}
		if c.Token == "" {
			return nil, errors.New("a client without a token")
		}
		if c.Queries > 0 {
			one.room = make(chan struct{}, c.Queries)
		}
		g.callers = append(g.callers, one)
	}
	return g, nil
}

// anybody is the client of a server without tokens.
var anybody = &caller{}

// share is the client by whose name a request has its share of what all use.
func (c *caller) share(address string) string {
	if c == anybody {
		return turns.OfAddress(address)
	}
	return "token " + c.Name
}

type callerKey struct{}

// callerOf is who sent a request.
func callerOf(ctx context.Context) *caller {
	if c, ok := ctx.Value(callerKey{}).(*caller); ok {
		return c
	}
	return anybody
}

// unauthenticated does not say whether the token is missing, malformed or wrong.
var unauthenticated = status.Error(codes.Unauthenticated, "a valid token is required: as a bearer token, or as the password")

// admit finds out who sent a request.
func (g *guard) admit(ctx context.Context) (context.Context, error) {
	if len(g.callers) == 0 {
		return ctx, nil
	}
	sent := sha256.Sum256([]byte(tokenOf(ctx)))
	var found *caller
	for _, c := range g.callers { // all of them, so that the time does not say which
		if subtle.ConstantTimeCompare(c.hash[:], sent[:]) == 1 {
			found = c
		}
	}
	if found == nil {
		return nil, unauthenticated
	}
	return context.WithValue(ctx, callerKey{}, found), nil
}

// tokenOf is the token of a request: a bearer token, or the password of whatever user.
func tokenOf(ctx context.Context) string {
	sent, _ := metadata.FromIncomingContext(ctx)
	values := sent.Get("authorization")
	if len(values) != 1 {
		return ""
	}
	scheme, value, _ := strings.Cut(values[0], " ")
	switch {
	case strings.EqualFold(scheme, "bearer"):
		return value
	case strings.EqualFold(scheme, "basic"):
		decoded, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(value, "=")) // some clients do not pad
		if err != nil {
			return ""
		}
		_, password, _ := strings.Cut(string(decoded), ":")
		return password
	}
	return ""
}

// enter begins a query of the client; leave ends it.
func (c *caller) enter() (leave func(), err error) {
	if c.room == nil {
		return func() {}, nil
	}
	select {
	case c.room <- struct{}{}:
		return func() { <-c.room }, nil
	default:
		return nil, status.Errorf(codes.ResourceExhausted, "%d queries of this token run already, which is its limit: try again later", cap(c.room))
	}
}
