package store

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
)

// Get opens an object. Its version is its ETag. If the connection is lost while it is read, the body
// continues where it was, as long as the version is the same.
func (b *bucket) Get(ctx context.Context, key string) (io.ReadCloser, string, error) {
	err := checkKey(key)
	r := &body{ctx: ctx, bucket: b, key: key}
	if err == nil {
		err = r.open()
	}
	if missing(err) {
		err = ErrNotFound
	}
	if err != nil {
		return nil, "", fmt.Errorf("get %s: %w", b.object(key), err)
	}
	return r, r.version, nil
}

// body reads an object, over several connections if it must.
type body struct {
	ctx     context.Context // of Get: io.Reader has no place for it
	bucket  *bucket
	key     string
	version string
	at      int64
	fails   int // how often reading failed since bytes came

	watch *watch
	from  io.ReadCloser
}

// open asks for the object from where the body is.
func (r *body) open() error {
	b := r.bucket
	in := &s3.GetObjectInput{Bucket: &b.name, Key: b.key(r.key)}
	if r.version != "" {
		in.IfMatch = &r.version
	}
	if r.at > 0 {
		in.Range = aws.String(fmt.Sprintf("bytes=%d-", r.at))
	}
	return b.retries.do(r.ctx, "get "+b.object(r.key), func(ctx context.Context) error {
		ctx, w := newWatch(ctx, b.retries.patience) // the body is read under it
		out, err := b.client.GetObject(ctx, in)
		if err != nil {
			w.stop()
			return classify(ctx, err, b.scrub)
		}
		w.pause() // the caller may take its time between two reads
		r.watch, r.from, r.version = w, out.Body, aws.ToString(out.ETag)
		return nil
	})
}

// Read reads on over a new connection when one is lost.
func (r *body) Read(p []byte) (int, error) {
	for {
		r.watch.restart()
		n, err := r.from.Read(p)
		r.watch.pause()
		r.at += int64(n)
		if n > 0 {
			r.fails = 0
		}
		if err == nil || err == io.EOF {
			return n, err
		}
		if n > 0 {
			return n, nil // the next call meets the error again
		}
		if err := r.again(err); err != nil {
			return 0, fmt.Errorf("read %s: %w", r.bucket.object(r.key), err)
		}
	}
}

// again opens the object where the body is, after an error.
func (r *body) again(err error) error {
	r.fails++
	if r.ctx.Err() != nil {
		return context.Cause(r.ctx)
	}
	if r.fails >= r.bucket.retries.attempts {
		return fmt.Errorf("%s (tried %d times): %s", r.bucket.scrub.Replace(err.Error()), r.fails, mendReach)
	}
	if err := sleep(r.ctx, r.bucket.retries.delay(r.fails, 0)); err != nil {
		return err
	}
	_ = r.Close()
	if err = r.open(); refused(err) || missing(err) {
		return ErrChanged
	}
	return err
}

// Close ends the connection.
func (r *body) Close() error {
	err := r.from.Close()
	r.watch.stop()
	if errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}
