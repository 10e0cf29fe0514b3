package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/sourcegraph/conc/pool"
)

const (
	partsAtOnce = 4
	// A store may put the parts together before it answers.
	completePatience = 10 * time.Minute
	uploadTries      = 3 // how often an upload begins anew because another writer ended it
)

// part is a section of a file that is sent in one request.
type part struct {
	number  int32 // from 1
	content *content
	sums    sums
	tag     string // ETag of the part at the store; empty if it is not there
}

// putParts sends a source in parts, and continues the upload that a killed process left.
func (b *bucket) putParts(ctx context.Context, key string, src Source) error {
	parts, err := b.cut(ctx, src)
	for try := 1; err == nil; try++ {
		there, headErr := b.head(ctx, key)
		if headErr != nil {
			return headErr
		}
		if there != nil {
			return ErrExists
		}
		if err = b.upload(ctx, key, src, parts); !noUpload(err) || try == uploadTries {
			return err
		}
		err = nil // a writer of the same key completed or aborted it, or changed its parts
	}
	return err
}

// cut hashes a source and its parts.
func (b *bucket) cut(ctx context.Context, src Source) ([]*part, error) {
	whole := newSums()
	size := partBytes(src.Bytes, b.whole)
	var parts []*part
	for at := int64(0); at < src.Bytes; at += size {
		p := &part{number: int32(len(parts)) + 1, sums: newSums(), content: &content{meter: b.meter, file: src.File, offset: at, size: min(size, src.Bytes-at)}}
		if err := feed(ctx, io.MultiWriter(p.sums, whole.sha), src.File, at, p.content.size); err != nil {
			return nil, err
		}
		parts = append(parts, p)
	}
	if whole.sha256() != src.SHA256 {
		return nil, &contentError{src, src.Bytes, whole.sha256()}
	}
	return parts, nil
}

// partBytes is the size of a part: the smallest one, or so many MiB that 10,000 parts suffice.
func partBytes(total, smallest int64) int64 {
	const mib = 1 << 20
	need := (total + mostParts - 1) / mostParts
	return max(smallest, (need+mib-1)/mib*mib)
}

// upload sends the parts that the store does not have, and completes the upload.
func (b *bucket) upload(ctx context.Context, key string, src Source, parts []*part) error {
	id, others, err := b.resume(ctx, key, parts)
	if err == nil && id == "" {
		id, err = b.create(ctx, key, src)
	}
	if err != nil {
		return err
	}
	p := pool.New().WithMaxGoroutines(partsAtOnce).WithContext(ctx).WithCancelOnError().WithFirstError()
	for _, part := range parts {
		if part.tag == "" {
			p.Go(func(ctx context.Context) error { return b.send(ctx, key, id, part) })
		}
	}
	if err := p.Wait(); err != nil {
		return err
	}
	err = b.complete(ctx, key, id, src, parts)
	switch {
	case errors.Is(err, errCondition):
		err = ErrExists
		others = append(others, id)
	case err != nil:
		return err
	}
	for _, id := range others { // the object is there: nobody needs them
		b.abort(ctx, key, id)
	}
	return err
}

// create begins an upload.
func (b *bucket) create(ctx context.Context, key string, src Source) (id string, err error) {
	err = b.call(ctx, "begin an upload of", key, func(ctx context.Context, _ *watch) error {
		out, err := b.client.CreateMultipartUpload(ctx, &s3.CreateMultipartUploadInput{
			Bucket: &b.name, Key: b.key(key), ContentType: contentType(key), Metadata: map[string]string{shaMetadata: src.SHA256},
		})
		if err == nil {
			id = aws.ToString(out.UploadId)
		}
		return err
	})
	return id, err
}

// send sends one part.
func (b *bucket) send(ctx context.Context, key, id string, p *part) error {
	return b.call(ctx, fmt.Sprintf("put part %d of", p.number), key, func(ctx context.Context, w *watch) error {
		out, err := b.client.UploadPart(ctx, &s3.UploadPartInput{
			Bucket: &b.name, Key: b.key(key), UploadId: &id, PartNumber: &p.number,
			Body: p.content.reader(ctx, w), ContentLength: &p.content.size, ContentMD5: aws.String(p.sums.md5Base64()),
		}, signed(p.sums.sha256()))
		if err == nil {
			p.tag = aws.ToString(out.ETag)
		}
		return err
	})
}

// complete makes an object of the parts, if there is none. It fails with errCondition if there is.
func (b *bucket) complete(ctx context.Context, key, id string, src Source, parts []*part) error {
	done := &types.CompletedMultipartUpload{}
	for _, p := range parts {
		done.Parts = append(done.Parts, types.CompletedPart{PartNumber: &p.number, ETag: &p.tag})
	}
	attempts := 0
	err := b.call(ctx, "complete", key, func(ctx context.Context, w *watch) error {
		attempts++
		w.patience = completePatience
		w.restart()
		_, err := b.client.CompleteMultipartUpload(ctx, &s3.CompleteMultipartUploadInput{
			Bucket: &b.name, Key: b.key(key), UploadId: &id, MultipartUpload: done, IfNoneMatch: aws.String("*"),
		})
		return err
	})
	if !refused(err) && !noUpload(err) {
		return err
	}
	was := b.decide(ctx, key, src, attempts)
	if errors.Is(was, errCondition) && noUpload(err) {
		return err // another writer ended it
	}
	return was
}

// abort removes an upload. If that fails, a rule of the bucket does it.
func (b *bucket) abort(ctx context.Context, key, id string) {
	_ = b.call(ctx, "abort an upload of", key, func(ctx context.Context, _ *watch) error {
		_, err := b.client.AbortMultipartUpload(ctx, &s3.AbortMultipartUploadInput{Bucket: &b.name, Key: b.key(key), UploadId: &id})
		return err
	})
}

// noUpload says whether an answer means that the upload has ended, or no longer has our parts.
func noUpload(err error) bool {
	f, ok := errors.AsType[*fault](err)
	return ok && (f.code == "NoSuchUpload" || f.code == "InvalidPart")
}

// unable says whether an answer means that the store cannot do something at all.
func unable(err error) bool {
	f, ok := errors.AsType[*fault](err)
	return ok && (f.status == http.StatusNotImplemented || f.status == http.StatusMethodNotAllowed)
}
