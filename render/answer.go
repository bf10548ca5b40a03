package render

import (
	"bytes"
	"context"
	"fmt"

	"example.com/iiifd/source"
)

// Answer is an encoded image. Close it once.
type Answer struct {
	*bytes.Reader
}

// Size returns the length in bytes, -1 while it is not known.
func (a *Answer) Size() int64 { return a.Reader.Size() }

// Close releases what the answer holds.
func (a *Answer) Close() error { return nil }

// Open produces the job's bytes.
func (r *Renderer) Open(ctx context.Context, job *Job) (*Answer, error) {
	obj, err := job.Subject.Source.Open(ctx, job.Subject.Identifier)
	if err != nil {
		return nil, err
	}
	defer obj.Close()
	if obj.Info().Key != job.Info.Key {
		return nil, fmt.Errorf("render: %w", source.ErrChanged)
	}
	var b bytes.Buffer
	if err := r.decoder.Render(ctx, obj, job.Plan, &b); err != nil {
		return nil, err
	}
	if err := obj.Verify(); err != nil {
		return nil, err
	}
	job.Outcome = OutcomeDecoded
	return &Answer{bytes.NewReader(b.Bytes())}, nil
}

// Head returns the size of the job's bytes where it is known without
// decoding, else -1.
func (r *Renderer) Head(context.Context, *Job) (int64, error) { return -1, nil }
