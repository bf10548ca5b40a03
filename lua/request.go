package lua

import (
	"io"
)

// Request is an HTTP request as scripts see it.
type Request struct {
	Method string
	// URI is the path without the query, percent-encoded.
	URI, Host, ClientIP string
	Secure              bool
	// Header has lower-case names.
	Header map[string][]string
	// Query and Form are in the order of the request; Form is that of an
	// application/x-www-form-urlencoded or multipart body.
	Query, Form []Pair
	Uploads     []Upload
	// Content is a body that is no form; nil for none. It is kept in the
	// script's memory as a whole.
	Content     io.Reader
	ContentType string
	// Docroot is set for scripts below the document root.
	Docroot string
}

// Upload is a file of a multipart request. TempName is its place; who made
// the request removes it after the script.
type Upload struct {
	FieldName, OrigName, TempName, MIMEType string
	Size                                    int64
}

// wire is the request without its body.
func (r *Request) wire() *wireRequest {
	if r == nil {
		return &wireRequest{}
	}
	return &wireRequest{
		Method: r.Method, URI: r.URI, Host: r.Host, ClientIP: r.ClientIP, Docroot: r.Docroot, Secure: r.Secure,
		Header: r.Header, Query: r.Query, Form: r.Form, Uploads: r.Uploads, ContentType: r.ContentType,
	}
}

func (r *Request) isUpload(path string) bool {
	for i := range r.Uploads {
		if r.Uploads[i].TempName == path {
			return true
		}
	}
	return false
}
