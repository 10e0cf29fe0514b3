package store

import (
	"context"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
)

// resume finds the newest unfinished upload of a key that has parts of this content and no others,
// and marks the parts that it has. Its id is empty if there is none. The others are uploads of the
// same key: of killed writers, or of one that is at work.
func (b *bucket) resume(ctx context.Context, key string, parts []*part) (id string, others []string, err error) {
	uploads, err := b.uploads(ctx, key)
	if unable(err) {
		err = nil // this store lists no uploads: begin anew
	}
	if err != nil {
		return "", nil, err
	}
	slices.SortFunc(uploads, func(x, y types.MultipartUpload) int { return aws.ToTime(y.Initiated).Compare(aws.ToTime(x.Initiated)) })
	for _, p := range parts {
		p.tag = "" // of an upload that ended
	}
	for _, u := range uploads {
		this := aws.ToString(u.UploadId)
		ours := false
		if id == "" {
			if ours, err = b.mark(ctx, key, this, parts); err != nil && !noUpload(err) {
				return "", nil, err
			}
		}
		if ours {
			id = this
		} else {
			others = append(others, this)
		}
	}
	return id, others, nil
}

// uploads lists the unfinished uploads of a key.
func (b *bucket) uploads(ctx context.Context, key string) (found []types.MultipartUpload, err error) {
	in := &s3.ListMultipartUploadsInput{Bucket: &b.name, Prefix: b.key(key)}
	for {
		var page *s3.ListMultipartUploadsOutput
		err := b.call(ctx, "list the uploads of", key, func(ctx context.Context, _ *watch) (err error) {
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

// mark notes the parts that an upload has with the right size and MD5, and says whether it has some,
// and none that are different.
func (b *bucket) mark(ctx context.Context, key, id string, parts []*part) (ours bool, err error) {
	tags := map[int32]string{}
	in := &s3.ListPartsInput{Bucket: &b.name, Key: b.key(key), UploadId: &id}
	for more := true; more; {
		var page *s3.ListPartsOutput
		err := b.call(ctx, "list the parts of", key, func(ctx context.Context, _ *watch) (err error) {
			page, err = b.client.ListParts(ctx, in)
			return err
		})
		if err != nil {
			return false, err
		}
		for _, there := range page.Parts {
			n := aws.ToInt32(there.PartNumber)
			if n < 1 || int(n) > len(parts) || !parts[n-1].is(there) {
				return false, nil
			}
			tags[n] = aws.ToString(there.ETag)
		}
		more, in.PartNumberMarker = aws.ToBool(page.IsTruncated), page.NextPartNumberMarker
	}
	for n, tag := range tags {
		parts[n-1].tag = tag
		parts[n-1].content.skip()
	}
	return len(tags) > 0, nil
}

// is says whether a part at the store has this content. The tag is its MD5, in quotes or not.
func (p *part) is(there types.Part) bool {
	return aws.ToInt64(there.Size) == p.content.size && strings.EqualFold(strings.Trim(aws.ToString(there.ETag), `"`), p.sums.md5())
}
