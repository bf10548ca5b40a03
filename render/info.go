package render

import (
	"context"

	"example.com/iiifd/auth"
	"example.com/iiifd/decode/plan"
	"example.com/iiifd/iiif"
	"example.com/iiifd/source"
)

// Description is an image's info.json before it is written out.
type Description struct {
	Info   iiif.Info
	Source source.Info
	// Width and Height are the upright size in pixels, as it is shown.
	Width, Height int
	Pages         int
}

// Info describes an image as it is shown in a size; id is its public URI.
func (r *Renderer) Info(ctx context.Context, s Subject, id string, size auth.Size) (*Description, error) {
	seen, err := r.stat(ctx, s)
	if err != nil {
		return nil, err
	}
	src, shape, err := r.header(ctx, s, seen)
	if err != nil {
		return nil, err
	}
	width, height := shape.Upright()
	view := shownAs(shape, size)
	if view != (iiif.Dimensions{}) {
		width, height = view.Width, view.Height
	}
	cfg := r.current.Load()
	info := iiif.NewInfo(id, iiif.Image{Width: width, Height: height, Gray: shape.Gray()},
		[]iiif.Dimensions{tileSize(shape, view)}, cfg.limits(width, height), r.formats)
	for _, f := range cfg.PreferredFormats {
		info.PreferredFormats = append(info.PreferredFormats, iiif.Format(f))
	}
	info.Rights, info.Attribution = cfg.Rights, cfg.Attribution
	return &Description{Info: info, Source: src, Width: width, Height: height, Pages: shape.Pages}, nil
}

// header is shape with a span.
func (r *Renderer) header(ctx context.Context, s Subject, seen source.Info) (info source.Info, shape plan.Shape, err error) {
	span := Stage(ctx, r.tracer, StagePlan)
	defer func() { EndStage(span, err) }()
	return r.shape(ctx, s, seen)
}

// Tile sides that are advertised: smaller ones cost a request each, larger
// ones make viewers wait.
const (
	minTile     = 256
	maxTile     = 1024
	defaultTile = 512
)

// tileSize returns the stored tiles' size where it suits viewers, so that a
// tile asked for is a tile stored. Of a view nothing is stored.
func tileSize(s plan.Shape, view iiif.Dimensions) iiif.Dimensions {
	l := s.Levels[0]
	if view == (iiif.Dimensions{}) && l.TileWidth >= minTile && l.TileWidth <= maxTile && l.TileHeight >= minTile && l.TileHeight <= maxTile && l.TileWidth < l.Width {
		if s.Orientation >= 5 {
			return iiif.Dimensions{Width: l.TileHeight, Height: l.TileWidth}
		}
		return iiif.Dimensions{Width: l.TileWidth, Height: l.TileHeight}
	}
	return iiif.Dimensions{Width: defaultTile, Height: defaultTile}
}
