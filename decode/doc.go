// Package decode carries out plans with libvips. It is the only package that
// touches it: streams in, one pipeline, streams out, no pixel held longer
// than the picture needs.
//
// The Go binding (govips) runs libvips and holds the images; opening and
// saving go through a few C functions of this package (bridge.c), because
// the binding can neither choose access, level and strictness of a decoder
// that reads from an io.ReaderAt, nor be cancelled while it saves.
package decode
