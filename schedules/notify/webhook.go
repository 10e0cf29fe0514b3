package notify

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// webhook gets events as JSON.
type webhook struct {
	url, secret string
	client      *http.Client
}

// CheckWebhook refuses what is no http address, and plain http to another machine. Its error does not
// repeat the address.
func CheckWebhook(address string) error {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" {
		return errors.New("not an absolute address, expected https://HOST/PATH")
	}
	if ip := net.ParseIP(u.Hostname()); u.Scheme == "http" && u.Hostname() != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return errors.New("notifications would travel unencrypted, expected https://HOST/PATH (http is for this machine only)")
	}
	return nil
}

func newWebhook(address, secret string) *webhook {
	return &webhook{url: address, secret: secret, client: &http.Client{
		Transport:     &http.Transport{Proxy: http.ProxyFromEnvironment, DisableKeepAlives: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

func (w *webhook) id() string { return hashOf(w.url) }

func (w *webhook) name() string { return "webhook" }

func (w *webhook) send(ctx context.Context, e Event) error {
	body, err := json.Marshal(e)
	if err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, w.url, bytes.NewReader(body))
	if err != nil {
		return withoutAddress(err)
	}
	stamp := strconv.FormatInt(time.Now().Unix(), 10)
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("User-Agent", "fleetlake")
	request.Header.Set("X-Fleetlake-Event", e.ID)
	request.Header.Set("X-Fleetlake-Timestamp", stamp)
	if w.secret != "" {
		request.Header.Set("X-Fleetlake-Signature", Sign(w.secret, stamp, body))
	}
	answer, err := w.client.Do(request)
	if err != nil {
		return withoutAddress(err)
	}
	defer answer.Body.Close()
	switch {
	case answer.StatusCode < 300:
		return nil
	case answer.StatusCode == http.StatusTooManyRequests, answer.StatusCode >= 500:
		return fmt.Errorf("status %d", answer.StatusCode)
	}
	return fmt.Errorf("status %d: %w", answer.StatusCode, errRefused)
}

// Sign is the signature of a body that is sent at a time.
func Sign(secret, stamp string, body []byte) string {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(stamp + "."))
	mac.Write(body)
	return "sha256=" + hex.EncodeToString(mac.Sum(nil))
}

// withoutAddress removes the address from an error of net/http.
func withoutAddress(err error) error {
	if u, ok := errors.AsType[*url.Error](err); ok {
		return u.Err
	}
	return err
}
