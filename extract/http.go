package extract

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/fleetlake/fleetlake/extract/api"
)

// Limits of a body, after decompression. A vessel takes some 130 bytes in the answer of a status
// search, which is not paged: the limit has room for 60,000 vessels in one status and zone. A page of
// the type/country search has 100 vessels of some 200 bytes, and the lists of accepted values have 12 KB.
const (
	maxBody      = 8 << 20   // of a search that is not paged
	maxOtherBody = 1 << 20   // of everything else, and of every refusal
	smallBody    = 256 << 10 // may be in memory at any time
	largeBodies  = 4         // in memory at the same time, over all lanes: 32 MiB
)

// bodyTooLarge is the error of a body that is longer than so many bytes, of which it says how many are read.
type bodyTooLarge int

func (most bodyTooLarge) Error() string {
	return fmt.Sprintf("the answer is larger than %d MiB, the most that is read of one", most>>20)
}

// reply is a whole answer, or the part of it that arrived.
type reply struct {
	status     int
	body       []byte
	retryAfter time.Duration
	date       time.Time // the service's clock
	notSent    bool      // no connection was made
	key        *key      // that it was sent with
	release    func()    // lets another large body into memory; never nil
}

// newTransport returns what sends each request once, on a new connection. It is no http.Client, because
// that follows redirects, with the key, and loses the answer of one that it cannot follow.
func newTransport(s Service) *http.Transport {
	dialer := &net.Dialer{Timeout: 10 * time.Second}
	transport := &http.Transport{
		Proxy:                  http.ProxyFromEnvironment,
		DialContext:            dialer.DialContext,
		DisableKeepAlives:      true,
		TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12},
		TLSHandshakeTimeout:    10 * time.Second,
		ResponseHeaderTimeout:  s.Timeout,
		MaxResponseHeaderBytes: 64 << 10,
	}
	if s.Dial != nil {
		transport.DialContext, transport.Proxy = s.Dial, nil
	}
	return transport
}

// exchange sends a request and reads the whole answer, within the timeout. The key is removed from
// the body and from the error.
func (c *Client) exchange(ctx context.Context, r api.Request) (reply, error) {
	got := reply{release: func() {}, key: c.keys.now()}
	ctx, cancel := context.WithTimeout(ctx, c.service.Timeout)
	defer cancel()
	connected := false
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { connected = true }})
	req, err := newRequest(ctx, c.service.BaseURL, got.key.text, r)
	if err != nil {
		got.notSent = true
		return got, err
	}
	resp, err := c.transport.RoundTrip(req)
	if other := (tls.RecordHeaderError{}); errors.As(err, &other) && string(other.RecordHeader[:]) == "HTTP/" {
		err = http.ErrSchemeMismatch
	}
	if err != nil {
		got.notSent = !connected
		return got, c.plain(err, got.key)
	}
	defer resp.Body.Close()
	got.status = resp.StatusCode
	got.retryAfter = retryAfter(resp.Header.Get("Retry-After"), time.Now())
	got.date, _ = http.ParseTime(resp.Header.Get("Date"))
	most := maxOtherBody
	if r.Operation.IsSearch() && !r.Operation.Paged && got.status == http.StatusOK {
		most = maxBody
	}
	got.body, got.release, err = c.readBody(ctx, resp, most)
	got.body = got.key.redactor.redact(got.body)
	if err != nil {
		err = c.plain(err, got.key)
	}
	return got, err
}

// readBody reads a body up to the limit. A body that is not small waits until fewer than
// largeBodies are in memory, so that all bodies together are bounded, whatever the service sends.
func (c *Client) readBody(ctx context.Context, resp *http.Response, most int) (body []byte, release func(), err error) {
	release = func() {}
	var b bytes.Buffer
	if n := resp.ContentLength; n > 0 {
		b.Grow(int(min(n, smallBody)) + bytes.MinRead)
	}
	if _, err = io.CopyN(&b, resp.Body, smallBody); err == nil {
		select {
		case c.large <- struct{}{}:
			release = func() { <-c.large }
		case <-ctx.Done():
			return b.Bytes(), release, ctx.Err()
		}
		_, err = io.CopyN(&b, resp.Body, int64(most-smallBody)+1)
	}
	switch body = b.Bytes(); {
	case len(body) > most:
		return body[:most], release, bodyTooLarge(most)
	case errors.Is(err, io.EOF):
		err = nil
	}
	return body, release, err
}

// plain rewords an error of the transport for logs and reports: without the URL, which is in the
// entry already, and without the key, which a broken server may have sent back.
func (c *Client) plain(err error, k *key) error {
	var u *url.Error
	if errors.As(err, &u) {
		err = u.Err
	}
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("no whole answer within %v", c.service.Timeout)
	case errors.Is(err, context.Canceled):
		return errors.New("given up while no whole answer had come")
	}
	if text := api.Clip(string(k.redactor.redact([]byte(err.Error())))); text != err.Error() {
		return errors.New(text)
	}
	return err
}

// retryAfter reads the header of that name: seconds, or a date.
func retryAfter(value string, now time.Time) time.Duration {
	if seconds, err := strconv.Atoi(value); err == nil && seconds > 0 {
		return time.Duration(min(seconds, 3600)) * time.Second
	}
	if at, err := http.ParseTime(value); err == nil {
		return max(0, min(at.Sub(now), time.Hour))
	}
	return 0
}

// CheckURL returns an error unless a base URL can be used: https, or plain http to this machine.
func CheckURL(base string) error {
	u, err := url.Parse(base)
	switch {
	case err != nil:
		return err
	case u.Host == "":
		return fmt.Errorf("%q is not an absolute URL", base)
	case u.Scheme == "https":
		return nil
	case u.Scheme != "http":
		return fmt.Errorf("%q: want https", base)
	}
	if ip := net.ParseIP(u.Hostname()); u.Hostname() == "localhost" || (ip != nil && ip.IsLoopback()) {
		return nil
	}
	return fmt.Errorf("%q: plain http would expose the key to the network; want https", base)
}

// newRequest makes the HTTP request. The key is in a header and nowhere else.
func newRequest(ctx context.Context, base, key string, r api.Request) (*http.Request, error) {
	target := strings.TrimRight(base, "/") + r.Operation.Path
	body := ""
	if r.Operation.Method == http.MethodPost {
		fields := map[string]string{}
		for k := range r.Parameters {
			fields[k] = r.Parameters.Get(k)
		}
		b, err := json.Marshal(fields)
		if err != nil {
			return nil, err
		}
		body = string(b)
	} else if len(r.Parameters) > 0 {
		target += "?" + r.Parameters.Encode()
	}
	req, err := http.NewRequestWithContext(ctx, r.Operation.Method, target, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.GetBody = nil // nothing may send this a second time
	req.Header.Set("x-api-key", key)
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", "fleetlake")
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	} else {
		req.Body = http.NoBody
	}
	return req, nil
}
