package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"

	"example.com/iiifd/source"
)

// knoraDocument is SIPI's sidecar document: what a repository wants to know
// of a stored file.
type knoraDocument struct {
	Context            string `json:"@context"`
	ID                 string `json:"id"`
	ChecksumOriginal   string `json:"checksumOriginal,omitempty"`
	ChecksumDerivative string `json:"checksumDerivative,omitempty"`
	Width              int    `json:"width,omitempty"`
	Height             int    `json:"height,omitempty"`
	FileSize           int64  `json:"fileSize,omitempty"`
	InternalMimeType   string `json:"internalMimeType"`
	OriginalMimeType   string `json:"originalMimeType,omitempty"`
	OriginalFilename   string `json:"originalFilename,omitempty"`
}

// sidecar is what an optional file "<name>.info" beside the original adds.
type sidecar struct {
	ChecksumOriginal   string `json:"checksumOriginal"`
	ChecksumDerivative string `json:"checksumDerivative"`
	OriginalMimeType   string `json:"originalMimeType"`
	OriginalFilename   string `json:"originalFilename"`
}

// maxSidecar bounds the sidecar, in bytes.
const maxSidecar = 64 << 10

// knora answers knora.json: size and types for an image, size in bytes and
// type for any other file.
func (s *Server) knora(w http.ResponseWriter, r *http.Request, t target) error {
	setRoute(r, "knora")
	info, err := t.moved.Stat(r.Context(), t.identifier)
	if err != nil {
		return err
	}
	doc := knoraDocument{Context: "http://sipi.io/api/file/3/context.json", ID: t.id, InternalMimeType: fileType(info.Name)}
	image, err := s.deps.Renderer.Info(r.Context(), t.subject(), t.id, t.restriction.Size)
	if err == nil {
		doc.Width, doc.Height = image.Width, image.Height
	} else {
		if r.Context().Err() != nil {
			return err
		}
		doc.FileSize = info.Size
	}
	side, err := readSidecar(r.Context(), t.moved, t.identifier+".info")
	if err != nil {
		return err
	}
	doc.ChecksumOriginal, doc.ChecksumDerivative = side.ChecksumOriginal, side.ChecksumDerivative
	doc.OriginalMimeType, doc.OriginalFilename = side.OriginalMimeType, side.OriginalFilename
	body, err := json.Marshal(doc)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", s.cacheControl(t, s.settings().InfoCacheControl))
	return answerDocument(w, r, body, info.ModTime.UTC().Format(http.TimeFormat))
}

// readSidecar reads the sidecar; a missing one is empty, a broken one an
// error.
func readSidecar(ctx context.Context, src source.Source, identifier string) (sidecar, error) {
	var side sidecar
	obj, err := src.Open(ctx, identifier)
	if errors.Is(err, source.ErrNotFound) {
		return side, nil
	}
	if err != nil {
		return side, err
	}
	defer obj.Close()
	body, err := io.ReadAll(io.NewSectionReader(obj, 0, maxSidecar))
	if err != nil {
		return side, fmt.Errorf("sidecar: %w", err)
	}
	if err := json.Unmarshal(body, &side); err != nil {
		return side, fmt.Errorf("sidecar: %w", err)
	}
	return side, nil
}
