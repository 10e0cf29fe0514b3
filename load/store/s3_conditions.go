package store

import (
	"context"
	"errors"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
)

// conditions is the object by which a store shows that it refuses writes whose condition does not
// hold. It stays there, and is in no listing.
const conditions = own + "conditions"

// errUnconditional says that a store takes conditions and ignores them.
var errUnconditional = errors.New("this store ignores the conditions If-None-Match and If-Match, so that two exports would overwrite each other's files: choose one that knows conditional writes")

// checkConditions makes sure, once and before the first write, that the store refuses what it should
// refuse: a store that does not know conditional writes ignores them without a word.
func (b *bucket) checkConditions(ctx context.Context) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.conditional {
		return nil
	}
	absent := s3.PutObjectInput{IfNoneMatch: aws.String("*")}
	other := s3.PutObjectInput{IfMatch: aws.String(`"` + strings.Repeat("0", 32) + `"`)}
	err := b.tryCondition(ctx, absent)
	if err == nil { // the object was not there before
		err = b.tryCondition(ctx, absent)
	}
	if refused(err) {
		err = b.tryCondition(ctx, other)
	}
	switch {
	case err == nil:
		return errUnconditional
	case !refused(err):
		return err
	}
	b.conditional = true
	return nil
}

// tryCondition writes the object on a condition.
func (b *bucket) tryCondition(ctx context.Context, in s3.PutObjectInput) error {
	const text = "fleetlake writes this object to see that the store refuses to write it again\n"
	in.Bucket, in.Key, in.ContentLength = &b.name, b.key(conditions), aws.Int64(int64(len(text)))
	return b.call(ctx, "put", conditions, func(ctx context.Context, _ *watch) error {
		in.Body = strings.NewReader(text)
		_, err := b.client.PutObject(ctx, &in)
		return err
	})
}
