package store

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"
)

// fault is what a store answered instead of success, or why it did not answer.
type fault struct {
	status int    // of the answer; 0 is none
	code   string // as NoSuchBucket; empty if the answer had none
	text   string
	do     string        // what a person can do about it
	passes bool          // the same request may succeed later
	after  time.Duration // how long the store asks to wait
	cause  error         // where there was no answer
}

func (f *fault) Error() string {
	var parts []string
	if f.status != 0 {
		parts = append(parts, strings.TrimSpace(strconv.Itoa(f.status)+" "+f.code))
	}
	if f.text != "" {
		parts = append(parts, f.text)
	}
	if f.do != "" {
		parts = append(parts, f.do)
	}
	return strings.Join(parts, ": ")
}

func (f *fault) Unwrap() error { return f.cause }

// What a person can do.
const (
	mendKey    = "check the access key, the secret key and the session token"
	mendAccess = "let this access key list, read, write and delete objects and parts in this bucket, below this prefix"
	mendRegion = "set the region in which the bucket is"
	mendBucket = "create the bucket, or check its name, the endpoint and path style"
	mendFull   = "the store is full: free space or raise the quota"
	mendClock  = "set the clock of this machine"
	mendReach  = "check the endpoint, and that this machine reaches it"
	mendTLS    = "check that the endpoint begins with the right one of http:// and https://, and that its certificate is one that this machine trusts"
	mendStore  = "the endpoint does not answer as an S3 store does: check it"
)

// mendCodes has the codes of S3, and of makers of stores that speak it, that no repetition helps.
var mendCodes = map[string]string{
	"InvalidAccessKeyId":                 mendKey,
	"SignatureDoesNotMatch":              mendKey,
	"ExpiredToken":                       mendKey,
	"InvalidToken":                       mendKey,
	"XAdminUserNotFound":                 mendKey, // versitygw
	"AccessDenied":                       mendAccess,
	"AllAccessDisabled":                  mendAccess,
	"AccountProblem":                     mendAccess,
	"RequestTimeTooSkewed":               mendClock,
	"NoSuchBucket":                       mendBucket,
	"InvalidBucketName":                  mendBucket,
	"PermanentRedirect":                  mendRegion,
	"AuthorizationHeaderMalformed":       mendRegion,
	"IllegalLocationConstraintException": mendRegion,
	"QuotaExceeded":                      mendFull,
	"EntityTooLarge":                     "the store takes no objects or parts of this size",
	"InsufficientStorage":                mendFull,
	"XMinioStorageFull":                  mendFull,
	"XMinioAdminBucketQuotaExceeded":     mendFull,
}

// passingCodes has the codes whose status does not say that they pass.
var passingCodes = map[string]bool{
	"SlowDown":                   true,
	"Throttling":                 true,
	"ThrottlingException":        true,
	"RequestLimitExceeded":       true,
	"RequestTimeout":             true,
	"OperationAborted":           true,
	"ConditionalRequestConflict": true, // another writer was at it: the next attempt sees who won
	"IncompleteBody":             true,
	"BadDigest":                  true, // the content was right when it left: it was damaged on the way
	"XAmzContentSHA256Mismatch":  true,
}

// classify says what an error of the client means. The context's own end stays what it is.
func classify(ctx context.Context, err error, scrub *strings.Replacer) error {
	if err == nil {
		return nil
	}
	if source, ok := errors.AsType[*sourceError](err); ok {
		return source
	}
	f := &fault{status: statusOf(err), text: http.StatusText(statusOf(err))}
	if f.status == 0 {
		return unanswered(ctx, err, scrub)
	}
	if api, ok := errors.AsType[smithy.APIError](err); ok {
		f.code, f.text = api.ErrorCode(), scrub.Replace(api.ErrorMessage())
	}
	answer, _ := errors.AsType[*smithyhttp.ResponseError](err)
	if seconds, err := strconv.Atoi(answer.Response.Header.Get("Retry-After")); err == nil && seconds > 0 {
		f.after = time.Duration(seconds) * time.Second
	}
	f.judge()
	if f.status < 300 { // the answer itself was damaged, or is none of S3
		f.text, f.passes, f.do = scrub.Replace(err.Error()), true, mendStore
	}
	return f
}

// statusOf is the status of the answer in an error of the client; 0 is no answer.
func statusOf(err error) int {
	if answer, ok := errors.AsType[*smithyhttp.ResponseError](err); ok && answer.Response != nil {
		return answer.HTTPStatusCode()
	}
	return 0
}

// judge decides whether an answer passes, and what to do about it.
func (f *fault) judge() {
	if do, ok := mendCodes[f.code]; ok {
		f.do = do
		return
	}
	switch s := f.status; {
	case passingCodes[f.code], s == http.StatusRequestTimeout, s == http.StatusTooManyRequests:
		f.passes = true
	case s == http.StatusInsufficientStorage:
		f.do = mendFull
	case s == http.StatusNotImplemented, s == http.StatusHTTPVersionNotSupported:
		f.do = "this store cannot do it: choose another one"
	case s >= 500:
		f.passes = true
	case s == http.StatusUnauthorized, s == http.StatusForbidden:
		f.do = mendAccess
	case s >= 300 && s < 400 && s != http.StatusNotModified:
		f.do = mendRegion
	}
}

// unanswered says why there was no answer. A connection may work the next time; a certificate, a
// name that does not exist and another protocol will not.
func unanswered(ctx context.Context, err error, scrub *strings.Replacer) error {
	if context.Cause(ctx) == errStalled {
		return &fault{text: errStalled.Error(), passes: true, do: mendReach, cause: errStalled}
	}
	f := &fault{text: scrub.Replace(shortest(err)), passes: true, do: mendReach, cause: rootOf(err)}
	if name, ok := errors.AsType[*net.DNSError](err); ok && name.IsNotFound {
		f.passes = false
	}
	if badTLS(err) {
		f.passes, f.do = false, mendTLS
	}
	return f
}

// badTLS says whether the other side is not who it should be, or speaks no TLS.
func badTLS(err error) bool {
	var (
		authority x509.UnknownAuthorityError
		host      x509.HostnameError
		invalid   x509.CertificateInvalidError
		verify    *tls.CertificateVerificationError
		record    tls.RecordHeaderError
	)
	return errors.As(err, &authority) || errors.As(err, &host) || errors.As(err, &invalid) || errors.As(err, &verify) ||
		errors.As(err, &record) || strings.Contains(err.Error(), "server gave HTTP response to HTTPS client")
}

// rootOf returns what the errors of the client are about: a cancelled context, or nothing.
func rootOf(err error) error {
	for _, known := range []error{context.Canceled, context.DeadlineExceeded} {
		if errors.Is(err, known) {
			return known
		}
	}
	return nil
}

// shortest leaves out what the client says of its own steps, and the address of the request.
func shortest(err error) string {
	if e, ok := errors.AsType[*smithyhttp.RequestSendError](err); ok {
		err = e.Err
	}
	if e, ok := errors.AsType[*url.Error](err); ok {
		err = e.Err
	}
	return err.Error()
}
