package store

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"path"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/smithy-go/middleware"
)

// shaMetadata names the metadata that has the SHA-256 of an object's content.
const shaMetadata = "sha256"

// Put sends the source in one request, or in parts if it is large.
func (b *bucket) Put(ctx context.Context, key string, src Source) error {
	err := errors.Join(checkKey(key), src.check())
	if err == nil {
		err = b.checkConditions(ctx)
	}
	switch {
	case err != nil:
	case src.Bytes <= b.whole:
		err = b.putWhole(ctx, key, src, "")
		if errors.Is(err, errCondition) {
			err = ErrExists
		}
	default:
		err = b.putParts(ctx, key, src)
	}
	if err != nil {
		return fmt.Errorf("put %s: %w", b.object(key), err)
	}
	return nil
}

// Replace sends the content on condition of the version.
func (b *bucket) Replace(ctx context.Context, key string, content []byte, version string) error {
	err := checkKey(key)
	if err == nil {
		err = b.checkConditions(ctx)
	}
	if err == nil {
		err = b.putWhole(ctx, key, bytesSource(content), version)
	}
	if errors.Is(err, errCondition) {
		err = ErrChanged
	}
	if err != nil {
		return fmt.Errorf("replace %s: %w", b.object(key), err)
	}
	return nil
}

// errCondition says that the condition of a write did not hold.
var errCondition = errors.New("the condition does not hold")

// putWhole sends a source in one request, if the object has the version, or if there is none and the
// version is empty. Otherwise it fails with errCondition.
func (b *bucket) putWhole(ctx context.Context, key string, src Source, version string) error {
	sum := newSums()
	if err := feed(ctx, sum, src.File, 0, src.Bytes); err != nil {
		return err
	}
	if sum.sha256() != src.SHA256 {
		return &contentError{src, src.Bytes, sum.sha256()}
	}
	in := &s3.PutObjectInput{
		Bucket: &b.name, Key: b.key(key), ContentLength: &src.Bytes, ContentMD5: aws.String(sum.md5Base64()),
		ContentType: contentType(key), Metadata: map[string]string{shaMetadata: src.SHA256},
	}
	if version == "" {
		in.IfNoneMatch = aws.String("*")
	} else {
		in.IfMatch = &version
	}
	c := &content{meter: b.meter, file: src.File, size: src.Bytes}
	attempts, silent := 0, 0
	var found verdict
	err := b.call(ctx, "put", key, func(ctx context.Context, w *watch) (err error) {
		if silent > 1 { // a store that refuses while the content is sent, and hangs up, looks like one that is away
			if found, err = b.look(ctx, in.Key, src, version); err != nil || found != unsettled {
				return err
			}
		}
		attempts++
		in.Body = c.reader(ctx, w)
		_, err = b.client.PutObject(ctx, in, signed(src.SHA256))
		if err != nil && statusOf(err) == 0 {
			silent++
		}
		return err
	})
	switch {
	case err == nil && found == refusedBefore:
		return errCondition
	case err == nil && found == arrived:
		c.skip()
	}
	if refused(err) || version != "" && missing(err) {
		return b.decide(ctx, key, src, attempts)
	}
	return err
}

// verdict is what the object under a key says of a write whose answers were lost.
type verdict int

const (
	unsettled     verdict = iota // the condition of the write may hold
	arrived                      // the object has its content
	refusedBefore                // another writer's object is there
)

// look asks for the object that a write wants to make, or whose version it wants to replace.
func (b *bucket) look(ctx context.Context, key *string, src Source, version string) (verdict, error) {
	there, err := b.client.HeadObject(ctx, &s3.HeadObjectInput{Bucket: &b.name, Key: key})
	switch {
	case statusOf(err) == http.StatusNotFound && version == "":
		return unsettled, nil
	case statusOf(err) == http.StatusNotFound:
		return refusedBefore, nil
	case err != nil:
		return unsettled, err
	case src.isThere(there):
		return arrived, nil
	case version == "" || version != aws.ToString(there.ETag):
		return refusedBefore, nil
	}
	return unsettled, nil
}

// isThere says whether an object has the content of a source.
func (s Source) isThere(o *s3.HeadObjectOutput) bool {
	return o != nil && aws.ToInt64(o.ContentLength) == s.Bytes && o.Metadata[shaMetadata] == s.SHA256
}

// decide says whether the condition of a write failed because an attempt of ours, whose answer was
// lost, had written the object. That another writer wrote the same content at the same moment looks
// the same, and does no harm.
func (b *bucket) decide(ctx context.Context, key string, src Source, attempts int) error {
	if attempts == 1 {
		return errCondition
	}
	there, err := b.head(ctx, key)
	if err != nil {
		return err
	}
	if !src.isThere(there) {
		return errCondition
	}
	return nil
}

// head asks what the store has under a key: nil is nothing.
func (b *bucket) head(ctx context.Context, key string) (*s3.HeadObjectOutput, error) {
	var out *s3.HeadObjectOutput
	err := b.call(ctx, "look for", key, func(ctx context.Context, _ *watch) (err error) {
		out, err = b.client.HeadObject(ctx, &s3.HeadObjectInput{Bucket: &b.name, Key: b.key(key)})
		return err
	})
	if f, ok := errors.AsType[*fault](err); ok && f.status == http.StatusNotFound { // an answer to HEAD has no code
		return nil, nil
	}
	return out, err
}

// signed makes the SHA-256 of a body part of the signature without reading the body once more.
func signed(sha256 string) func(*s3.Options) {
	hash := middleware.FinalizeMiddlewareFunc("KnownPayloadHash", func(ctx context.Context, in middleware.FinalizeInput, next middleware.FinalizeHandler) (middleware.FinalizeOutput, middleware.Metadata, error) {
		return next.HandleFinalize(v4.SetPayloadHash(ctx, sha256), in)
	})
	return s3.WithAPIOptions(func(stack *middleware.Stack) error {
		return stack.Finalize.Insert(hash, (&v4.ComputePayloadSHA256{}).ID(), middleware.Before)
	})
}

// contentType is what a browser needs to show a document of the export.
func contentType(key string) *string {
	for end, t := range map[string]string{
		".json": "application/json", ".html": "text/html; charset=utf-8", ".md": "text/markdown; charset=utf-8",
		".sql": "text/plain; charset=utf-8", ".parquet": "application/vnd.apache.parquet",
	} {
		if path.Ext(key) == end {
			return &t
		}
	}
	return aws.String("application/octet-stream")
}
