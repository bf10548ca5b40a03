package render

import (
	"context"
	"slices"
	"time"

	"example.com/iiifd/auth"
	"example.com/iiifd/iiif"
)

// WarmOrder says which answers to make for each of some images.
type WarmOrder struct {
	Subjects []Subject
	// Sizes are made of the whole image, as "full/SIZE/0/default.FORMAT".
	Sizes []iiif.Size
	// Levels is how many levels of tiles are made, the smallest first, as
	// viewers ask for them; more than there are means all.
	Levels int
	Format iiif.Format
}

// WarmState tells what has become of an order.
type WarmState struct {
	ID      int       `json:"id"`
	Ordered time.Time `json:"ordered"`
	Ended   time.Time `json:"ended,omitzero"`
	// Images were ordered, ImagesDone are finished.
	Images     int `json:"images"`
	ImagesDone int `json:"images_done"`
	// Made answers are in the cache now, Known were there or on their way
	// already, Skipped found no room beside requests, Failed could not be
	// made at all.
	Made    int `json:"made"`
	Known   int `json:"known"`
	Skipped int `json:"skipped"`
	Failed  int `json:"failed"`
	// Failures are the first ones.
	Failures []WarmFailure `json:"failures,omitempty"`
}

// WarmFailure is one thing that could not be made.
type WarmFailure struct {
	Identifier string `json:"identifier"`
	// Request is empty where the image itself cannot be read.
	Request string `json:"request,omitempty"`
	Code    string `json:"code"`
}

// WarmStatus is what a Warmer has done and has still to do.
type WarmStatus struct {
	// Waiting and Running count images.
	Waiting      int `json:"waiting"`
	Running      int `json:"running"`
	WaitingLimit int `json:"waiting_limit"`
	// Orders are those that have not ended and the last that have, newest
	// first.
	Orders []WarmState `json:"orders"`
}

func (s *WarmState) copy() WarmState {
	c := *s
	c.Failures = slices.Clone(s.Failures)
	return c
}

// warmRequests lists what an order makes of one image.
func (r *Renderer) warmRequests(ctx context.Context, s Subject, o *WarmOrder) ([]iiif.Params, error) {
	d, err := r.Info(ctx, s, "about:blank", auth.Size{})
	if err != nil {
		return nil, err
	}
	base := iiif.Params{Version: iiif.V3, Quality: iiif.QualityDefault, Format: o.Format}
	var out []iiif.Params
	for _, size := range o.Sizes {
		p := base
		p.Size = size
		out = append(out, p)
	}
	if len(d.Info.Tiles) == 0 {
		return out, nil
	}
	set := d.Info.Tiles[0]
	levels := slices.Clone(set.ScaleFactors)
	slices.Reverse(levels)
	for _, factor := range levels[:min(o.Levels, len(levels))] {
		columns, rows := set.Grid(d.Info.Image, factor)
		for row := range rows {
			for column := range columns {
				region, size, ok := set.Tile(d.Info.Image, factor, column, row)
				if !ok {
					continue
				}
				p := base
				p.Region = iiif.Region{Kind: iiif.RegionPixels, Pixels: region}
				p.Size = iiif.Size{Kind: iiif.SizeExact, Width: size.Width, Height: size.Height}
				out = append(out, p)
			}
		}
	}
	return out, nil
}
