package docroot

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"net/http"
	"strconv"
	"strings"
	"unicode/utf8"
)

const (
	defaultLimit = 60
	maxLimit     = 500
	// maxQuery bounds what a listing has to compare, in bytes.
	maxQuery = 200
)

// serveList answers /viewer/api/list.
func (v *Viewer) serveList(w http.ResponseWriter, r *http.Request) {
	form := r.URL.Query()
	dir := strings.TrimSuffix(form.Get("dir"), "/")
	if dir != "" && (!fs.ValidPath(dir) || dir == "." || strings.ContainsRune(dir, 0)) {
		fail(w, http.StatusBadRequest, "bad_request", "dir is not a path below the collection.")
		return
	}
	query := strings.TrimSpace(form.Get("q"))
	if len(query) > maxQuery || !utf8.ValidString(query) {
		fail(w, http.StatusBadRequest, "bad_request", "q is longer than "+strconv.Itoa(maxQuery)+" bytes or not UTF-8.")
		return
	}
	limit := defaultLimit
	if text := form.Get("limit"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > maxLimit {
			fail(w, http.StatusBadRequest, "bad_request", "limit is not a number from 1 to "+strconv.Itoa(maxLimit)+".")
			return
		}
		limit = n
	}
	listing, err := v.list.List(r.Context(), dir, query, form.Get("after"), limit)
	if err != nil {
		v.listerFailed(w, r, err, "There is no such folder.")
		return
	}
	listing.Dir = dir
	if listing.Folders == nil {
		listing.Folders = []Folder{}
	}
	if listing.Items == nil {
		listing.Items = []Item{}
	}
	sendJSON(w, r, listing)
}

// serveItem answers /viewer/api/item.
func (v *Viewer) serveItem(w http.ResponseWriter, r *http.Request) {
	describer, ok := v.list.(Describer)
	if !ok {
		notFound(w)
		return
	}
	id := r.URL.Query().Get("id")
	if id == "" {
		fail(w, http.StatusBadRequest, "bad_request", "id is missing.")
		return
	}
	item, err := describer.Describe(r.Context(), id)
	if err != nil {
		v.listerFailed(w, r, err, "There is no such image.")
		return
	}
	sendJSON(w, r, item)
}

// listerFailed answers for an error of the Lister, whose text is for the log
// only.
func (v *Viewer) listerFailed(w http.ResponseWriter, r *http.Request, err error, absent string) {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		fail(w, http.StatusNotFound, "not_found", absent)
	case errors.Is(err, context.DeadlineExceeded):
		fail(w, http.StatusServiceUnavailable, "listing_timeout", "The collection took too long to answer. Try again.")
	case r.Context().Err() != nil:
		// Nobody is left to read an answer.
	default:
		v.options.Log.ErrorContext(r.Context(), "listing failed", "path", r.URL.Path, "error", err)
		fail(w, http.StatusInternalServerError, "listing_failed", "The collection cannot be listed at the moment.")
	}
}

// sendJSON sends a value that a new upload may change at any time: caches
// keep it and ask.
func sendJSON(w http.ResponseWriter, r *http.Request, value any) {
	body, err := json.Marshal(value)
	if err != nil {
		fail(w, http.StatusInternalServerError, "listing_failed", "The collection cannot be listed at the moment.")
		return
	}
	w.Header().Set("Cache-Control", "no-cache")
	newAsset("answer.json", body).send(w, r)
}
