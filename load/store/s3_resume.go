package store

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
)

// resume finds the newest unfinished upload of a key, and marks the parts that are complete in it.
// Its id is empty if there is none. The others are uploads of the same key.
func (b *bucket) resume(ctx context.Context, key string, parts []*part) (id string, others []string, err error) {
	for _, p := range parts {
		p.tag = "" // of an upload that ended
	}
	uploads, err := b.uploads(ctx, key)
	if unable(err) {
		return "", nil, nil // this store lists no uploads: begin anew
	}
	if err != nil || len(uploads) == 0 {
		return "", nil, err
	}
	newest := uploads[0]
	for _, u := range uploads[1:] {
		if aws.ToTime(u.Initiated).After(aws.ToTime(newest.Initiated)) {
			newest = u
		}
	}
	id = aws.ToString(newest.UploadId)
	for _, u := range uploads {
		if other := aws.ToString(u.UploadId); other != id {
			others = append(others, other)
		}
	}
	err = b.mark(ctx, key, id, parts)
	if noUpload(err) {
		return "", others, nil // it ended meanwhile
	}
	return id, others, err
}

// uploads lists the unfinished uploads of a key.
func (b *bucket) uploads(ctx context.Context, key string) (found []types.MultipartUpload, err error) {
	in := &s3.ListMultipartUploadsInput{Bucket: &b.name, Prefix: b.key(key)}
	for {
		var page *s3.ListMultipartUploadsOutput
		err := b.call(ctx, func(ctx context.Context, _ *watch) (err error) {
			page, err = b.client.ListMultipartUploads(ctx, in)
			return err
		})
		if err != nil {
			return nil, err
		}
		for _, u := range page.Uploads {
			if aws.ToString(u.Key) == *in.Prefix { // others only begin like it
				found = append(found, u)
			}
		}
		if !aws.ToBool(page.IsTruncated) {
			return found, nil
		}
		in.KeyMarker, in.UploadIdMarker = page.NextKeyMarker, page.NextUploadIdMarker
	}
}

// mark notes the parts that an upload has with the right size and MD5. All others are sent again.
func (b *bucket) mark(ctx context.Context, key, id string, parts []*part) error {
	in := &s3.ListPartsInput{Bucket: &b.name, Key: b.key(key), UploadId: &id}
	for {
		var page *s3.ListPartsOutput
		err := b.call(ctx, func(ctx context.Context, _ *watch) (err error) {
			page, err = b.client.ListParts(ctx, in)
			return err
		})
		if err != nil {
			return err
		}
		for _, there := range page.Parts {
			n := aws.ToInt32(there.PartNumber)
			if n < 1 || int(n) > len(parts) {
				continue
			}
			if p := parts[n-1]; aws.ToInt64(there.Size) == p.content.size && tagged(aws.ToString(there.ETag), p.sums.md5()) {
				p.tag = aws.ToString(there.ETag)
				p.content.skip()
			}
		}
		if !aws.ToBool(page.IsTruncated) {
			return nil
		}
		in.PartNumberMarker = page.NextPartNumberMarker
	}
}
