package store

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"log/slog"
	"strings"
	"time"
)

var (
	// ErrExists says that the key is there already, and that nothing was written.
	ErrExists = errors.New("the object exists")
	// ErrNotFound says that the store has no such object.
	ErrNotFound = errors.New("the object is not there")
	// ErrChanged says that the object is not of the version that its caller has read.
	ErrChanged = errors.New("the object was changed by another writer")
)

// Object is one object of a listing.
type Object struct {
	Key      string
	Bytes    int64
	Modified time.Time
}

// Store is a set of objects by key: names separated by slashes, as in facts/listings/a.parquet.
// It is safe for concurrent use. Every error names the operation and the object.
type Store interface {
	// List yields the objects whose key begins with a text, in no promised order. It ends after
	// the first error.
	List(ctx context.Context, prefix string) iter.Seq2[Object, error]
	// Get opens an object, and says which version it is. The caller closes the body. It fails
	// with ErrNotFound if there is none. An object of a directory above 64 MiB has no version:
	// Replace is for small ones.
	Get(ctx context.Context, key string) (body io.ReadCloser, version string, err error)
	// Put writes an object that is not there yet, whole or not at all. It fails with ErrExists,
	// and with an error that says so if the content is not what its source says.
	Put(ctx context.Context, key string, src Source) error
	// Replace writes the next content of the version that its caller got, or the first one if the
	// version is empty. It fails with ErrChanged if the store has another version, or none. The caller
	// reads again then: if answers were lost, another writer may have built on what this one wrote.
	Replace(ctx context.Context, key string, content []byte, version string) error
	// Delete removes an object. It is no error if there is none.
	Delete(ctx context.Context, key string) error
}

// Source is the content of an object: so many bytes of a file, and their SHA-256 as 64 hex digits.
type Source struct {
	File   io.ReaderAt
	Bytes  int64
	SHA256 string
}

// Options says how a store is reached. A directory needs none of them.
type Options struct {
	Endpoint  string // URL of an S3 store other than Amazon's, as https://s3.example.org
	Region    string // required for Amazon's; us-east-1 for others, if empty
	PathStyle bool   // the bucket is in the path of the URL rather than in its host name

	AccessKey    string `json:"-"`
	SecretKey    string `json:"-"`
	SessionToken string `json:"-"` // of temporary credentials

	Bandwidth int64 // bytes a second that leave for the store, over all its writers; 0 is no limit
	// Sent is called as content leaves for the store, with the number of bytes, by several goroutines
	// at once. Bytes that must be sent again are not counted again, and parts that an earlier upload
	// left there are: over a Put that returns nil the numbers add up to the bytes of its source.
	Sent func(bytes int64)
	// Warn is called with a sentence for the log when the store keeps failing, and is asked again.
	Warn func(text string)
}

// String shows everything but the credentials.
func (o Options) String() string {
	return fmt.Sprintf("{endpoint %q, region %q, path style %v, bandwidth %d}", o.Endpoint, o.Region, o.PathStyle, o.Bandwidth)
}

// GoString shows what String shows.
func (o Options) GoString() string { return o.String() }

// LogValue shows what String shows.
func (o Options) LogValue() slog.Value { return slog.StringValue(o.String()) }

// Open opens a target: "s3://bucket/prefix", or a directory, which the first write makes if it is
// missing. It fails if the options are not complete, if the target is a file, and if the bucket
// cannot be listed.
func Open(ctx context.Context, target string, o Options) (Store, error) {
	if o.Bandwidth < 0 {
		return nil, fmt.Errorf("open %s: a bandwidth of %d bytes a second: give a positive number, or 0 for no limit", target, o.Bandwidth)
	}
	scheme, rest, ok := strings.Cut(target, "://")
	switch {
	case target == "":
		return nil, errors.New("open target: none is given: want a directory or s3://bucket/prefix")
	case !ok:
		d, err := openDirectory(ctx, target, o)
		if err != nil {
			return nil, err
		}
		return d, nil
	case scheme != "s3":
		return nil, fmt.Errorf("open target: %q is no known kind of store: want a directory or s3://bucket/prefix", scheme+"://")
	}
	bucket, prefix, _ := strings.Cut(rest, "/")
	s, err := openS3(ctx, bucket, strings.TrimSuffix(prefix, "/"), o)
	if err != nil {
		return nil, err
	}
	return s, nil
}

// checkKey refuses keys that are no path below a root, and names that are the store's own.
func checkKey(key string) error {
	if key == "." || !fs.ValidPath(key) || strings.ContainsAny(key, "\\\x00\n\r") {
		return fmt.Errorf("key %q: want names separated by slashes, without . and .. and empty ones", key)
	}
	for name := range strings.SplitSeq(key, "/") {
		if strings.HasPrefix(name, own) {
			return fmt.Errorf("key %q: names that begin with %s are the store's own", key, own)
		}
	}
	return nil
}

// check refuses a source that does not say what it is.
func (s Source) check() error {
	if sum, err := hex.DecodeString(s.SHA256); err != nil || len(sum) != 32 {
		return fmt.Errorf("sha256 %q: want 64 hex digits", s.SHA256)
	}
	if s.File == nil || s.Bytes < 0 {
		return fmt.Errorf("a source of %d bytes: want a file and its size", s.Bytes)
	}
	return nil
}
