package main

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"path/filepath"
	"strings"
	"time"

	"github.com/apache/iceberg-go/io"
)

var (
	errNotFound = errors.New("there is no such object")
	errChanged  = errors.New("the object has changed meanwhile")
)

// object is what a listing says of one object; the key is relative to the target.
type object struct {
	key      string
	bytes    int64
	modified time.Time
}

// objects are the files of a directory or the objects below a prefix of a bucket.
type objects interface {
	// read returns an object and its version, or errNotFound.
	read(ctx context.Context, key string) (content []byte, version string, err error)
	// replace writes an object if it still has the version; version "" says that it must not exist. Otherwise
	// it returns errChanged.
	replace(ctx context.Context, key string, content []byte, version string) error
	// list returns every object below a prefix that ends with a slash.
	list(ctx context.Context, prefix string) iter.Seq2[object, error]
	// remove deletes an object; it is no error if it is not there.
	remove(ctx context.Context, key string) error
}

// target is where the export is.
type target struct {
	objects
	name string // as the user wrote it
	uri  string // absolute, without a slash at its end: file:///… or s3://…
}

// key returns the path of a URI below the target, or false if it is elsewhere.
func (t target) key(uri string) (string, bool) {
	return strings.CutPrefix(uri, t.uri+"/")
}

func (t target) of(key string) string { return t.uri + "/" + key }

// s3Options say how an object store is reached. The keys come from the environment alone.
type s3Options struct {
	endpoint, region                   string
	pathStyle                          bool
	accessKey, secretKey, sessionToken string
}

// properties are s3Options in the words of Iceberg; they are given to the catalog and never stored in it.
func (o s3Options) properties() map[string]string {
	p := map[string]string{io.S3ForceVirtualAddressing: fmt.Sprint(!o.pathStyle)}
	for key, value := range map[string]string{
		io.S3EndpointURL: o.endpoint, io.S3Region: o.region,
		io.S3AccessKeyID: o.accessKey, io.S3SecretAccessKey: o.secretKey, io.S3SessionToken: o.sessionToken,
	} {
		if value != "" {
			p[key] = value
		}
	}
	return p
}

// openTarget returns the target that the user named: a directory, or s3://bucket/prefix.
func openTarget(ctx context.Context, name string, o s3Options) (target, error) {
	if rest, ok := strings.CutPrefix(name, "s3://"); ok {
		bucket, prefix, _ := strings.Cut(strings.Trim(rest, "/"), "/")
		if bucket == "" {
			return target{}, fmt.Errorf("%q names no bucket: write s3://bucket/prefix", name)
		}
		store, err := openBucket(bucket, prefix, o)
		return target{store, name, strings.TrimSuffix("s3://"+bucket+"/"+prefix, "/")}, err
	}
	dir, err := filepath.Abs(name)
	if err != nil {
		return target{}, err
	}
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return target{}, fmt.Errorf("open target: %w", err)
	}
	if strings.ContainsAny(dir, "%?#\\ ") {
		return target{}, fmt.Errorf("directory %q has a space or one of %%?#\\ in its name, which engines read differently in the URI of a file: rename it", dir)
	}
	return target{directory(dir), name, "file://" + filepath.ToSlash(dir)}, nil
}
