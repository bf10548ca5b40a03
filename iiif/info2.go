package iiif

import (
	"encoding/json"
	"slices"
)

// document2 is info.json of Image API 2.1, section 5.
type document2 struct {
	Context     any               `json:"@context"`
	ID          string            `json:"@id"`
	Protocol    string            `json:"protocol"`
	Width       int               `json:"width"`
	Height      int               `json:"height"`
	Sizes       []Dimensions      `json:"sizes,omitempty"`
	Tiles       []tileJSON        `json:"tiles,omitempty"`
	Profile     [2]any            `json:"profile"`
	Attribution string            `json:"attribution,omitempty"`
	License     string            `json:"license,omitempty"`
	Logo        string            `json:"logo,omitempty"`
	Service     []json.RawMessage `json:"service,omitempty"`
}

// profile2 is the second entry of the profile array. Unlike extraFormats and
// extraQualities of 3.0, its lists name all there is.
type profile2 struct {
	Formats   []Format  `json:"formats,omitempty"`
	Qualities []Quality `json:"qualities,omitempty"`
	Supports  []Feature `json:"supports,omitempty"`
	MaxWidth  int       `json:"maxWidth,omitempty"`
	MaxHeight int       `json:"maxHeight,omitempty"`
	MaxArea   int64     `json:"maxArea,omitempty"`
}

func (i Info) document2() document2 {
	supports := slices.Clone(supports2)
	for _, f := range i.Features {
		if f == FeatureUpscaling {
			f = featureAboveFull
		}
		supports = append(supports, f)
	}
	return document2{
		Context:  i.context(V2),
		ID:       i.ID,
		Protocol: Protocol,
		Width:    i.Image.Width,
		Height:   i.Image.Height,
		Sizes:    i.Sizes,
		Tiles:    i.tiles(),
		Profile: [2]any{V2.ProfileURI(), profile2{
			Formats:   slices.Concat([]Format{FormatJPG, FormatPNG}, i.extraFormats()),
			Qualities: slices.Concat([]Quality{QualityDefault}, i.Qualities),
			Supports:  supports,
			MaxWidth:  i.Limits.MaxWidth,
			MaxHeight: i.Limits.MaxHeight,
			MaxArea:   i.Limits.MaxArea,
		}},
		Attribution: i.Attribution,
		License:     i.Rights,
		Logo:        i.Logo,
		Service:     i.Services,
	}
}
