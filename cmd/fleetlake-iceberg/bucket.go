package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"iter"
	"net/http"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/s3"
)

// bucket is a target in an S3-compatible object store.
type bucket struct {
	client *s3.Client
	name   string
	prefix string // "" or with a slash at its end
}

// openBucket returns the objects below a prefix. It asks the store for nothing.
func openBucket(name, prefix string, o s3Options) (bucket, error) {
	if o.accessKey == "" || o.secretKey == "" {
		return bucket{}, errors.New("an object store needs FLEETLAKE_EXPORT_ACCESS_KEY and FLEETLAKE_EXPORT_SECRET_KEY in the environment")
	}
	config := s3.Options{Region: o.region, UsePathStyle: o.pathStyle, RetryMaxAttempts: attempts,
		Credentials: credentials.NewStaticCredentialsProvider(o.accessKey, o.secretKey, o.sessionToken)}
	if o.endpoint != "" {
		config.BaseEndpoint = aws.String(o.endpoint)
	}
	if prefix != "" {
		prefix += "/"
	}
	return bucket{s3.New(config), name, prefix}, nil
}

func (b bucket) key(key string) *string { return aws.String(b.prefix + key) }

func (b bucket) read(ctx context.Context, key string) ([]byte, string, error) {
	out, err := b.client.GetObject(ctx, &s3.GetObjectInput{Bucket: &b.name, Key: b.key(key)})
	if status(err) == http.StatusNotFound {
		return nil, "", errNotFound
	}
	if err != nil {
		return nil, "", err
	}
	defer out.Body.Close()
	content, err := io.ReadAll(out.Body)
	return content, aws.ToString(out.ETag), err
}

func (b bucket) replace(ctx context.Context, key string, content []byte, version string) error {
	in := &s3.PutObjectInput{Bucket: &b.name, Key: b.key(key), Body: bytes.NewReader(content)}
	if version == "" {
		in.IfNoneMatch = aws.String("*")
	} else {
		in.IfMatch = &version
	}
	_, err := b.client.PutObject(ctx, in)
	switch status(err) {
	case http.StatusPreconditionFailed, http.StatusConflict, http.StatusNotFound:
		return errChanged
	}
	return err
}

func (b bucket) list(ctx context.Context, prefix string) iter.Seq2[object, error] {
	return func(yield func(object, error) bool) {
		pages := s3.NewListObjectsV2Paginator(b.client, &s3.ListObjectsV2Input{Bucket: &b.name, Prefix: b.key(prefix)})
		for pages.HasMorePages() {
			page, err := pages.NextPage(ctx)
			if err != nil {
				yield(object{}, err)
				return
			}
			for _, o := range page.Contents {
				key := strings.TrimPrefix(aws.ToString(o.Key), b.prefix)
				if !yield(object{key, aws.ToInt64(o.Size), aws.ToTime(o.LastModified)}, nil) {
					return
				}
			}
		}
	}
}

func (b bucket) remove(ctx context.Context, key string) error {
	_, err := b.client.DeleteObject(ctx, &s3.DeleteObjectInput{Bucket: &b.name, Key: b.key(key)})
	if status(err) == http.StatusNotFound {
		return nil
	}
	return err
}

// status returns the HTTP status of the store's answer, 0 if there was none.
func status(err error) int {
	if answer, ok := errors.AsType[*awshttp.ResponseError](err); ok {
		return answer.HTTPStatusCode()
	}
	return 0
}
