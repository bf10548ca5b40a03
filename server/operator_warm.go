package server

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"

	"example.com/iiifd/iiif"
	"example.com/iiifd/render"
)

// WarmRequest is the body of POST /cache/warm: which answers to make ahead of
// need. The body may also be a manifest itself.
type WarmRequest struct {
	// IDs are identifiers below Mount, not percent-encoded.
	IDs []string `json:"ids,omitempty"`
	// Mount is a mount's path; empty for the first one.
	Mount string `json:"mount,omitempty"`
	// Manifest is the address of a document of the Presentation API, or the
	// document.
	Manifest json.RawMessage `json:"manifest,omitempty"`
	// Sizes are made of the whole image, such as "400," or "!800,800".
	Sizes []string `json:"sizes,omitempty"`
	// Levels is how many levels of tiles are made, the smallest first. Where
	// neither sizes nor levels are given it is 3.
	Levels *int `json:"levels,omitempty"`
	// Format is the answers' format; empty for jpg.
	Format string `json:"format,omitempty"`
}

// defaultWarmLevels of tiles are what viewers show first.
const defaultWarmLevels = 3

func (o *Operator) warmStatus(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, o.deps.Warmer.Status())
}

func (o *Operator) warmForget(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, map[string]int{"dropped": o.deps.Warmer.Forget()})
}

func (o *Operator) warm(w http.ResponseWriter, r *http.Request) {
	order, err := o.warmOrder(r.Context(), http.MaxBytesReader(w, r.Body, maxManifest))
	if err != nil {
		newProblem(http.StatusBadRequest, "bad_request", "The body is a manifest, or an object with ids or manifest, and mount, sizes, levels or format: "+err.Error()).write(w, r)
		return
	}
	state, err := o.deps.Warmer.Add(order)
	if errors.Is(err, render.ErrWarmFull) {
		newProblem(http.StatusServiceUnavailable, "warm_queue_full", "Too many images wait to be warmed; GET /cache/warm tells how many may.").write(w, r)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusAccepted)
	writeJSON(w, state)
}

// warmOrder reads the body and finds what it names.
func (o *Operator) warmOrder(ctx context.Context, body io.Reader) (render.WarmOrder, error) {
	text, err := io.ReadAll(body)
	if err != nil {
		return render.WarmOrder{}, err
	}
	req, err := readWarmRequest(text)
	if err != nil {
		return render.WarmOrder{}, err
	}
	order := render.WarmOrder{Format: iiif.Format(req.Format)}
	if req.Format == "" {
		order.Format = iiif.FormatJPG
	}
	for _, size := range append(req.Sizes, "max") { // "max" so that the format is read even where no size is given.
		p, err := iiif.ParseParams("full/"+size+"/0/default."+string(order.Format), iiif.V3)
		if err != nil {
			return order, err
		}
		order.Sizes = append(order.Sizes, p.Size)
	}
	order.Sizes = order.Sizes[:len(req.Sizes)]
	switch {
	case req.Levels != nil && *req.Levels < 0:
		return order, errors.New("levels is a number from 0")
	case req.Levels != nil:
		order.Levels = *req.Levels
	case len(req.Sizes) == 0:
		order.Levels = defaultWarmLevels
	}
	order.Subjects, err = o.warmSubjects(ctx, req)
	return order, err
}

// readWarmRequest reads either form of the body.
func readWarmRequest(text []byte) (WarmRequest, error) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(text, &members); err != nil {
		return WarmRequest{}, err
	}
	if members["@context"] != nil {
		return WarmRequest{Manifest: text}, nil
	}
	return readOrder[WarmRequest](bytes.NewReader(text))
}

// warmSubjects are the images that the request names.
func (o *Operator) warmSubjects(ctx context.Context, req WarmRequest) ([]render.Subject, error) {
	public := o.deps.Public
	if len(req.Manifest) > 0 {
		if len(req.IDs) > 0 {
			return nil, errors.New("give either ids or a manifest")
		}
		document := []byte(req.Manifest)
		var address string
		if json.Unmarshal(document, &address) == nil {
			var err error
			if document, err = fetchManifest(ctx, address); err != nil {
				return nil, err
			}
		}
		return public.manifestImages(document)
	}
	if len(req.IDs) == 0 {
		return nil, errors.New("nothing is named")
	}
	for _, m := range public.deps.Mounts {
		if req.Mount != "" && req.Mount != m.Path {
			continue
		}
		out := make([]render.Subject, len(req.IDs))
		for i, id := range req.IDs {
			out[i] = m.subject(id)
		}
		return out, nil
	}
	return nil, fmt.Errorf("there is no mount %q", req.Mount)
}
