package iiif

import "strings"

// Params is the part of an image request after the identifier. Params of the
// same meaning are equal with == but for forms that only an image can tell
// to be the same, such as pct:50 and 500,400.
type Params struct {
	Version  Version
	Region   Region
	Size     Size
	Rotation Rotation
	Quality  Quality
	Format   Format
}

// ParseParams reads "region/size/rotation/quality.format". Each of the parts
// may be percent-encoded (Image API 3.0, 9). Every error is an *Error.
func ParseParams(s string, v Version) (Params, error) {
	segments := strings.Split(s, "/")
	if len(segments) != 4 {
		return Params{}, badRequest(CodeParametersMissing, "", "a request is region/size/rotation/quality.format")
	}
	return parseSegments([4]string(segments), v)
}

func parseSegments(segments [4]string, v Version) (Params, error) {
	names := [4]string{ParameterRegion, ParameterSize, ParameterRotation, ParameterQuality}
	for i, segment := range segments {
		text, ok := unescape(segment)
		if !ok {
			return Params{}, badRequest(CodeEscapeInvalid, names[i], reasonEscape)
		}
		segments[i] = text
	}
	p := Params{Version: v}
	var err error
	if p.Region, err = parseRegion(segments[0]); err != nil {
		return Params{}, err
	}
	if p.Size, err = parseSize(segments[1], v); err != nil {
		return Params{}, err
	}
	if p.Rotation, err = parseRotation(segments[2]); err != nil {
		return Params{}, err
	}
	quality, format := segments[3], ""
	if dot := strings.LastIndexByte(segments[3], '.'); dot >= 0 {
		quality, format = segments[3][:dot], segments[3][dot+1:]
	}
	if p.Quality, err = parseQuality(quality); err != nil {
		return Params{}, err
	}
	if p.Format, err = parseFormat(format); err != nil {
		return Params{}, err
	}
	return p, nil
}

// String returns the parameters in their shortest spelling, unescaped.
// ParseParams of it gives p again.
func (p Params) String() string {
	return p.Region.String() + "/" + p.Size.String() + "/" + p.Rotation.String() + "/" +
		string(p.Quality) + "." + string(p.Format)
}
