package iiif

import "encoding/json"

// document3 is info.json of Image API 3.0, section 5.
type document3 struct {
	Context          any               `json:"@context"`
	ID               string            `json:"id"`
	Type             string            `json:"type"`
	Protocol         string            `json:"protocol"`
	Profile          string            `json:"profile"`
	Width            int               `json:"width"`
	Height           int               `json:"height"`
	MaxWidth         int               `json:"maxWidth,omitempty"`
	MaxHeight        int               `json:"maxHeight,omitempty"`
	MaxArea          int64             `json:"maxArea,omitempty"`
	Sizes            []Dimensions      `json:"sizes,omitempty"`
	Tiles            []tileJSON        `json:"tiles,omitempty"`
	PreferredFormats []Format          `json:"preferredFormats,omitempty"`
	Rights           string            `json:"rights,omitempty"`
	ExtraFormats     []Format          `json:"extraFormats,omitempty"`
	ExtraQualities   []Quality         `json:"extraQualities,omitempty"`
	ExtraFeatures    []Feature         `json:"extraFeatures,omitempty"`
	PartOf           []Resource        `json:"partOf,omitempty"`
	SeeAlso          []Resource        `json:"seeAlso,omitempty"`
	Service          []json.RawMessage `json:"service,omitempty"`
}

func (i Info) document3() document3 {
	return document3{
		Context:          i.context(V3),
		ID:               i.ID,
		Type:             "ImageService3",
		Protocol:         Protocol,
		Profile:          "level2",
		Width:            i.Image.Width,
		Height:           i.Image.Height,
		MaxWidth:         i.Limits.MaxWidth,
		MaxHeight:        i.Limits.MaxHeight,
		MaxArea:          i.Limits.MaxArea,
		Sizes:            i.Sizes,
		Tiles:            i.tiles(),
		PreferredFormats: i.PreferredFormats,
		Rights:           i.Rights,
		ExtraFormats:     i.extraFormats(),
		ExtraQualities:   i.Qualities,
		ExtraFeatures:    i.Features,
		PartOf:           i.PartOf,
		SeeAlso:          i.SeeAlso,
		Service:          i.Services,
	}
}
