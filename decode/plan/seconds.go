package plan

import "example.com/iiifd/iiif"

// The prices of time are seconds of one core per megapixel, measured on the
// corpus of docs/estimator.md and rounded up; machines differ by a factor of
// two either way.
const (
	secondsFixed  = 0.004
	secondsResize = 0.012
	secondsColour = 0.03
	secondsTurn   = 0.02
)

// decodeSeconds is the price of decoding a megapixel of each kind.
var decodeSeconds = map[Loader]float64{
	LoaderJPEG: 0.012, LoaderPNG: 0.03, LoaderTIFF: 0.02, LoaderJP2: 0.35, LoaderWebP: 0.03,
	LoaderGIF: 0.03, LoaderAVIF: 0.06, LoaderHEIF: 0.08, LoaderJXL: 0.12, LoaderPDF: 0.15, LoaderSVG: 0.15,
	LoaderOther: 0.15,
}

// encodeSeconds is the price of encoding a megapixel in each format.
var encodeSeconds = map[iiif.Format]float64{
	iiif.FormatJPG: 0.012, iiif.FormatPNG: 0.25, iiif.FormatTIF: 0.005, iiif.FormatWebP: 0.15,
	iiif.FormatAVIF: 1.2, iiif.FormatGIF: 0.5, iiif.FormatJP2: 0.8, iiif.FormatJXL: 0.3, iiif.FormatPDF: 0.015,
}

// Seconds returns a coarse price of the plan in seconds of one core, of the
// machine it was measured on. It is meant for refusing what cannot end in
// time, not for accounting.
func (p *Plan) Seconds() float64 {
	m := newMeasure(p)
	const mega = 1e-6
	decoded := float64(m.decodedPixels()) * mega
	t := secondsFixed + decoded*decodePrice(p.Shape)
	if p.Resizes() {
		t += float64(product(m.cropW, m.cropH)) * mega * secondsResize * float64(m.resized) / 3
	}
	out := float64(product(m.outW, m.outH)) * mega
	if p.has(StepColour) {
		t += out * secondsColour
	}
	if p.copies() {
		t += out * secondsTurn
	}
	price, ok := encodeSeconds[p.Encoder.Format]
	if !ok {
		price = 1.2
	}
	return t + out*price*max(1, float64(m.written)/3)
}

// decodePrice is that of a megapixel of s.
func decodePrice(s Shape) float64 {
	price, ok := decodeSeconds[s.Loader]
	if !ok {
		price = decodeSeconds[LoaderOther]
	}
	if s.Progressive {
		price *= 3
	}
	return price * max(1, float64(s.Bands)*float64(sampleBytes(s))/3)
}

// decodedPixels counts the stored pixels that are decoded for the crop.
func (m *measure) decodedPixels() int64 {
	s := m.p.Shape
	whole := m.pixels()
	l := Level{}
	if m.p.Level < len(s.Levels) {
		l = s.Levels[m.p.Level]
	}
	switch s.Loader {
	case LoaderJPEG, LoaderPNG:
		if s.Progressive {
			return whole
		}
		return over(product(whole, m.bottom), m.loadedH)
	case LoaderTIFF, LoaderJP2:
		tw, th := int64(l.TileWidth), int64(l.TileHeight)
		if tw < 1 || th < 1 {
			return whole
		}
		if !l.Tiled && s.Loader == LoaderTIFF {
			return product(m.loadedW, min(m.loadedH, roundUp(m.bottom, th)))
		}
		c := m.p.Crop
		return min(
			product(touched(int64(c.X), m.cropW, tw), touched(int64(c.Y), m.cropH, th), tw, th),
			product(roundUp(m.loadedW, tw), roundUp(m.loadedH, th)),
		)
	}
	return whole
}
