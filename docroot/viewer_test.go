package docroot

import (
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"regexp"
	"strings"
	"testing"
)

func serveViewer(t *testing.T, list Lister) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(NewViewer(list, ViewerOptions{Title: "Town <Museum>"}))
	t.Cleanup(s.Close)
	return s
}

func TestPages(t *testing.T) {
	s := serveViewer(t, &fakeList{})
	for _, page := range []string{"/", "/viewer/", "/viewer/?id=a%2Fb"} {
		res, body := ask(t, s, "GET", page)
		if res.StatusCode != http.StatusOK || res.Header.Get("Content-Type") != "text/html; charset=utf-8" {
			t.Fatalf("%s gives %d %s", page, res.StatusCode, res.Header.Get("Content-Type"))
		}
		if policy := res.Header.Get("Content-Security-Policy"); !strings.HasPrefix(policy, "default-src 'self'") || strings.Contains(policy, "unsafe") {
			t.Errorf("%s has policy %q", page, policy)
		}
		if res.Header.Get("Cache-Control") != "no-cache" || res.Header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s has head %v", page, res.Header)
		}
		if !strings.Contains(string(body), "Town &lt;Museum&gt;") {
			t.Errorf("%s does not show the title", page)
		}
		again, _ := ask(t, s, "GET", page, "If-None-Match", res.Header.Get("ETag"))
		if again.StatusCode != http.StatusNotModified {
			t.Errorf("%s gives %d to its own ETag", page, again.StatusCode)
		}
		packed, compressed := ask(t, s, "GET", page, "Accept-Encoding", "gzip")
		if packed.Header.Get("Content-Encoding") != "gzip" || unpack(t, compressed) != string(body) || packed.ContentLength != int64(len(compressed)) {
			t.Errorf("%s compressed: %v", page, packed.Header)
		}
	}
}

var reference = regexp.MustCompile(`(?:src|href)="([^"#]*)"`)

// Every reference of a page is relative, and what it needs is there, below a
// prefix too.
func TestPagesReferToWhatIsThere(t *testing.T) {
	s := httptest.NewServer(http.StripPrefix("/museum", NewViewer(&fakeList{}, ViewerOptions{})))
	defer s.Close()
	for _, page := range []string{"/museum/", "/museum/viewer/"} {
		_, body := ask(t, s, "GET", page)
		found := 0
		for _, match := range reference.FindAllStringSubmatch(string(body), -1) {
			target := match[1]
			if strings.HasPrefix(target, "https://iiif.io/") || target == "" {
				continue
			}
			if strings.HasPrefix(target, "/") || strings.Contains(target, ":") {
				t.Errorf("%s refers to %s", page, target)
				continue
			}
			res, _ := ask(t, s, "GET", path.Join(page, target)+map[bool]string{true: "/"}[strings.HasSuffix(target, "/")])
			if res.StatusCode != http.StatusOK {
				t.Errorf("%s refers to %s: %d", page, target, res.StatusCode)
			}
			if strings.Contains(target, "assets/") && !strings.Contains(res.Header.Get("Cache-Control"), "immutable") {
				t.Errorf("%s is %s", target, res.Header.Get("Cache-Control"))
			}
			found++
		}
		if found < 5 {
			t.Errorf("%s has %d references", page, found)
		}
	}
}

var (
	imported = regexp.MustCompile(`from '\./([^']+)'`)
	inline   = regexp.MustCompile(`(?i)<style|<script>|\sstyle=|\son[a-z]+=|javascript:`)
)

// The policy allows neither inline code nor other hosts; a page that needs
// them would break only in the browser.
func TestEmbeddedFilesKeepToThePolicy(t *testing.T) {
	err := fs.WalkDir(embedded, "viewer", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasPrefix(name, "viewer/vendor/") {
			return err
		}
		body, err := embedded.ReadFile(name)
		if err != nil {
			return err
		}
		if strings.HasSuffix(name, ".html") {
			if found := inline.Find(body); found != nil {
				t.Errorf("%s has %q", name, found)
			}
		}
		for _, match := range imported.FindAllStringSubmatch(string(body), -1) {
			if _, err := fs.Stat(embedded, "viewer/static/"+match[1]); err != nil {
				t.Errorf("%s imports %s: %v", name, match[1], err)
			}
		}
		if strings.HasSuffix(name, ".css") && strings.Contains(string(body), "url(") {
			t.Errorf("%s loads something", name)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestAssets(t *testing.T) {
	v := NewViewer(&fakeList{}, ViewerOptions{})
	s := httptest.NewServer(v)
	defer s.Close()
	res, body := ask(t, s, "GET", "/viewer/assets/"+v.assets.hash+"/openseadragon.min.js", "Accept-Encoding", "gzip")
	if res.Header.Get("Content-Encoding") != "gzip" || len(body) > 100_000 || res.Header.Get("Cache-Control") != "public, max-age=31536000, immutable" {
		t.Errorf("OpenSeadragon: %d bytes, %v", len(body), res.Header)
	}
	if res, body := ask(t, s, "HEAD", "/viewer/assets/"+v.assets.hash+"/style.css"); res.StatusCode != http.StatusOK || len(body) > 0 || res.ContentLength <= 0 {
		t.Errorf("HEAD: %d, %d", res.StatusCode, res.ContentLength)
	}
	// Replicas of two versions answer one page during an upgrade.
	if res, _ := ask(t, s, "GET", "/viewer/assets/0123456789abcdef/style.css"); res.StatusCode != http.StatusOK || res.Header.Get("Cache-Control") != "no-cache" {
		t.Errorf("another hash: %d %s", res.StatusCode, res.Header.Get("Cache-Control"))
	}
	hash := "/viewer/assets/" + v.assets.hash
	for _, absent := range []string{hash, hash + "/", hash + "/absent.js", hash + "/LICENSE.txt", hash + "/../landing.html", "/viewer/assets/", "/viewer/x", "/viewer/landing.html", "/x"} {
		if res, _ := ask(t, s, "GET", absent); res.StatusCode != http.StatusNotFound || res.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s gives %d", absent, res.StatusCode)
		}
	}
	if other := NewViewer(&fakeList{}, ViewerOptions{}).assets.hash; other != v.assets.hash {
		t.Errorf("two replicas have %s and %s", v.assets.hash, other)
	}
}

func TestViewerRedirectsAndMethods(t *testing.T) {
	s := serveViewer(t, &fakeList{})
	if res, _ := ask(t, s, "GET", "/viewer?id=a"); res.StatusCode != http.StatusPermanentRedirect || res.Header.Get("Location") != "viewer/?id=a" {
		t.Errorf("/viewer gives %d to %q", res.StatusCode, res.Header.Get("Location"))
	}
	for _, path := range []string{"/", "/viewer/", "/viewer/api/list"} {
		if res, _ := ask(t, s, "POST", path); res.StatusCode != http.StatusMethodNotAllowed || res.Header.Get("Allow") != "GET, HEAD" {
			t.Errorf("POST %s gives %d", path, res.StatusCode)
		}
	}
}

func TestViewerOptions(t *testing.T) {
	v := NewViewer(&fakeList{}, ViewerOptions{ImageAPI3: "unit", ImageAPI2: "old/2", PageSuffix: "@", FirstPage: 0})
	for _, want := range []string{`data-iiif3="../unit/"`, `data-iiif2="../old/2/"`, `data-page-suffix="@"`, `data-first-page="0"`} {
		if !strings.Contains(string(v.assets.viewer.plain), want) {
			t.Errorf("the viewer lacks %s", want)
		}
	}
	if want := `data-iiif3="unit/"`; !strings.Contains(string(v.assets.landing.plain), want) {
		t.Errorf("the landing page lacks %s", want)
	}
}

// The README of the vendored file is what an update goes by.
func TestVendoredFileIsTheDocumentedOne(t *testing.T) {
	body, err := embedded.ReadFile("viewer/vendor/openseadragon.min.js")
	if err != nil {
		t.Fatal(err)
	}
	readme, err := os.ReadFile("viewer/vendor/README.md")
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(body)
	if !strings.Contains(string(readme), hex.EncodeToString(sum[:])) {
		t.Errorf("README.md does not name sha256 %x", sum)
	}
	version := regexp.MustCompile(`version \*\*([0-9.]+)\*\*`).FindStringSubmatch(string(readme))
	if version == nil || !strings.Contains(string(body[:200]), "openseadragon "+version[1]) {
		t.Errorf("README.md names version %v, the file begins %q", version, body[:60])
	}
}
