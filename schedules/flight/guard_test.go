package flight

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"log/slog"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow/go/v17/arrow/flight/flightsql"
	pb "github.com/apache/arrow/go/v17/arrow/flight/gen/flight"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/anypb"

	"github.com/fleetlake/fleetlake/pipeline/pipelinetest"
	"github.com/fleetlake/fleetlake/warehouse/worker"
)

// preparedCommand is the command that runs a prepared statement.
func preparedCommand(p *flightsql.PreparedStatement) ([]byte, error) {
	var wrapped anypb.Any
	if err := wrapped.MarshalFrom(&pb.CommandPreparedStatementQuery{PreparedStatementHandle: p.Handle()}); err != nil {
		return nil, err
	}
	return proto.Marshal(&wrapped)
}

// clients are two with tokens: the first has limits.
var clients = []Client{
	{Name: "analyst", Token: "token-of-the-analyst", Queries: 1, Rows: 10, Time: 4 * time.Second},
	{Name: "robot", Token: "token-of-the-robot"},
}

func TestTokensAreRequired(t *testing.T) {
	f := newServer(t, func(_ *worker.Config, c *Config) { c.Clients = clients })
	c := f.client()
	basic := func(text string) string { return "Basic " + base64.StdEncoding.EncodeToString([]byte(text)) }
	for authorization, want := range map[string]codes.Code{
		"":                               codes.Unauthenticated,
		"Bearer ":                        codes.Unauthenticated,
		"Bearer token-of-the-analys":     codes.Unauthenticated,
		"Bearer token-of-the-analyst2":   codes.Unauthenticated,
		"token-of-the-analyst":           codes.Unauthenticated,
		basic("token-of-the-analyst:"):   codes.Unauthenticated,
		"Basic !":                        codes.Unauthenticated,
		"Bearer token-of-the-analyst":    codes.OK,
		"bearer token-of-the-robot":      codes.OK,
		basic("anna:token-of-the-robot"): codes.OK,
	} {
		ctx := with(t.Context(), authorization)
		if _, err := c.query(ctx, "SELECT 1"); status.Code(err) != want {
			t.Errorf("%q: got %v, want %v", authorization, err, want)
		}
		if _, err := c.GetTableTypes(ctx); status.Code(err) != want {
			t.Errorf("%q: metadata: got %v, want %v", authorization, err, want)
		}
	}
	ctx, err := c.Client.Client.AuthenticateBasicToken(t.Context(), "anna", "token-of-the-robot")
	if err != nil {
		t.Fatal(err)
	}
	if got, err := c.query(ctx, "SELECT 1"); err != nil || got != "1;" {
		t.Errorf("after a handshake: %s, %v", got, err)
	}
	if _, err := c.Client.Client.AuthenticateBasicToken(t.Context(), "anna", "wrong"); status.Code(err) != codes.Unauthenticated {
		t.Errorf("a handshake with a wrong token: %v", err)
	}
	if strings.Contains(f.log.String(), "token-of") || !strings.Contains(f.log.String(), "client=robot") {
		t.Errorf("the log: %s", f.log)
	}
}

// TestATokenHasItsLimits beside those of all.
func TestATokenHasItsLimits(t *testing.T) {
	f := newServer(t, func(_ *worker.Config, c *Config) { c.Clients = clients })
	c := f.client()
	analyst, robot := with(t.Context(), "Bearer token-of-the-analyst"), with(t.Context(), "Bearer token-of-the-robot")
	for sql, want := range map[string]codes.Code{
		"FROM range(10)": codes.OK,
		"FROM range(11)": codes.ResourceExhausted,
		"SELECT count(*) FROM range(100000000) AS a, range(100000) AS b": codes.DeadlineExceeded,
	} {
		if _, err := c.query(analyst, sql); status.Code(err) != want {
			t.Errorf("%s: got %v, want %v", sql, err, want)
		}
	}
	if _, err := c.query(robot, "FROM range(11)"); err != nil {
		t.Errorf("the other client: %v", err)
	}
	info, err := c.Execute(analyst, "SELECT count(*) FROM range(100000000) AS a, range(100000) AS b")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(analyst)
	ended := make(chan error, 1)
	go func() { _, err := c.read(ctx, info); ended <- err }()
	for f.pool.Stats().Running == 0 {
		time.Sleep(time.Millisecond) // another process has no event
	}
	if _, err := c.query(analyst, "SELECT 1"); status.Code(err) != codes.ResourceExhausted || !strings.Contains(err.Error(), "its limit") {
		t.Errorf("a second query: %v", err)
	}
	if got, err := c.query(robot, "SELECT 1"); err != nil || got != "1;" {
		t.Errorf("the other client: %s, %v", got, err)
	}
	cancel()
	<-ended
}

// TestAPreparedStatementBelongsToItsClient alone: another token does not find it.
func TestAPreparedStatementBelongsToItsClient(t *testing.T) {
	f := newServer(t, func(_ *worker.Config, c *Config) { c.Clients = clients })
	c := f.client()
	analyst, robot := with(t.Context(), "Bearer token-of-the-analyst"), with(t.Context(), "Bearer token-of-the-robot")
	p, err := c.Prepare(analyst, "SELECT 1")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Execute(robot); status.Code(err) != codes.NotFound {
		t.Errorf("another client: %v", err)
	}
	if _, err := p.Execute(analyst); err != nil {
		t.Errorf("its own: %v", err)
	}
}

func TestClientsAreDistinct(t *testing.T) {
	for name, all := range map[string][]Client{
		"one name":  {{Name: "a", Token: "x"}, {Name: "a", Token: "y"}},
		"one token": {{Name: "a", Token: "x"}, {Name: "b", Token: "x"}},
		"no token":  {{Name: "a"}},
	} {
		if _, err := newGuard(all); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestTLS(t *testing.T) {
	certificate, roots := newCertificate(t)
	f := newServer(t, func(_ *worker.Config, c *Config) { c.TLS = &tls.Config{Certificates: []tls.Certificate{certificate}} })
	trusting := f.client(securely(credentials.NewTLS(&tls.Config{RootCAs: roots})))
	if got := trusting.good("SELECT 1"); got != "1;" {
		t.Errorf("got %s", got)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
	defer cancel()
	if _, err := f.client(insecurely()).query(ctx, "SELECT 1"); err == nil {
		t.Error("a client without TLS is answered")
	}
	if _, err := f.client(securely(credentials.NewTLS(&tls.Config{}))).query(ctx, "SELECT 1"); err == nil {
		t.Error("a client that does not know the certificate is answered")
	}
}

// newCertificate makes a certificate of 127.0.0.1 that is its own root.
func newCertificate(t *testing.T) (tls.Certificate, *x509.CertPool) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "fleet"}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AddCert(parsed)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, roots
}

// TestARenewedCertificateIsUsed writes another certificate over the first, and then one that is none.
func TestARenewedCertificateIsUsed(t *testing.T) {
	dir := t.TempDir()
	certificate, key := filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	if _, err := Certificate(certificate, key, slog.New(slog.DiscardHandler)); err == nil {
		t.Error("no files: no error")
	}
	store := func(at time.Time) []byte {
		pair, _ := newCertificate(t)
		der, err := x509.MarshalPKCS8PrivateKey(pair.PrivateKey)
		if err != nil {
			t.Fatal(err)
		}
		for path, block := range map[string]*pem.Block{certificate: {Type: "CERTIFICATE", Bytes: pair.Certificate[0]}, key: {Type: "PRIVATE KEY", Bytes: der}} {
			if err := errors.Join(os.WriteFile(path, pem.EncodeToMemory(block), 0o600), os.Chtimes(path, at, at)); err != nil {
				t.Fatal(err)
			}
		}
		return pair.Certificate[0]
	}
	at := time.Now().Add(-time.Hour)
	first := store(at)
	var log pipelinetest.Log
	c, err := Certificate(certificate, key, slog.New(slog.NewTextHandler(&log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	used := func() []byte {
		got, err := c.GetCertificate(nil)
		if err != nil {
			t.Fatal(err)
		}
		return got.Certificate[0]
	}
	if !bytes.Equal(used(), first) {
		t.Error("another certificate than the first")
	}
	second := store(at.Add(time.Minute))
	if !bytes.Equal(used(), second) {
		t.Error("not the renewed certificate")
	}
	if err := os.WriteFile(certificate, []byte("none"), 0o600); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(used(), second) || !strings.Contains(log.String(), "the earlier one is") {
		t.Errorf("a certificate that is none: log %s", &log)
	}
}
