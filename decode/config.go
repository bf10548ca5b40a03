package decode

import (
	"fmt"

	"example.com/iiifd/decode/plan"
	"example.com/iiifd/option"
)

// Config holds the settings of decoding and encoding.
type Config struct {
	ICC             string
	Background      string
	DefaultCMYK     string
	JPEGQuality     int
	JPEGSubsampling string
	WebPQuality     int
	AVIFQuality     int
	JXLQuality      int
	JP2Quality      int
	PNGCompression  int
	KeepDepth       bool
	PDFResolution   int
	AllowedLoaders  []string
	ShortPath       bool
	StoredTiles     bool
}

// Options declares the settings.
func (c *Config) Options(s *option.Set) {
	s.Group("Images")
	s.Word(&c.ICC, "icc", string(plan.ICCConvert), []string{string(plan.ICCConvert), string(plan.ICCKeep), string(plan.ICCStrip)},
		"What becomes of colour profiles: convert turns pixels into sRGB and drops the profile; keep embeds the source's profile; strip drops it and leaves the pixels as they are.")
	s.Text(&c.DefaultCMYK, "default-cmyk-profile", "cmyk",
		"Profile file of CMYK sources that have none; cmyk is the one built into libvips.")
	s.Text(&c.Background, "background", "white",
		"Colour under transparent pixels and in the corners of rotated images where the format has no transparency: white, black, gray or #rrggbb.")
	s.Int(&c.JPEGQuality, "jpeg-quality", 80, 1, 100, "Quality of jpg output, and of the picture in pdf output.")
	s.Word(&c.JPEGSubsampling, "jpeg-subsampling", "4:2:0", []string{"4:2:0", "4:4:4"}, "Chroma subsampling of jpg output.")
	s.Int(&c.WebPQuality, "webp-quality", 80, 1, 100, "Quality of webp output.")
	s.Int(&c.AVIFQuality, "avif-quality", 60, 1, 100, "Quality of avif output.")
	s.Int(&c.JXLQuality, "jxl-quality", 80, 1, 100, "Quality of jxl output.")
	s.Int(&c.JP2Quality, "jp2-quality", 80, 1, 100, "Quality of jp2 output.")
	s.Int(&c.PNGCompression, "png-compression", 6, 1, 9, "Compression level of png output: more is smaller and slower.")
	s.Bool(&c.KeepDepth, "keep-16-bit", false, "Keep 16 bits per sample of deeper sources in tif and png output instead of scaling to 8.")
	s.Int(&c.PDFResolution, "pdf-resolution", 72, 18, 1200, "Pixels per inch at which pages of PDF sources are one image.")
	s.Bool(&c.StoredTiles, "stored-tiles", true,
		"Pass a stored JPEG tile of a tiled TIFF on as it is where it is exactly what was asked for. It then has the quality it was stored with, not jpeg-quality.")
	s.Bool(&c.ShortPath, "short-path", true,
		"Make tiles and smaller copies of tiled sources with libjpeg and OpenJPEG alone where that gives what libvips would give. Off sends everything through libvips.")
	s.List(&c.AllowedLoaders, "loaders", defaultLoaders(),
		"Kinds of sources that are decoded. All other decoders of libvips are switched off.")
}

// Validate checks what depends on more than one setting.
func (c *Config) Validate() error {
	if _, err := parseColour(c.Background); err != nil {
		return fmt.Errorf("background: %w", err)
	}
	for _, name := range c.AllowedLoaders {
		if _, ok := loaders[plan.Loader(name)]; !ok {
			return fmt.Errorf("loaders: %q is not a kind of source", name)
		}
	}
	return nil
}

// PlanOptions returns the settings that planning needs; limits are the
// caller's to add.
func (e *Engine) PlanOptions() plan.Options {
	c := e.config
	background, _ := parseColour(c.Background) // checked by Start
	return plan.Options{
		ICC: plan.ICC(c.ICC), Background: background,
		JPEGQuality: c.JPEGQuality, JPEGSubsampling: c.JPEGSubsampling, WebPQuality: c.WebPQuality,
		AVIFQuality: c.AVIFQuality, JXLQuality: c.JXLQuality, JP2Quality: c.JP2Quality,
		PNGCompression: c.PNGCompression, KeepDepth: c.KeepDepth, VipsVersion: e.VipsVersion(),
		ShortPath: c.ShortPath, StoredTiles: c.StoredTiles,
	}
}

// colours are the names that parseColour knows besides #rrggbb.
var colours = map[string][3]uint8{
	"white": {255, 255, 255},
	"black": {},
	"gray":  {128, 128, 128},
}

// parseColour reads a name or #rrggbb.
func parseColour(text string) ([3]uint8, error) {
	if c, ok := colours[text]; ok {
		return c, nil
	}
	var c [3]uint8
	if len(text) == 7 {
		if n, err := fmt.Sscanf(text, "#%02x%02x%02x", &c[0], &c[1], &c[2]); n == 3 && err == nil {
			return c, nil
		}
	}
	return c, fmt.Errorf("%q is not white, black, gray or #rrggbb", text)
}
