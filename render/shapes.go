package render

import (
	"context"
	"strconv"

	"github.com/maypok86/otter/v2"
	"github.com/prometheus/client_golang/prometheus"

	"example.com/iiifd/decode/plan"
	"example.com/iiifd/source"
)

// shapes reads headers, a bounded number at a time, and remembers them by
// the object's version.
type shapes struct {
	decoder Decoder
	known   *otter.Cache[string, plan.Shape]
	probes  chan struct{}
	headers *prometheus.CounterVec
}

func newShapes(decoder Decoder, bytes int64, probes int) *shapes {
	return &shapes{
		decoder: decoder,
		known: otter.Must(&otter.Options[string, plan.Shape]{
			MaximumWeight: uint64(max(bytes, 1)), // One byte holds no shape; the cache takes no 0.
			Weigher: func(key string, s plan.Shape) uint32 {
				return uint32(256 + len(key) + 80*len(s.Levels))
			},
		}),
		probes: make(chan struct{}, max(probes, 1)),
	}
}

// get returns the header facts of the object that info describes, or those
// of a newer one with its description.
func (s *shapes) get(ctx context.Context, subject Subject, info source.Info) (source.Info, plan.Shape, error) {
	if shape, ok := s.known.GetIfPresent(shapeKey(info)); ok {
		s.headers.WithLabelValues(headerKnown).Inc()
		return info, shape, nil
	}
	info, shape, err := s.read(ctx, subject, info)
	if err != nil {
		s.headers.WithLabelValues(headerFailed).Inc()
		return info, shape, err
	}
	s.headers.WithLabelValues(headerRead).Inc()
	s.known.Set(shapeKey(info), shape)
	return info, shape, nil
}

// read reads a header, when fewer than may be read at once are.
func (s *shapes) read(ctx context.Context, subject Subject, info source.Info) (source.Info, plan.Shape, error) {
	select {
	case s.probes <- struct{}{}:
		defer func() { <-s.probes }()
	case <-ctx.Done():
		return info, plan.Shape{}, context.Cause(ctx)
	}
	obj, err := subject.Source.Open(ctx, subject.Identifier)
	if err != nil {
		return info, plan.Shape{}, err
	}
	defer obj.Close()
	// The opened object may be newer than what was seen.
	info = obj.Info()
	shape, err := s.decoder.Shape(ctx, obj)
	if err != nil {
		return info, plan.Shape{}, err
	}
	if err := obj.Verify(); err != nil {
		return info, plan.Shape{}, err
	}
	return info, shape, nil
}

func shapeKey(info source.Info) string { return info.Key + "|" + strconv.Itoa(info.Page) }
