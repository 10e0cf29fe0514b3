package store

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
)

// bucket is a Store in a bucket of an S3 store, below a prefix.
type bucket struct {
	*meter
	client  *s3.Client
	name    string
	prefix  string // empty, or ends with a slash
	retries retries
	scrub   *strings.Replacer // takes the credentials out of texts of the store

	whole int64 // bytes of the largest object that is sent in one request, and of the smallest part

	mu          sync.Mutex
	conditional bool // the store was seen to refuse writes whose condition does not hold
}

const (
	wholeBytes = 16 << 20
	mostParts  = 10_000 // S3's limit
)

// openS3 checks the options and that the bucket can be listed.
func openS3(ctx context.Context, name, prefix string, o Options) (*bucket, error) {
	if err := checkS3(name, prefix, &o); err != nil {
		return nil, fmt.Errorf("open s3://%s/%s: %w", name, prefix, err)
	}
	b := newBucket(name, prefix, o)
	for _, err := range b.listPages(ctx, "", 1) {
		if err != nil {
			return nil, fmt.Errorf("open %s: %w", b, err)
		}
		break // one page is enough to know
	}
	return b, nil
}

// checkS3 checks what can be checked without a request.
func checkS3(name, prefix string, o *Options) error {
	switch {
	case name == "" || strings.ContainsAny(name, " ?#@:%"):
		return errors.New("want s3://bucket/prefix")
	case prefix != "" && checkKey(prefix) != nil:
		return fmt.Errorf("the prefix: %w", checkKey(prefix))
	case o.AccessKey == "" || o.SecretKey == "":
		return errors.New("no access key and secret key: set FLEETLAKE_EXPORT_ACCESS_KEY and FLEETLAKE_EXPORT_SECRET_KEY")
	case strings.ContainsAny(o.AccessKey+o.SecretKey+o.SessionToken, " \t\r\n"):
		return errors.New("the access key, the secret key or the session token has a blank or a line break in it: copy it again")
	case o.Region == "" && o.Endpoint == "":
		return errors.New("no region: set the region of the bucket, or the endpoint of a store that is not Amazon's")
	case o.Region == "":
		o.Region = "us-east-1"
	}
	if o.Endpoint == "" {
		return nil
	}
	u, err := url.Parse(o.Endpoint)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return errors.New("the endpoint is no URL as https://s3.example.org")
	}
	if u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return errors.New("the endpoint has more than a host and a path: credentials belong into FLEETLAKE_EXPORT_ACCESS_KEY and FLEETLAKE_EXPORT_SECRET_KEY")
	}
	return nil
}

func newBucket(name, prefix string, o Options) *bucket {
	if prefix != "" {
		prefix += "/"
	}
	credentials := aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
		return aws.Credentials{AccessKeyID: o.AccessKey, SecretAccessKey: o.SecretKey, SessionToken: o.SessionToken, Source: "options"}, nil
	})
	r := defaultRetries(o)
	options := s3.Options{
		Region: o.Region, UsePathStyle: o.PathStyle, Credentials: credentials,
		HTTPClient: httpClient(),
		Retryer:    aws.NopRetryer{}, // one policy of retries: ours
		// Other makers' stores do not know the checksums that Amazon's client would add.
		RequestChecksumCalculation: aws.RequestChecksumCalculationWhenRequired,
		ResponseChecksumValidation: aws.ResponseChecksumValidationWhenRequired,
	}
	if o.Endpoint != "" {
		options.BaseEndpoint = &o.Endpoint
	}
	var hide []string
	for _, secret := range []string{o.SecretKey, o.SessionToken, o.AccessKey} {
		if secret != "" {
			hide = append(hide, secret, "[hidden]")
		}
	}
	return &bucket{meter: newMeter(o), client: s3.New(options), name: name, prefix: prefix, retries: r,
		scrub: strings.NewReplacer(hide...), whole: wholeBytes}
}

// httpClient keeps connections for as many requests as run side by side, and follows no redirect: a
// signature is for one host.
func httpClient() *http.Client {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.DialContext = (&net.Dialer{Timeout: 10 * time.Second, KeepAlive: 30 * time.Second}).DialContext
	t.MaxIdleConnsPerHost = 32
	return &http.Client{Transport: t, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

// String is the target without credentials.
func (b *bucket) String() string { return "s3://" + b.name + "/" + strings.TrimSuffix(b.prefix, "/") }

// GoString is what String is.
func (b *bucket) GoString() string { return b.String() }

// key is the name of an object in the bucket.
func (b *bucket) key(key string) *string { return aws.String(b.prefix + key) }

// object is the object as errors name it.
func (b *bucket) object(key string) string { return "s3://" + b.name + "/" + b.prefix + key }

// call sends a request until it succeeds or there is no sense in it. An attempt in which nothing
// moves has failed: try restarts the watch whenever something does.
func (b *bucket) call(ctx context.Context, op, key string, try func(context.Context, *watch) error) error {
	return b.retries.do(ctx, op+" "+b.object(key), func(ctx context.Context) error {
		attempt, w := newWatch(ctx, b.retries.patience)
		defer w.stop()
		return classify(attempt, try(attempt, w), b.scrub)
	})
}

// List pages through the keys. What can be no key of ours is left out: names that end with a slash,
// by which some programs stand for directories, and the store's own object.
func (b *bucket) List(ctx context.Context, prefix string) iter.Seq2[Object, error] {
	return func(yield func(Object, error) bool) {
		for page, err := range b.listPages(ctx, prefix, 1000) {
			if err != nil {
				yield(Object{}, fmt.Errorf("list %s: %w", b.object(prefix), err))
				return
			}
			for _, o := range page.Contents {
				key := strings.TrimPrefix(aws.ToString(o.Key), b.prefix)
				if checkKey(key) != nil {
					continue
				}
				if !yield(Object{key, aws.ToInt64(o.Size), aws.ToTime(o.LastModified)}, nil) {
					return
				}
			}
		}
	}
}

// listPages yields the pages of a listing.
func (b *bucket) listPages(ctx context.Context, prefix string, perPage int32) iter.Seq2[*s3.ListObjectsV2Output, error] {
	return func(yield func(*s3.ListObjectsV2Output, error) bool) {
		in := &s3.ListObjectsV2Input{Bucket: &b.name, Prefix: b.key(prefix), MaxKeys: &perPage}
		for {
			var page *s3.ListObjectsV2Output
			err := b.call(ctx, "list", prefix, func(ctx context.Context, _ *watch) (err error) {
				page, err = b.client.ListObjectsV2(ctx, in)
				return err
			})
			if !yield(page, err) || err != nil || !aws.ToBool(page.IsTruncated) {
				return
			}
			in.ContinuationToken = page.NextContinuationToken
		}
	}
}

// Delete removes an object.
func (b *bucket) Delete(ctx context.Context, key string) error {
	err := checkKey(key)
	if err == nil {
		err = b.call(ctx, "delete", key, func(ctx context.Context, _ *watch) error {
			_, err := b.client.DeleteObject(ctx, &s3.DeleteObjectInput{Bucket: &b.name, Key: b.key(key)})
			return err
		})
	}
	if err != nil && !missing(err) {
		return fmt.Errorf("delete %s: %w", b.object(key), err)
	}
	return nil
}

// missing says whether an answer means that there is no such object. Other answers with status 404
// mean something else: no bucket, no user, or no S3 store at all.
func missing(err error) bool {
	f, ok := errors.AsType[*fault](err)
	return ok && f.code == "NoSuchKey"
}

// refused says whether an answer means that the condition of a write did not hold.
func refused(err error) bool {
	f, ok := errors.AsType[*fault](err)
	return ok && f.status == http.StatusPreconditionFailed
}
