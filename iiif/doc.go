// Package iiif is the IIIF Image API, versions 3.0 and 2.1, without any I/O:
// it parses request paths, resolves them against an image's size, writes
// their canonical form and builds info.json. It is pure: every function
// depends on its arguments alone.
package iiif
