package iiif

// Version is a major version of the Image API.
type Version int

// The versions served. V2 means 2.1 (and so also 2.0 clients).
const (
	V2 Version = 2
	V3 Version = 3
)
