package plan

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"example.com/iiifd/iiif"
)

var priceLoaders = []Loader{
	LoaderJPEG, LoaderPNG, LoaderTIFF, LoaderJP2, LoaderWebP, LoaderGIF, LoaderAVIF, LoaderHEIF,
	LoaderJXL, LoaderPDF, LoaderSVG, LoaderOther, "unheard-of",
}

var priceFormats = []iiif.Format{
	iiif.FormatJPG, iiif.FormatPNG, iiif.FormatTIF, iiif.FormatWebP, iiif.FormatGIF, iiif.FormatJP2,
	iiif.FormatAVIF, iiif.FormatJXL, iiif.FormatPDF,
}

// priceShape draws a shape of any kind without its size.
func priceShape(t *rapid.T) Shape {
	s := Shape{
		Loader:        rapid.SampledFrom(priceLoaders).Draw(t, "loader"),
		FileSize:      rapid.Int64Range(0, 1<<40).Draw(t, "file"),
		Orientation:   rapid.IntRange(1, 8).Draw(t, "orientation"),
		Bands:         rapid.IntRange(1, 20).Draw(t, "bands"),
		BitsPerSample: rapid.SampledFrom([]int{0, 1, 8, 16, 32, 64}).Draw(t, "bits"),
		Colour:        rapid.SampledFrom([]Colour{ColourGray, ColourRGB, ColourYCbCr, ColourCMYK, ColourOther}).Draw(t, "colour"),
		Alpha:         rapid.Bool().Draw(t, "alpha"),
		Planar:        rapid.Bool().Draw(t, "planar"),
		Progressive:   rapid.Bool().Draw(t, "progressive"),
		Lossless:      rapid.Bool().Draw(t, "lossless"),
		Subsampling:   rapid.SampledFrom([]string{"", "4:4:4", "4:2:0", "other"}).Draw(t, "subsampling"),
		Compression:   rapid.SampledFrom([]string{"none", "lzw"}).Draw(t, "compression"),
		Strips:        rapid.IntRange(0, 1000).Draw(t, "strips"),
		Pages:         1,
	}
	if s.Loader == LoaderJP2 {
		s.CodeBlockWidth, s.CodeBlockHeight, s.Resolutions = 64, 64, 1
	}
	return s
}

// sized gives a shape its size and one level.
func sized(s Shape, w, h, tile int, tiled bool) Shape {
	s.Width, s.Height = w, h
	if s.Loader == LoaderJP2 {
		s.FileSize = 0 // the bytes of a tile fall where the same file has more tiles
	}
	l := Level{Width: w, Height: h, SubIFD: -1}
	if s.Loader == LoaderTIFF || s.Loader == LoaderJP2 {
		l.Tiled, l.TileWidth, l.TileHeight = tiled, tile, tile
		if !tiled {
			// Longer strips are read row by row and are cheaper for that.
			l.TileWidth, l.TileHeight = w, min(h, tile, 128)
		}
	}
	s.Levels = []Level{l}
	return s
}

func fullPlan(t *rapid.T, s Shape, f iiif.Format, params string) Plan {
	p, err := iiif.ParseParams(params+"."+string(f), iiif.V3)
	if err != nil {
		t.Fatal(err)
	}
	plan, err := New(s, p, Options{ICC: ICCConvert})
	if err != nil {
		t.Skip("refused:", err)
	}
	return plan
}

func TestPeakIsTheSumOfItsParts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := sized(priceShape(t), rapid.IntRange(1, 60_000).Draw(t, "w"), rapid.IntRange(1, 60_000).Draw(t, "h"),
			rapid.IntRange(1, 2048).Draw(t, "tile"), rapid.Bool().Draw(t, "tiled"))
		request := rapid.SampledFrom([]string{"full/max/0/default", "full/max/90/gray", "full/max/12/default", "full/^!500,500/!0/bitonal"}).Draw(t, "request")
		p := fullPlan(t, s, rapid.SampledFrom(priceFormats).Draw(t, "format"), request)
		total := int64(0)
		for _, part := range p.Parts() {
			if part.Bytes <= 0 || part.Stage == "" || part.Why == "" {
				t.Errorf("empty part %+v", part)
			}
			total += part.Bytes
		}
		if total != p.Peak() {
			t.Errorf("parts make %d, peak is %d", total, p.Peak())
		}
		if p.Peak() < fixedBytes {
			t.Errorf("peak %d below what every request takes", p.Peak())
		}
		if seconds := p.Seconds(); !(seconds > 0) || math.IsInf(seconds, 0) {
			t.Errorf("seconds %v", seconds)
		}
	})
}

// TestPeakGrowsWithSize enlarges a picture that is asked for whole: neither
// price may fall.
func TestPeakGrowsWithSize(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := priceShape(t)
		w, h := rapid.IntRange(1, 8000).Draw(t, "w"), rapid.IntRange(1, 8000).Draw(t, "h")
		tile, tiled := rapid.IntRange(1, 1024).Draw(t, "tile"), rapid.Bool().Draw(t, "tiled")
		format := rapid.SampledFrom(priceFormats).Draw(t, "format")
		request := rapid.SampledFrom([]string{"full/max/0/default", "full/max/180/gray"}).Draw(t, "request")
		small := fullPlan(t, sized(s, w, h, tile, tiled), format, request)
		more := fullPlan(t, sized(s, w+rapid.IntRange(0, 6000).Draw(t, "more w"), h+rapid.IntRange(0, 6000).Draw(t, "more h"), tile, tiled), format, request)
		// A larger picture may be carried out another way because that way is
		// cheaper; among plans of the same way none gets cheaper by growing.
		if more.copies() == small.copies() && more.Peak() < small.Peak() {
			t.Errorf("%d×%d costs %d, %d×%d costs %d\n%+v\n%+v", w, h, small.Peak(), more.Shape.Width, more.Shape.Height, more.Peak(), small.Parts(), more.Parts())
		}
		if more.Seconds() < small.Seconds() {
			t.Errorf("%v s fell to %v s", small.Seconds(), more.Seconds())
		}
	})
}

// FuzzPeakDoesNotWrap prices plans with numbers that no file may have: the
// larger of two plans never looks cheaper, and nothing is negative.
func FuzzPeakDoesNotWrap(f *testing.F) {
	f.Add(0, 0, 10_000_000, 10_000_000, 1024, 64, 256, int64(1)<<62, uint8(3))
	f.Add(1, 5, math.MaxInt, math.MaxInt, math.MaxInt, 8, math.MaxInt, int64(math.MaxInt64), uint8(255))
	f.Fuzz(func(t *testing.T, loader, format, w, h, bands, bits, tile int, fileSize int64, flags uint8) {
		positive := func(n int) int { return max(1, n) }
		w, h, bands, tile = positive(w), positive(h), positive(bands), positive(tile)
		s := sized(Shape{
			Loader: priceLoaders[uint(loader)%uint(len(priceLoaders))], FileSize: max(0, fileSize),
			Bands: bands, BitsPerSample: bits, Alpha: flags&1 != 0, Progressive: flags&2 != 0,
			Planar: flags&4 != 0, Lossless: flags&8 != 0, CodeBlockWidth: 64, CodeBlockHeight: 64,
		}, w, h, tile, flags&16 != 0)
		build := func(w, h int) Plan {
			p := Plan{
				Shape: s, LoadedWidth: w, LoadedHeight: h, ScaledWidth: w, ScaledHeight: h, OutWidth: w, OutHeight: h,
				Crop: iiif.Rect{Width: w, Height: h}, Access: AccessSequential,
				Encoder: Encoder{Format: priceFormats[uint(format)%uint(len(priceFormats))], Bits: 8},
			}
			p.Shape.Width, p.Shape.Height = w, h
			if flags&32 != 0 {
				p.Access = AccessRandom
			}
			if flags&64 != 0 {
				p.ScaledWidth, p.ScaledHeight = max(1, w/3), max(1, h/3)
			}
			return p
		}
		large, small := build(w, h), build(max(1, w/16), max(1, h/16))
		if large.Peak() < small.Peak() {
			t.Errorf("%d falls to %d\n%+v\n%+v", small.Peak(), large.Peak(), small.Parts(), large.Parts())
		}
		for _, part := range large.Parts() {
			if part.Bytes <= 0 {
				t.Errorf("part %+v", part)
			}
		}
	})
}

func TestArithmeticStopsAtTheLargest(t *testing.T) {
	const most = math.MaxInt64
	for _, c := range []struct{ got, want int64 }{
		{product(), 1},
		{product(3, 4, 5), 60},
		{product(0, most, most), 0},
		{product(most, 2), most},
		{product(1<<32, 1<<32), most},
		{sum(most, 1), most},
		{sum(1, 2, 3), 6},
		{times(most, 2.5), most},
		{times(10, 1.01), 11},
		{over(most, 3), most/3 + 1},
		{over(7, 0), 7},
		{roundUp(most-1, 512), most},
	} {
		if c.got != c.want {
			t.Errorf("got %d, want %d", c.got, c.want)
		}
	}
}
