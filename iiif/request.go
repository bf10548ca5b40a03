package iiif

import (
	"strings"
	"unicode/utf8"
)

// Kind is what a request asks of an image.
type Kind int

// The kinds of request.
const (
	KindBase  Kind = iota // {id}: to be redirected to info.json
	KindInfo              // {id}/info.json
	KindImage             // {id}/{region}/{size}/{rotation}/{quality}.{format}
	KindFile              // {id}/file: the original bytes
	KindKnora             // {id}/knora.json: SIPI's sidecar document
)

// Request is a parsed path.
type Request struct {
	Kind    Kind
	Version Version
	// Identifier is decoded exactly once. It is valid UTF-8, not empty and
	// free of control characters; dot segments and slashes in it are for the
	// source to judge.
	Identifier string
	// RawIdentifier is the identifier as sent, still encoded, for URIs that
	// must repeat it (id, Location, Link).
	RawIdentifier string
	// Params is set for KindImage.
	Params Params
}

const reasonEscape = "a percent sign needs two hexadecimal digits after it"

// Parse reads a path below the mount prefix, without a leading slash, as it
// was sent: it is split at its slashes before anything is decoded, and each
// part is decoded once (Image API 3.0, 9). Every error is an *Error: 404
// where the path has no form known here, 400 where a part of it is wrong.
func Parse(escapedPath string, v Version) (Request, error) {
	// One more than an image request has, so that a long path costs nothing.
	segments := strings.SplitN(escapedPath, "/", 6)
	r := Request{Version: v, RawIdentifier: segments[0]}
	var err error
	if r.Identifier, err = parseIdentifier(segments[0]); err != nil {
		return Request{}, err
	}
	switch len(segments) {
	case 1:
		return r, nil
	case 2:
		r.Kind, err = parseDocument(segments[1])
	case 5:
		r.Kind = KindImage
		r.Params, err = parseSegments([4]string(segments[1:]), v)
	default:
		err = pathUnknown()
	}
	if err != nil {
		return Request{}, err
	}
	return r, nil
}

func parseDocument(segment string) (Kind, error) {
	name, ok := unescape(segment)
	if !ok {
		return 0, badRequest(CodeEscapeInvalid, "", reasonEscape)
	}
	switch name {
	case "info.json":
		return KindInfo, nil
	case "file":
		return KindFile, nil
	case "knora.json":
		return KindKnora, nil
	}
	return 0, pathUnknown()
}

func pathUnknown() *Error {
	return notFound(CodePathUnknown, "",
		"the path is neither {id}/info.json nor {id}/{region}/{size}/{rotation}/{quality}.{format}; a slash within an identifier is written %2F")
}

func parseIdentifier(segment string) (string, error) {
	id, ok := unescape(segment)
	switch {
	case !ok:
		return "", badRequest(CodeEscapeInvalid, ParameterIdentifier, reasonEscape)
	case id == "":
		return "", notFound(CodeIdentifierEmpty, ParameterIdentifier, "is empty")
	case !utf8.ValidString(id):
		return "", badRequest(CodeIdentifierInvalid, ParameterIdentifier, "is not valid UTF-8")
	case strings.ContainsFunc(id, isControl):
		return "", badRequest(CodeIdentifierInvalid, ParameterIdentifier, "holds control characters")
	}
	return id, nil
}

// isControl covers C0, DEL and C1, and the two Unicode line separators.
func isControl(r rune) bool {
	return r < 0x20 || r >= 0x7f && r < 0xa0 || r == '\u2028' || r == '\u2029'
}
