package iiif

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Protocol is the value of info.json's protocol in both versions.
const Protocol = "http://iiif.io/api/image"

// Info is what info.json says of one image. NewInfo fills what follows from
// the image and the server; the descriptive fields are the caller's.
type Info struct {
	// ID is the image's base URI, absolute, without a trailing slash, with
	// the identifier encoded as it was asked for.
	ID     string
	Image  Image
	Limits Limits
	// Sizes are the sizes a client should prefer, smallest first: viewers
	// that sort them by width alone then keep images of one pixel's width in
	// order.
	Sizes []Dimensions
	Tiles []TileSet

	// Formats are all formats offered. PreferredFormats is a part of them,
	// the best one first; viewers fetch every tile in the first one they can
	// draw. It is written in 3.0 only.
	Formats          []Format
	PreferredFormats []Format
	// Qualities are all qualities offered besides default.
	Qualities []Quality
	// Features are the features beyond level 2 of 3.0, which are written
	// under their names of 2.1 there.
	Features []Feature

	// Rights is a licence's URI: rights in 3.0, license in 2.1.
	Rights string
	// PartOf and SeeAlso are written in 3.0 only.
	PartOf, SeeAlso []Resource
	// Attribution and Logo, a text and an image's URI, are written in 2.1
	// only.
	Attribution, Logo string
	// Services are JSON objects, such as the probe service of Authorization
	// Flow 2.0.
	Services []json.RawMessage
	// Contexts are the JSON-LD contexts of extensions and services. They
	// stand before the image context, which must be the last.
	Contexts []string
}

// Resource is an entry of partOf or seeAlso. ID and Type are required; Label
// maps languages to texts.
type Resource struct {
	ID      string              `json:"id"`
	Type    string              `json:"type"`
	Label   map[string][]string `json:"label,omitempty"`
	Format  string              `json:"format,omitempty"`
	Profile string              `json:"profile,omitempty"`
}

// NewInfo describes an image served with every feature of this package. id
// is the base URI in the version that Document will be asked for. Tile sizes
// are cut to the limits, so that every tile advertised is answered; levels
// above the limits are not listed as sizes.
func NewInfo(id string, img Image, tiles []Dimensions, lim Limits, formats []Format) Info {
	info := Info{
		ID:        id,
		Image:     img,
		Limits:    lim,
		Formats:   formats,
		Qualities: []Quality{QualityColor, QualityGray, QualityBitonal},
		Features:  []Feature{FeatureCanonicalLink, FeatureMirroring, FeatureProfileLink, FeatureRotationArbitrary},
	}
	if img.Gray {
		info.Qualities = []Quality{QualityGray, QualityBitonal}
	}
	if lim.MaxWidth > 0 || lim.MaxArea > 0 {
		info.Features = append(info.Features, FeatureUpscaling)
	}
	factors := []int{1}
	var seen []Dimensions
	for _, tile := range tiles {
		tile = lim.cutTile(tile)
		if tile.Width <= 0 || tile.Height <= 0 || slices.Contains(seen, tile) {
			continue
		}
		seen = append(seen, tile)
		set := NewTileSet(img, tile)
		info.Tiles = append(info.Tiles, set)
		if len(set.ScaleFactors) > len(factors) {
			factors = set.ScaleFactors
		}
	}
	for _, factor := range slices.Backward(factors) {
		if level := LevelSize(img, factor); lim.allow(int64(level.Width), int64(level.Height)) {
			info.Sizes = append(info.Sizes, level)
		}
	}
	return info
}

// cutTile returns the tile size with its sides cut to the limits.
func (l Limits) cutTile(tile Dimensions) Dimensions {
	w, h := l.box()
	tile.Width, tile.Height = min(tile.Width, int(w)), min(tile.Height, int(h))
	if l.MaxArea > 0 && int64(tile.Width)*int64(tile.Height) > l.MaxArea {
		side := int(rootOfProduct(uint64(l.MaxArea), 1, 1))
		tile.Width, tile.Height = min(tile.Width, side), min(tile.Height, side)
	}
	return tile
}

// Document returns info.json of a version, as UTF-8 without a line end. Its
// first key is @context and the order of the keys is fixed. It reports what
// no valid document can say; the message is for the server's log.
func (i Info) Document(v Version) ([]byte, error) {
	if err := i.validate(); err != nil {
		return nil, fmt.Errorf("info.json: %w", err)
	}
	var document any
	if v == V2 {
		document = i.document2()
	} else {
		document = i.document3()
	}
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(document); err != nil {
		return nil, fmt.Errorf("info.json: %w", err)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

func (i Info) validate() error {
	if err := i.Limits.Validate(); err != nil {
		return err
	}
	upscales := slices.Contains(i.Features, FeatureUpscaling)
	switch {
	case i.ID == "" || strings.HasSuffix(i.ID, "/"):
		return errors.New("the id must be a base URI without a trailing slash")
	case i.Image.Width <= 0 || i.Image.Height <= 0:
		return errors.New("the image has no pixels")
	case upscales && i.Limits.MaxWidth == 0 && i.Limits.MaxArea == 0:
		return errors.New("sizeUpscaling needs maxWidth or maxArea")
	}
	for _, f := range i.PreferredFormats {
		if !slices.Contains(i.Formats, f) && f != FormatJPG && f != FormatPNG {
			return fmt.Errorf("the preferred format %s is not offered", f)
		}
	}
	for _, r := range slices.Concat(i.PartOf, i.SeeAlso) {
		if r.ID == "" || r.Type == "" {
			return errors.New("partOf and seeAlso need id and type")
		}
	}
	for _, s := range i.Services {
		if trimmed := bytes.TrimSpace(s); len(trimmed) == 0 || trimmed[0] != '{' {
			return errors.New("a service must be a JSON object")
		}
	}
	return i.validateTiles()
}

func (i Info) validateTiles() error {
	for n, t := range i.Tiles {
		if t.Width <= 0 || t.Height <= 0 || len(t.ScaleFactors) == 0 {
			return errors.New("a tile set needs positive sides and scale factors")
		}
		for _, other := range i.Tiles[:n] {
			if t.Width == other.Width && t.Height == other.Height {
				return errors.New("two tile sets have the same sides")
			}
		}
	}
	return nil
}

// context returns the value of @context: a string, or an array that ends
// with the image context.
func (i Info) context(v Version) any {
	contexts := make([]string, 0, len(i.Contexts)+1)
	for _, c := range i.Contexts {
		if c != v.ContextURI() && !slices.Contains(contexts, c) {
			contexts = append(contexts, c)
		}
	}
	if len(contexts) == 0 {
		return v.ContextURI()
	}
	return append(contexts, v.ContextURI())
}

// extraFormats returns the formats beyond level 2.
func (i Info) extraFormats() []Format {
	return slices.DeleteFunc(slices.Clone(i.Formats), func(f Format) bool {
		return f == FormatJPG || f == FormatPNG
	})
}

// tileJSON is the form of a tile set in both versions: a missing height means
// that it equals the width.
type tileJSON struct {
	Width        int   `json:"width"`
	Height       int   `json:"height,omitempty"`
	ScaleFactors []int `json:"scaleFactors"`
}

func (i Info) tiles() []tileJSON {
	tiles := make([]tileJSON, 0, len(i.Tiles))
	for _, t := range i.Tiles {
		tile := tileJSON{Width: t.Width, ScaleFactors: t.ScaleFactors}
		if t.Height != t.Width {
			tile.Height = t.Height
		}
		tiles = append(tiles, tile)
	}
	return tiles
}
