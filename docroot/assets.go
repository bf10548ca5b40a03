package docroot

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"html/template"
	"io/fs"
	"net/http"
	"strconv"
	"time"
)

//go:embed viewer/landing.html viewer/viewer.html viewer/static viewer/vendor/openseadragon.min.js
var embedded embed.FS

// asset is one embedded file in both forms.
type asset struct {
	media  string
	tag    string
	plain  []byte
	packed []byte // gzip; nil where it saves nothing
}

func newAsset(name string, body []byte) *asset {
	sum := sha256.Sum256(body)
	a := &asset{media: mediaType(name), tag: hex.EncodeToString(sum[:8]), plain: body}
	if worthGzip(a.media, int64(len(body))) {
		a.packed = pack(body)
	}
	return a
}

// pack compresses well rather than fast: what it gets is made once or small.
func pack(body []byte) []byte {
	var out bytes.Buffer
	z, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return nil
	}
	// Writes to a buffer do not fail.
	_, _ = z.Write(body)
	_ = z.Close()
	return out.Bytes()
}

// send answers with the form that the client takes. Cache-Control is the
// caller's.
func (a *asset) send(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Type", a.media)
	h.Set("X-Content-Type-Options", "nosniff")
	body, tag := a.plain, a.tag
	if a.packed != nil {
		h.Add("Vary", "Accept-Encoding")
		if acceptsGzip(r.Header) && r.Header.Get("Range") == "" {
			body, tag = a.packed, a.tag+"-gzip"
			h.Set("Content-Encoding", "gzip")
			h.Set("Content-Length", strconv.Itoa(len(body)))
		}
	}
	h.Set("ETag", `"`+tag+`"`)
	CleanRange(r, int64(len(body)))
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(body))
}

// assets are the two pages and the files they use by name.
type assets struct {
	landing, viewer *asset
	files           map[string]*asset
	// hash is over all files, and part of their URLs.
	hash string
}

// pageData is what the pages' templates may use.
type pageData struct {
	Title      string
	Assets     string
	ImageAPI3  string
	ImageAPI2  string
	PageSuffix string
	FirstPage  int
}

// newAssets prepares what is embedded. What is embedded is known to be well
// formed, so a failure is a programming error and panics.
func newAssets(o ViewerOptions) assets {
	a := assets{files: make(map[string]*asset)}
	all := sha256.New()
	for _, dir := range []string{"viewer/static", "viewer/vendor"} {
		entries, err := fs.ReadDir(embedded, dir)
		if err != nil {
			panic(err)
		}
		for _, entry := range entries {
			body, err := embedded.ReadFile(dir + "/" + entry.Name())
			if err != nil {
				panic(err)
			}
			a.files[entry.Name()] = newAsset(entry.Name(), body)
			all.Write(body)
		}
	}
	a.hash = hex.EncodeToString(all.Sum(nil)[:8])
	a.landing = newPage("landing.html", o, "", "viewer/assets/"+a.hash+"/")
	a.viewer = newPage("viewer.html", o, "../", "assets/"+a.hash+"/")
	return a
}

// newPage fills in a page that lies at root, the relative URL of the landing
// page, as seen from it.
func newPage(name string, o ViewerOptions, root, assetsURL string) *asset {
	page := template.Must(template.ParseFS(embedded, "viewer/"+name))
	var out bytes.Buffer
	err := page.Execute(&out, pageData{
		Title: o.Title, Assets: assetsURL,
		ImageAPI3: root + o.ImageAPI3 + "/", ImageAPI2: root + o.ImageAPI2 + "/",
		PageSuffix: o.PageSuffix, FirstPage: o.FirstPage,
	})
	if err != nil {
		panic(err)
	}
	return newAsset(name, out.Bytes())
}
