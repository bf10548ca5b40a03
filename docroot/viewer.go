package docroot

import (
	"log/slog"
	"net/http"
	"strings"
)

// contentSecurity keeps the pages to this server: no inline script or style,
// no other host. blob: is for pictures that the viewer makes itself.
const contentSecurity = "default-src 'self'; img-src 'self' data: blob:; connect-src 'self' data:; " +
	"object-src 'none'; base-uri 'none'; form-action 'self'"

// ViewerOptions are the names that the pages need. The zero value is right
// for a server with the default mounts.
type ViewerOptions struct {
	// Title stands in the header of the landing page; empty is "iiifd".
	Title string
	// ImageAPI3 and ImageAPI2 are the mounts of the source that is listed,
	// relative to the landing page; empty is "iiif/3" and "iiif/2".
	ImageAPI3, ImageAPI2 string
	// PageSuffix and FirstPage make the identifier of a page of a multi-page
	// file: identifier, suffix, number. An empty suffix is ";" with pages
	// counted from 1.
	PageSuffix string
	FirstPage  int
	// Log receives failures of the Lister; nil discards them.
	Log *slog.Logger
}

func (o ViewerOptions) withDefaults() ViewerOptions {
	if o.Title == "" {
		o.Title = "iiifd"
	}
	if o.ImageAPI3 == "" {
		o.ImageAPI3 = "iiif/3"
	}
	if o.ImageAPI2 == "" {
		o.ImageAPI2 = "iiif/2"
	}
	if o.PageSuffix == "" {
		o.PageSuffix, o.FirstPage = ";", 1
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return o
}

// Viewer is the handler of the landing page, the viewer and the JSON that
// both use. All it sends refers to other things by relative URLs, so that it
// works below any prefix that a proxy takes off.
type Viewer struct {
	list    Lister
	options ViewerOptions
	assets  assets
}

// NewViewer returns the handler for "/" and "/viewer/…".
func NewViewer(list Lister, options ViewerOptions) *Viewer {
	options = options.withDefaults()
	return &Viewer{list: list, options: options, assets: newAssets(options)}
}

// ServeHTTP answers GET and HEAD:
//
//	/                        the landing page
//	/viewer/?id=ID           the viewer
//	/viewer/assets/HASH/…    scripts, styles, icons; kept for a year
//	/viewer/api/list         Listing; dir, q, after, limit (1 to 500)
//	/viewer/api/item?id=ID   Item, where the Lister is a Describer
func (v *Viewer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !getOrHead(w, r) {
		return
	}
	switch path := r.URL.Path; path {
	case "/", "":
		v.page(w, r, v.assets.landing)
	case "/viewer":
		relativeRedirect(w, r, "viewer/")
	case "/viewer/":
		v.page(w, r, v.assets.viewer)
	case "/viewer/api/list":
		v.serveList(w, r)
	case "/viewer/api/item":
		v.serveItem(w, r)
	default:
		rest, ok := strings.CutPrefix(path, "/viewer/assets/")
		if !ok {
			notFound(w)
			return
		}
		v.asset(w, r, rest)
	}
}

func (v *Viewer) page(w http.ResponseWriter, r *http.Request, a *asset) {
	h := w.Header()
	h.Set("Content-Security-Policy", contentSecurity)
	h.Set("Referrer-Policy", "same-origin")
	h.Set("Cache-Control", "no-cache")
	a.send(w, r)
}

// asset serves HASH/NAME. A page from before or after an upgrade, or from
// another replica, asks with another hash: it gets what is here, unkept.
func (v *Viewer) asset(w http.ResponseWriter, r *http.Request, rest string) {
	hash, name, _ := strings.Cut(rest, "/")
	a := v.assets.files[name]
	if a == nil {
		notFound(w)
		return
	}
	if hash == v.assets.hash {
		w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	} else {
		w.Header().Set("Cache-Control", "no-cache")
	}
	a.send(w, r)
}
