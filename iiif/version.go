package iiif

// Version is a major version of the Image API.
type Version int

// The versions served. V2 means 2.1 (and so also 2.0 clients). Any value but
// V2 is treated as V3.
const (
	V2 Version = 2
	V3 Version = 3
)

// ContextURI returns the JSON-LD context of the version's info.json.
func (v Version) ContextURI() string {
	if v == V2 {
		return "http://iiif.io/api/image/2/context.json"
	}
	return "http://iiif.io/api/image/3/context.json"
}

// ProfileURI returns the URI of the compliance level served, as it stands in
// the Link header (both versions) and in the profile array of 2.1. Its scheme
// is http in both specifications.
func (v Version) ProfileURI() string {
	if v == V2 {
		return "http://iiif.io/api/image/2/level2.json"
	}
	return "http://iiif.io/api/image/3/level2.json"
}
