package render

import (
	"errors"
	"fmt"
	"net/url"
	"slices"

	"example.com/iiifd/decode/plan"
	"example.com/iiifd/iiif"
	"example.com/iiifd/option"
)

// Config are the settings of what may be asked for.
type Config struct {
	MaxWidth, MaxHeight int
	MaxArea             int64
	SourceFormats       []string
	SourceMaxPixels     int64
	HeaderProbes        int
	ShapeCacheBytes     int64
	PreferredFormats    []string
	Prefetch            bool
	PrefetchMax         int
	Rights              string
	Attribution         string
}

// Options declares the settings.
func (c *Config) Options(s *option.Set) {
	const most = 1 << 40
	s.Group("Images")
	s.Int(&c.MaxWidth, "max-width", 0, 0, 1<<30, "Largest output width in pixels; 0 = the image's own or 4096, whichever is larger.").Reload()
	s.Int(&c.MaxHeight, "max-height", 0, 0, 1<<30, "Largest output height in pixels; 0 = the image's own or 4096, whichever is larger. Needs max-width.").Reload()
	s.Size(&c.MaxArea, "max-area", 0, 0, most, "Largest output area in pixels; 0 = no such limit.").Reload()
	s.List(&c.SourceFormats, "source-formats", nil, "Kinds of source that are served: jpeg, png, tiff, jp2, webp, gif, avif, heif, jxl, pdf, svg, other; empty = all that can be read.").Reload()
	s.Size(&c.SourceMaxPixels, "source-max-pixels", 0, 0, most, "Sources with more pixels are refused; 0 = no limit.").Reload()
	s.Int(&c.HeaderProbes, "header-probes", 0, 0, 1<<16, "Headers read at the same time; 0 = four for each thread.")
	s.Size(&c.ShapeCacheBytes, "shape-cache-bytes", 16<<20, 0, 1<<40, "Memory for remembered headers.")
	s.Bool(&c.Prefetch, "prefetch", false, "Makes the neighbours of a served tile ahead of need, with permits and bytes that no client wants.").Reload()
	s.Int(&c.PrefetchMax, "prefetch-max", 4, 1, 4, "Neighbours made after one tile: right, below, left, above.").Reload()
	s.List(&c.PreferredFormats, "preferred-formats", nil, "preferredFormats of info.json, first is best: viewers ask for all tiles in it.").Reload()
	s.Text(&c.Rights, "rights", "", "rights (3.0) and license (2.1) of info.json: a Creative Commons or RightsStatements.org URI.").Reload()
	s.Text(&c.Attribution, "attribution", "", "attribution of info.json 2.1.").Reload()
}

// Validate checks what one option alone cannot.
func (c *Config) Validate() error {
	var errs []error
	if c.MaxHeight > 0 && c.MaxWidth == 0 {
		errs = append(errs, errors.New("max-height needs max-width (Image API 3.0, 5.3)"))
	}
	for _, kind := range c.SourceFormats {
		if !slices.Contains(kinds, plan.Loader(kind)) {
			errs = append(errs, fmt.Errorf("source-formats: %q is not a kind of source", kind))
		}
	}
	for _, format := range c.PreferredFormats {
		if iiif.Format(format).MediaType() == "" {
			errs = append(errs, fmt.Errorf("preferred-formats: %q is not a format of this server", format))
		}
	}
	if c.Rights != "" {
		if u, err := url.Parse(c.Rights); err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
			errs = append(errs, fmt.Errorf("rights: %q is no URI such as http://creativecommons.org/publicdomain/mark/1.0/", c.Rights))
		}
	}
	return errors.Join(errs...)
}

// kinds are those that source-formats may name.
var kinds = []plan.Loader{
	plan.LoaderJPEG, plan.LoaderPNG, plan.LoaderTIFF, plan.LoaderJP2, plan.LoaderWebP, plan.LoaderGIF,
	plan.LoaderAVIF, plan.LoaderHEIF, plan.LoaderJXL, plan.LoaderPDF, plan.LoaderSVG, plan.LoaderOther,
}

// defaultSide bounds upscaling where no limit is configured, in pixels.
const defaultSide = 4096

// limits returns the limits for an image of that upright size: never below
// its own size unless configured, so that "max" is the whole image.
func (c *Config) limits(width, height int) iiif.Limits {
	lim := iiif.Limits{MaxWidth: c.MaxWidth, MaxHeight: c.MaxHeight, MaxArea: c.MaxArea}
	if lim.MaxWidth == 0 {
		lim.MaxWidth, lim.MaxHeight = max(width, defaultSide), max(height, defaultSide)
	}
	if lim.MaxHeight == 0 {
		lim.MaxHeight = lim.MaxWidth
	}
	return lim
}
