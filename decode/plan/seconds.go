package plan

import "example.com/iiifd/iiif"

// The prices of time are seconds of one core per megapixel: what the corpus
// of docs/estimator.md took on a quiet machine, and about half as much again.
// Other machines differ by a factor of two either way.
const (
	secondsFixed  = 0.004
	secondsResize = 0.012
	secondsColour = 0.008
	secondsInk    = 0.06
	secondsTurn   = 0.01
)

// decodeSeconds is the price of decoding a megapixel of each kind.
var decodeSeconds = map[Loader]float64{
	LoaderJPEG: 0.008, LoaderPNG: 0.025, LoaderTIFF: 0.02, LoaderJP2: 0.2, LoaderWebP: 0.018,
	LoaderGIF: 0.01, LoaderAVIF: 0.025, LoaderHEIF: 0.07, LoaderJXL: 0.045, LoaderPDF: 0.06, LoaderSVG: 0.06,
	LoaderOther: 0.1,
}

// losslessSeconds is that price for lossless files, where it differs.
var losslessSeconds = map[Loader]float64{LoaderJP2: 0.4, LoaderWebP: 0.035, LoaderJXL: 0.18}

// tiffSeconds is that price for TIFFs by compression, where it differs.
var tiffSeconds = map[string]float64{"none": 0.005, "packbits": 0.006, "ccitt": 0.006, "jpeg": 0.012, "zstd": 0.01, "jp2": 0.4}

// encodeSeconds is the price of encoding a megapixel in each format.
var encodeSeconds = map[iiif.Format]float64{
	iiif.FormatJPG: 0.008, iiif.FormatPNG: 0.12, iiif.FormatTIF: 0.003, iiif.FormatWebP: 0.12,
	iiif.FormatAVIF: 0.45, iiif.FormatGIF: 0.25, iiif.FormatJP2: 0.4, iiif.FormatJXL: 0.07, iiif.FormatPDF: 0.009,
}

// alphaSeconds multiplies the encoder's price where transparency is written.
var alphaSeconds = map[iiif.Format]float64{iiif.FormatWebP: 3, iiif.FormatJXL: 4, iiif.FormatAVIF: 2}

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
	switch {
	case p.Shape.Colour == ColourCMYK || p.Shape.Colour == ColourYCCK:
		t += out * secondsInk
	case p.has(StepColour):
		t += out * secondsColour
	}
	if p.copies() {
		t += out * secondsTurn
	}
	price, ok := encodeSeconds[p.Encoder.Format]
	if !ok {
		price = encodeSeconds[iiif.FormatAVIF]
	}
	if m.writtenAlpha {
		price *= max(1, alphaSeconds[p.Encoder.Format])
	}
	return t + out*price*max(1, float64(m.written)/3)
}

// decodePrice is that of a megapixel of s.
func decodePrice(s Shape) float64 {
	price, ok := decodeSeconds[s.Loader]
	if !ok {
		price = decodeSeconds[LoaderOther]
	}
	if lossless, differs := losslessSeconds[s.Loader]; s.Lossless && differs {
		price = lossless
	}
	if known, differs := tiffSeconds[s.Compression]; s.Loader == LoaderTIFF && differs {
		price = known
	}
	if s.Progressive {
		price *= 2
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
	return sum(whole, s.Embedded)
}
