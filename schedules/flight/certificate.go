package flight

import (
	"crypto/tls"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"
)

// Certificate returns the configuration of TLS with a certificate and its key, which are files. It reads
// them again when one of them has changed, since certificates are renewed while the server runs; files
// that do not fit are logged, and the earlier ones used. It fails if they do not fit at first.
func Certificate(certificate, key string, log *slog.Logger) (*tls.Config, error) {
	r := &renewed{certificate: certificate, key: key, log: log}
	if _, err := r.get(nil); err != nil {
		return nil, err
	}
	return &tls.Config{GetCertificate: r.get, MinVersion: tls.VersionTLS12}, nil
}

// renewed is a certificate that may be renewed.
type renewed struct {
	certificate, key string
	log              *slog.Logger

	mu    sync.Mutex
	at    [2]time.Time // of the files that were read
	known *tls.Certificate
}

// get returns the certificate of now.
func (r *renewed) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	var at [2]time.Time
	for i, path := range []string{r.certificate, r.key} {
		if info, err := os.Stat(path); err == nil {
			at[i] = info.ModTime()
		}
	}
	if r.known != nil && at == r.at {
		return r.known, nil
	}
	r.at = at // also of files that do not fit: they are read again when they change
	pair, err := tls.LoadX509KeyPair(r.certificate, r.key)
	switch {
	case err == nil:
		r.known = &pair
	case r.known == nil:
		return nil, fmt.Errorf("certificate of Flight SQL: %w", err)
	default:
		r.log.Error("the renewed certificate of Flight SQL cannot be used; the earlier one is", "error", err)
	}
	return r.known, nil
}
