package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"example.com/iiifd/iiif"
	"example.com/iiifd/render"
)

const (
	// maxManifest bounds a manifest, in bytes: 10,000 canvases take about 10 MB.
	maxManifest = 32 << 20
	// manifestTimeout bounds fetching one.
	manifestTimeout = 30 * time.Second
)

// fetchManifest reads a document of the Presentation API from where an
// operator says that it is.
func fetchManifest(ctx context.Context, address string) ([]byte, error) {
	u, err := url.Parse(address)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
		return nil, errors.New("manifest is neither a document nor an http or https address")
	}
	ctx, cancel := context.WithTimeout(ctx, manifestTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, fmt.Errorf("manifest: %w", err)
	}
	req.Header.Set("Accept", "application/ld+json, application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, fmt.Errorf("manifest: %w", err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("manifest: the server answered %s", resp.Status)
	}
	text, err := io.ReadAll(io.LimitReader(resp.Body, maxManifest+1))
	if err != nil {
		return nil, fmt.Errorf("manifest: %w", err)
	}
	if len(text) > maxManifest {
		return nil, fmt.Errorf("manifest: larger than %d bytes", maxManifest)
	}
	return text, nil
}

// manifestImages finds the images of this server that a document of the
// Presentation API 2 or 3 shows, in its order, each once. Services of other
// servers are left out.
func (s *Server) manifestImages(document []byte) ([]render.Subject, error) {
	var tree any
	if err := json.Unmarshal(document, &tree); err != nil {
		return nil, fmt.Errorf("manifest: %w", err)
	}
	var found []render.Subject
	known := make(map[string]bool)
	for _, id := range imageServices(tree, nil) {
		subject, ok := s.subjectOf(id)
		name := render.ObjectName(subject.Scope, subject.Identifier)
		if !ok || known[name] {
			continue
		}
		known[name] = true
		found = append(found, subject)
	}
	if len(found) == 0 {
		return nil, errors.New("manifest: it shows no image of this server")
	}
	return found, nil
}

// imageServices collects the ids of image services, lists in their order.
func imageServices(node any, found []string) []string {
	switch v := node.(type) {
	case []any:
		for _, item := range v {
			found = imageServices(item, found)
		}
	case map[string]any:
		if id := textOf(v, "id", "@id"); id != "" && isImageService(v) {
			found = append(found, id)
		}
		keys := make([]string, 0, len(v))
		for key := range v {
			keys = append(keys, key)
		}
		slices.Sort(keys)
		for _, key := range keys {
			found = imageServices(v[key], found)
		}
	}
	return found
}

// isImageService tells whether an object describes a service of the Image
// API, by any of the ways in which versions 1 to 3 say so.
func isImageService(v map[string]any) bool {
	if strings.HasPrefix(textOf(v, "type", "@type"), "ImageService") || strings.Contains(textOf(v, "protocol"), "iiif.io/api/image") {
		return true
	}
	for _, key := range []string{"profile", "@context"} {
		text := textOf(v, key)
		if list, ok := v[key].([]any); ok && len(list) > 0 {
			text, _ = list[0].(string)
		}
		if strings.Contains(text, "iiif.io/api/image") {
			return true
		}
	}
	return false
}

// textOf returns the first of the members that is a text.
func textOf(v map[string]any, keys ...string) string {
	for _, key := range keys {
		if text, ok := v[key].(string); ok {
			return text
		}
	}
	return ""
}

// subjectOf finds the image of an image service's id. Where a public address
// is configured its host must be that one; else every host may be an older
// name of this server.
func (s *Server) subjectOf(id string) (render.Subject, bool) {
	u, err := url.Parse(strings.TrimSuffix(id, "/"))
	if err != nil {
		return render.Subject{}, false
	}
	if base, err := url.Parse(s.settings().BaseURL); err == nil && base.Host != "" && !strings.EqualFold(base.Host, u.Host) {
		return render.Subject{}, false
	}
	slash := strings.LastIndexByte(u.EscapedPath(), '/')
	if slash < 0 {
		return render.Subject{}, false
	}
	parent, raw := u.EscapedPath()[:slash], u.EscapedPath()[slash+1:]
	best := -1
	for i, m := range s.deps.Mounts {
		if strings.HasSuffix(parent, m.publicPath()) && (best < 0 || len(m.publicPath()) > len(s.deps.Mounts[best].publicPath())) {
			best = i
		}
	}
	if best < 0 {
		return render.Subject{}, false
	}
	m := s.deps.Mounts[best]
	req, err := iiif.Parse(raw, m.Version)
	if err != nil {
		return render.Subject{}, false
	}
	return m.subject(req.Identifier), true
}
