package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// answers starts a store that gives each request the same answer, after a first listing that works.
func answers(t *testing.T, o Options, answer http.HandlerFunc) (s *bucket, requests *atomic.Int64) {
	t.Helper()
	requests = new(atomic.Int64)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		_, _ = io.Copy(io.Discard, r.Body)
		answer(w, r)
	}))
	t.Cleanup(server.Close)
	o.Endpoint, o.PathStyle, o.AccessKey, o.SecretKey = server.URL, true, testAccess, testSecret
	must(t, checkS3(testBucket, "", &o))
	s = newBucket(testBucket, "", o)
	s.retries.first, s.retries.most, s.retries.patience = time.Microsecond, time.Millisecond, 100*time.Millisecond
	return s, requests
}

// xml is an answer of S3 without success.
func xml(status int, code, message string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_, _ = fmt.Fprintf(w, `<?xml version="1.0"?><Error><Code>%s</Code><Message>%s</Message></Error>`, code, message)
	}
}

// TestErrorsSayWhatToDo has what stores answer: how often they are asked, and what a person reads.
func TestErrorsSayWhatToDo(t *testing.T) {
	const tries = 10
	for name, c := range map[string]struct {
		answer   http.HandlerFunc
		requests int
		want     string
	}{
		"no rights":                     {xml(403, "AccessDenied", "Access Denied"), 1, mendAccess},
		"no such key":                   {xml(403, "InvalidAccessKeyId", "The key does not exist"), 1, mendKey},
		"a wrong secret":                {xml(403, "SignatureDoesNotMatch", "Check your key"), 1, mendKey},
		"a token that has ended":        {xml(400, "ExpiredToken", "The token has expired"), 1, mendKey},
		"a clock that is wrong":         {xml(403, "RequestTimeTooSkewed", "Too large"), 1, mendClock},
		"no bucket":                     {xml(404, "NoSuchBucket", "No such bucket"), 1, mendBucket},
		"another region":                {xml(301, "PermanentRedirect", "Use another endpoint"), 1, mendRegion},
		"another region, by signature":  {xml(400, "AuthorizationHeaderMalformed", "expecting 'eu-north-1'"), 1, "eu-north-1"},
		"a quota":                       {xml(403, "QuotaExceeded", "Bucket quota exceeded"), 1, mendFull},
		"a full store":                  {xml(507, "XMinioStorageFull", "Storage backend has reached its minimum free drive threshold"), 1, mendFull},
		"a full store without a code":   {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(507) }, 1, mendFull},
		"something it cannot do":        {xml(501, "NotImplemented", "A header is not implemented"), 1, "choose another one"},
		"a bad request":                 {xml(400, "InvalidArgument", "Nonsense"), 1, "400 InvalidArgument: Nonsense"},
		"too many requests":             {xml(429, "TooManyRequests", "Slower"), tries, "429 TooManyRequests"},
		"slow down":                     {xml(503, "SlowDown", "Reduce your request rate"), tries, "503 SlowDown"},
		"an error inside":               {xml(500, "InternalError", "We encountered an internal error"), tries, "500 InternalError"},
		"a gateway in between":          {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(502) }, tries, "502"},
		"a time-out of the store":       {xml(400, "RequestTimeout", "Your socket was idle"), tries, "RequestTimeout"},
		"content that was damaged":      {xml(400, "BadDigest", "The Content-MD5 does not match"), tries, "BadDigest"},
		"a race with another writer":    {xml(409, "ConditionalRequestConflict", "Try again"), tries, "409 ConditionalRequestConflict"},
		"a connection that ends":        {func(w http.ResponseWriter, _ *http.Request) { hangUp(w) }, tries, mendReach},
		"nothing at all":                {func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, tries, errStalled.Error()},
		"a server that is no store":     {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(404) }, 1, "404"},
		"a web page instead of a store": {func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "<html>hello") }, tries, mendStore},
	} {
		t.Run(name, func(t *testing.T) {
			s, requests := answers(t, Options{}, c.answer)
			var listErr error
			for _, err := range s.List(t.Context(), "") {
				listErr = err
			}
			if listErr == nil || int(requests.Load()) != c.requests || !strings.Contains(listErr.Error(), c.want) || !strings.Contains(listErr.Error(), "s3://lake") {
				t.Errorf("%d requests, %v", int(requests.Load()), listErr)
			}
			if c.requests == 1 { // puts are judged alike
				requests.Store(0)
				if err := s.Delete(t.Context(), "a"); err == nil {
					t.Error("deleted")
				}
				requests.Store(0)
				if err := s.Put(t.Context(), "a", text("a")); err == nil || int(requests.Load()) != 1 || !strings.Contains(err.Error(), c.want) {
					t.Errorf("put: %d requests, %v", int(requests.Load()), err)
				}
			}
		})
	}
}

// TestNoAnswerSaysWhy has the ways not to reach a store.
func TestNoAnswerSaysWhy(t *testing.T) {
	secure := httptest.NewTLSServer(http.NotFoundHandler())
	t.Cleanup(secure.Close)
	plain := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(plain.Close)
	secure.Config.ErrorLog, plain.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, 0), slog.NewLogLogger(slog.DiscardHandler, 0)
	for name, c := range map[string]struct{ endpoint, want string }{
		"a certificate that nobody trusts": {secure.URL, mendTLS},
		"https where http is spoken":       {strings.Replace(plain.URL, "http:", "https:", 1), mendTLS},
	} {
		start := time.Now()
		_, err := Open(t.Context(), "s3://lake/p", Options{Endpoint: c.endpoint, AccessKey: "k", SecretKey: "hidden-secret"})
		if err == nil || !strings.Contains(err.Error(), c.want) || time.Since(start) > 5*time.Second {
			t.Errorf("%s: %v", name, err)
		}
	}
	scrub := strings.NewReplacer()
	for name, c := range map[string]struct {
		err    error
		passes bool
	}{
		"a name that does not exist":   {&net.DNSError{Err: "no such host", Name: "s3.example", IsNotFound: true}, false},
		"a resolver that is busy":      {&net.DNSError{Err: "timeout", Name: "s3.example", IsTimeout: true}, true},
		"a refused connection":         {&net.OpError{Op: "dial", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}, true},
		"an answer that ends too soon": {io.ErrUnexpectedEOF, true},
	} {
		f, ok := errors.AsType[*fault](classify(t.Context(), fmt.Errorf("dial: %w", c.err), scrub))
		if !ok || f.passes != c.passes || f.do != mendReach {
			t.Errorf("%s: %+v", name, f)
		}
	}
}

// TestOptionsAreCheckedBeforeARequest has options that cannot work.
func TestOptionsAreCheckedBeforeARequest(t *testing.T) {
	ok := Options{Endpoint: "https://s3.invalid", AccessKey: "k", SecretKey: testSecret}
	with := func(change func(*Options)) Options {
		o := ok
		change(&o)
		return o
	}
	for name, c := range map[string]struct {
		target  string
		options Options
		want    string
	}{
		"no target":                   {"", ok, "want a directory or s3://bucket/prefix"},
		"another kind of store":       {"gs://bucket/a", ok, `"gs://"`},
		"no bucket":                   {"s3:///prefix", ok, "want s3://bucket/prefix"},
		"a bucket with credentials":   {"s3://k:s@bucket/prefix", ok, "want s3://bucket/prefix"},
		"a prefix that climbs":        {"s3://bucket/../x", ok, "want names separated by slashes"},
		"an empty name in the prefix": {"s3://bucket/a//x", ok, "want names separated by slashes"},
		"no access key":               {"s3://bucket", with(func(o *Options) { o.AccessKey = "" }), "FLEETLAKE_EXPORT_ACCESS_KEY"},
		"no secret key":               {"s3://bucket", with(func(o *Options) { o.SecretKey = "" }), "FLEETLAKE_EXPORT_SECRET_KEY"},
		"a line break in a key":       {"s3://bucket", with(func(o *Options) { o.SecretKey += "\n" }), "copy it again"},
		"neither region nor endpoint": {"s3://bucket", with(func(o *Options) { o.Endpoint = "" }), "no region"},
		"an endpoint without scheme":  {"s3://bucket", with(func(o *Options) { o.Endpoint = "s3.example.org" }), "no URL as https://"},
		"an endpoint of other scheme": {"s3://bucket", with(func(o *Options) { o.Endpoint = "ftp://s3.example.org" }), "no URL as https://"},
		"credentials in the endpoint": {"s3://bucket", with(func(o *Options) { o.Endpoint = "https://k:" + testSecret + "@s3.example.org" }), "more than a host"},
		"no bandwidth that can be":    {"s3://bucket", with(func(o *Options) { o.Bandwidth = -1 }), "positive number"},
	} {
		if _, err := Open(t.Context(), c.target, c.options); err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), testSecret) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestSecretsAreNowhere lets a store repeat the credentials in every error, and reads every text that
// the package makes.
func TestSecretsAreNowhere(t *testing.T) {
	const token = "AQoDYXdzEJr-session-token"
	var texts []string
	o := Options{SessionToken: token, Warn: func(s string) { texts = append(texts, s) }}
	status := 0
	s, _ := answers(t, o, func(w http.ResponseWriter, r *http.Request) {
		xml(status, "SomeCode", fmt.Sprintf("key %s secret %s token %s signature %s", testAccess, testSecret, token, r.Header.Get("X-Amz-Security-Token")))(w, r)
	})
	for _, status = range []int{200, 301, 400, 403, 404, 412, 500, 503, 507} {
		_, _, get := s.Get(t.Context(), "a")
		for _, err := range s.List(t.Context(), "") {
			texts = append(texts, fmt.Sprint(err))
		}
		for _, err := range []error{get, s.Put(t.Context(), "a", text("a")), s.Replace(t.Context(), "a", nil, ""), s.Delete(t.Context(), "a")} {
			texts = append(texts, fmt.Sprintf("%v %+v %#v", err, err, err))
			for ; err != nil; err = errors.Unwrap(err) {
				texts = append(texts, fmt.Sprintf("%+v", err))
			}
		}
	}
	o.AccessKey, o.SecretKey = testAccess, testSecret
	var log strings.Builder
	slog.New(slog.NewJSONHandler(&log, nil)).Info("open", "options", o, "store", Store(s))
	texts = append(texts, log.String(), fmt.Sprint(o, s), fmt.Sprintf("%+v %+v", o, s), fmt.Sprintf("%#v %#v %s %q", o, s, o, s))
	for _, text := range texts {
		for _, secret := range []string{testAccess, testSecret, token} {
			if strings.Contains(text, secret) {
				t.Errorf("%q is in %s", secret, text)
			}
		}
	}
	if len(texts) < 60 {
		t.Errorf("only %d texts", len(texts))
	}
}

// TestAWrongSecretIsInNoError asks the real server with a wrong secret.
func TestAWrongSecretIsInNoError(t *testing.T) {
	g := startGateway(t)
	o := g.options(g.endpoint)
	o.SecretKey = "wrong-" + testSecret
	_, err := Open(t.Context(), "s3://lake/p", o)
	if err == nil || !strings.Contains(err.Error(), mendKey) || strings.Contains(err.Error(), testSecret) {
		t.Errorf("a wrong secret: %v", err)
	}
	o.AccessKey = "nobody"
	if _, err := Open(t.Context(), "s3://lake/p", o); err == nil || !strings.Contains(err.Error(), mendKey) || strings.Contains(err.Error(), testSecret) {
		t.Errorf("a wrong key: %v", err)
	}
	if _, err := Open(t.Context(), "s3://none/p", g.options(g.endpoint)); err == nil || !strings.Contains(err.Error(), mendBucket) {
		t.Errorf("no bucket: %v", err)
	}
}

// TestAStoreThatIgnoresConditionsIsRefused has stores that take every write.
func TestAStoreThatIgnoresConditionsIsRefused(t *testing.T) {
	for name, refuses := range map[string]func(*http.Request) bool{
		"both":     func(*http.Request) bool { return false },
		"If-Match": func(r *http.Request) bool { return r.Header.Get("If-None-Match") != "" },
	} {
		wrote := 0
		s, _ := answers(t, Options{}, func(w http.ResponseWriter, r *http.Request) {
			if refuses(r) {
				w.WriteHeader(http.StatusPreconditionFailed)
			}
			if !strings.HasSuffix(r.URL.Path, conditions) {
				wrote++
			}
		})
		for op, err := range map[string]error{"put": s.Put(t.Context(), "a", text("a")), "replace": s.Replace(t.Context(), "a", nil, "")} {
			if !errors.Is(err, errUnconditional) || wrote != 0 {
				t.Errorf("ignores %s: %s: %v, %d writes", name, op, err, wrote)
			}
		}
	}
}

// TestACancelledContextEndsTheWaiting cancels while the store is asked again and again.
func TestACancelledContextEndsTheWaiting(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	s, requests := answers(t, Options{Warn: func(string) { cancel() }}, xml(503, "SlowDown", "Slower"))
	s.retries.first, s.retries.most = time.Millisecond, time.Hour
	err := s.Put(ctx, "a", text("a"))
	if !errors.Is(err, context.Canceled) || int(requests.Load()) != quiet || !strings.Contains(err.Error(), "SlowDown") {
		t.Errorf("%d requests, %v", int(requests.Load()), err)
	}
}

// TestARefusalThatHangsUpIsNoOutage has a store that takes an object, or has one of another writer, and ends the
// connection of every write of it: a few writes later the writer looks, and knows.
func TestARefusalThatHangsUpIsNoOutage(t *testing.T) {
	src, other := text("ours"), text("them")
	for name, c := range map[string]struct {
		there   string // the SHA-256 of the object; "" is none
		version string
		write   func(*bucket) error
		want    error
		writes  int64
	}{
		"its own content":       {src.SHA256, `"1"`, func(s *bucket) error { return s.Put(t.Context(), "a", src) }, nil, 2},
		"another writer's":      {other.SHA256, `"1"`, func(s *bucket) error { return s.Put(t.Context(), "a", src) }, ErrExists, 2},
		"its own next version":  {src.SHA256, `"2"`, func(s *bucket) error { return s.Replace(t.Context(), "a", []byte("ours"), `"1"`) }, nil, 2},
		"another version":       {other.SHA256, `"2"`, func(s *bucket) error { return s.Replace(t.Context(), "a", []byte("ours"), `"1"`) }, ErrChanged, 2},
		"no version any longer": {"", "", func(s *bucket) error { return s.Replace(t.Context(), "a", []byte("ours"), `"1"`) }, ErrChanged, 2},
		"the version it has":    {other.SHA256, `"1"`, func(s *bucket) error { return s.Replace(t.Context(), "a", []byte("ours"), `"1"`) }, io.EOF, 10},
		"nothing":               {"", "", func(s *bucket) error { return s.Put(t.Context(), "a", src) }, io.EOF, 10},
	} {
		t.Run(name, func(t *testing.T) {
			var writes, sent atomic.Int64
			s, _ := answers(t, Options{Sent: func(n int64) { sent.Add(n) }}, func(w http.ResponseWriter, r *http.Request) {
				switch {
				case strings.HasSuffix(r.URL.Path, conditions):
					w.WriteHeader(http.StatusPreconditionFailed)
				case r.Method == http.MethodHead && c.there == "":
					w.WriteHeader(http.StatusNotFound)
				case r.Method == http.MethodHead:
					w.Header().Set("Content-Length", "4")
					w.Header().Set("ETag", c.version)
					w.Header().Set("X-Amz-Meta-Sha256", c.there)
				default:
					writes.Add(1)
					hangUp(w)
				}
			})
			err := c.write(s)
			if c.want == io.EOF && (err == nil || !strings.Contains(err.Error(), "tried 10 times")) || c.want != io.EOF && !errors.Is(err, c.want) || writes.Load() != c.writes {
				t.Errorf("%d writes, %v", writes.Load(), err)
			}
			if err == nil && sent.Load() != src.Bytes {
				t.Errorf("%d bytes are counted of %d", sent.Load(), src.Bytes)
			}
		})
	}
}
