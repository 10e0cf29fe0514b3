package extract

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strconv"
	"time"
)

const maxBody = 16 << 20 // of an answer, decompressed

var errBodyTooLarge = errors.New("the body is larger than 16 MiB")

// reply is a whole answer, or as much as came of it.
type reply struct {
	status     int
	body       []byte
	retryAfter time.Duration
	date       time.Time // the service's clock
	notSent    bool      // no connection was made
}

// newHTTP returns a client that sends each request once, on a connection of its own, and
// never follows a redirect, because the key would travel with it.
func newHTTP(s Service) *http.Client {
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
	return &http.Client{
		Transport:     transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// exchange sends a request and reads the whole answer, within the timeout.
func (c *Client) exchange(ctx context.Context, r Request) (reply, error) {
	var got reply
	ctx, cancel := context.WithTimeout(ctx, c.service.Timeout)
	defer cancel()
	connected := false
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { connected = true }})
	req, err := r.http(ctx, c.service)
	if err != nil {
		got.notSent = true
		return got, err
	}
	resp, err := c.http.Do(req)
	if err != nil {
		got.notSent = !connected
		return got, plain(err)
	}
	defer resp.Body.Close()
	got.status = resp.StatusCode
	got.retryAfter = retryAfter(resp.Header.Get("Retry-After"), time.Now())
	got.date, _ = http.ParseTime(resp.Header.Get("Date"))
	got.body, err = readBody(resp)
	return got, err
}

// readBody reads a body into a slice of its announced size, up to the limit.
func readBody(resp *http.Response) ([]byte, error) {
	limited := io.LimitReader(resp.Body, maxBody+1)
	if n := resp.ContentLength; n > 0 && n <= maxBody {
		body := make([]byte, n)
		read, err := io.ReadFull(limited, body)
		return body[:read], err
	}
	body, err := io.ReadAll(limited)
	if len(body) > maxBody {
		return body[:maxBody], errBodyTooLarge
	}
	return body, err
}

// plain takes the URL out of a transport error: it is in the entry already.
func plain(err error) error {
	var u *url.Error
	if errors.As(err, &u) {
		return u.Err
	}
	return err
}

// retryAfter reads the header of that name: seconds, or a date.
func retryAfter(value string, now time.Time) time.Duration {
	if seconds, err := strconv.Atoi(value); err == nil && seconds > 0 {
		return min(time.Duration(seconds)*time.Second, time.Hour)
	}
	if at, err := http.ParseTime(value); err == nil {
		return max(0, min(at.Sub(now), time.Hour))
	}
	return 0
}

// CheckURL says whether a base URL can be used: https, or plain http to this machine.
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
	return fmt.Errorf("%q: plain http would show the key to the network; want https", base)
}
