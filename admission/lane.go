package admission

import "example.com/iiifd/iiif"

// Lane is the partition that a decode belongs to.
type Lane string

// The lanes. Tiles are small and short; they have a floor of permits that
// fulls cannot reach and burst into what is idle. Fulls are capped in permits
// and bytes.
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

// LongDecode is the estimated processor time in seconds from which a decode
// is a full, however little memory it takes: a tile waits behind tiles, and
// never longer than its time-out.
const LongDecode = 1.0

// ClassifyWork is the engine's verdict: a decode is a full when its estimated
// peak in bytes reaches the threshold, or its estimated processor time in
// seconds LongDecode.
func ClassifyWork(peak int64, seconds float64, threshold int64) Lane {
	if peak >= threshold || seconds >= LongDecode {
		return LaneFull
	}
	return LaneTile
}
