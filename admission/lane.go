package admission

import "example.com/iiifd/iiif"

// Lane is the partition that a decode belongs to.
type Lane string

// The lanes. Tiles have a floor of permits that fulls cannot reach and burst
// into what is idle; fulls are capped in permits and bytes.
const (
	LaneTile Lane = "tile"
	LaneFull Lane = "full"
)

// BytesPerPixel is what the URL heuristic takes for one output pixel.
const BytesPerPixel = 4

// Classify guesses a request's lane from its URL alone: the bound of the
// output's pixels times BytesPerPixel against threshold, in bytes. Where the
// URL bounds nothing ("full/max", percentages without an explicit region) the
// answer is LaneFull.
func Classify(p iiif.Params, threshold int64) Lane {
	pixels, known := p.PixelBound()
	if !known || pixels >= (threshold+BytesPerPixel-1)/BytesPerPixel {
		return LaneFull
	}
	return LaneTile
}

// classifyPeak is the engine's verdict: a decode whose estimated peak reaches
// the threshold is a full.
func classifyPeak(peak, threshold int64) Lane {
	if peak >= threshold {
		return LaneFull
	}
	return LaneTile
}
