package server_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// byCookie is an init script whose verdict is what the cookie names.
const byCookie = `
function pre_flight(prefix, identifier, cookie)
	local path = config.imgroot .. '/' .. identifier
	local kind = cookie:match('kind=(%w+)') or 'deny'
	if kind == 'restrict' then return { type = 'restrict', size = '!100,100' }, path end
	if kind == 'word' then return 'restrict', path end
	if kind == 'both' then return { type = 'restrict', size = '!100,100', watermark = config.imgroot .. '/mark.png' }, path end
	if kind == 'marked' then return { type = 'restrict', watermark = config.imgroot .. '/mark.png' }, path end
	if kind == 'moved' then return 'allow', config.imgroot .. '/gray.png' end
	if kind == 'outside' then return 'allow', '/etc/hostname' end
	if kind == 'respond' then server.sendStatus(418) server.sendHeader('X-Hook', 'yes') server.print('short and stout') return end
	if kind == 'error' then error('broken') end
	if kind == 'nonsense' then return 'perhaps', path end
	if kind == 'allow' or kind == 'deny' then return kind, path end
	return { type = kind, cookieUrl = 'https://auth.example/in', tokenUrl = 'https://auth.example/token', label = 'Please' }, path
end
`

const openFiles = byCookie + `
function file_pre_flight(path, cookie) return 'allow', path end
`

// accessCases writes the pictures and a watermark.
func accessCases(t *testing.T) string {
	t.Helper()
	dir := cases(t)
	save := func(name string, m image.Image) {
		f, err := os.Create(filepath.Join(dir, name))
		if err == nil {
			err = png.Encode(f, m)
		}
		if err == nil {
			err = f.Close()
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	save("gray.png", drawn(300, 200, true))
	mark := image.NewGray(image.Rect(0, 0, 64, 64))
	for i := range mark.Pix {
		mark.Pix[i] = uint8(i / 8 % 2 * 255)
	}
	save("mark.png", mark)
	save("small.png", drawn(40, 30, false))
	save("big.png", drawn(1000, 800, false))
	return dir
}

func picture(t *testing.T, a answer) image.Image {
	t.Helper()
	m, _, err := image.Decode(bytes.NewReader(a.body))
	if err != nil {
		t.Fatalf("%d %v: %.200s", a.StatusCode, err, a.body)
	}
	return m
}

// TestVerdicts holds every kind of verdict against every use of an image.
func TestVerdicts(t *testing.T) {
	dir := accessCases(t)
	for _, files := range []bool{false, true} {
		script := byCookie
		if files {
			script = openFiles
		}
		st := open(t, setup{dir: dir, scripts: map[string]string{"init.lua": script}})
		for kind, want := range map[string][4]int{ // image, info.json, knora.json, file
			"":             {401, 401, 401, 401},
			"deny":         {403, 403, 403, 403},
			"allow":        {200, 200, 200, 200},
			"restrict":     {200, 200, 200, 403},
			"marked":       {200, 200, 200, 403},
			"both":         {200, 200, 200, 403},
			"word":         {200, 200, 200, 403},
			"moved":        {200, 200, 200, 200},
			"login":        {401, 401, 401, 401},
			"clickthrough": {401, 401, 401, 401},
			"kiosk":        {401, 401, 401, 401},
			"external":     {401, 401, 401, 401},
			"respond":      {418, 418, 418, 418},
			"error":        {500, 500, 500, 500},
			"nonsense":     {500, 500, 500, 500},
			"outside":      {500, 500, 500, 500},
		} {
			if slices.Contains([]string{"restrict", "marked", "both", "word"}, kind) {
				want[3] = 403
				if files {
					want[3] = 200 // file_pre_flight's own word
				}
			} else if !files && want[3] == 200 {
				want[3] = 403
			}
			if kind == "outside" && !files {
				want[3] = 403
			}
			for i, rest := range []string{"full/50,/0/default.png", "info.json", "knora.json", "file"} {
				var headers []string
				if kind != "" {
					headers = append(headers, "Cookie: kind="+kind)
				}
				for _, mount := range []string{"/iiif/3", "/iiif/2", "/internal/pictures"} {
					a := st.get(t, mount+"/big.png/"+rest, headers...)
					if a.StatusCode != want[i] {
						t.Errorf("%q %s%s (files open: %t): %d, want %d", kind, mount, rest, files, a.StatusCode, want[i])
					}
					cc := a.Header.Get("Cache-Control")
					if cc != "no-store" && cc != "private, no-store" {
						t.Errorf("%q %s: Cache-Control %q", kind, rest, cc)
					}
				}
			}
		}
	}
}

// TestServiceBlock: who may gain access is told how in info.json.
func TestServiceBlock(t *testing.T) {
	st := open(t, setup{dir: accessCases(t), scripts: map[string]string{"init.lua": byCookie}})
	for _, kind := range []string{"login", "clickthrough", "kiosk", "external"} {
		for _, mount := range []string{"/iiif/3", "/iiif/2"} {
			a := st.get(t, mount+"/big.png/info.json", "Cookie: kind="+kind)
			var doc struct {
				Width   int
				Service []struct {
					ID      string `json:"@id"`
					Profile string
					Label   string
					Service []struct {
						ID string `json:"@id"`
					}
				}
			}
			if err := json.Unmarshal(a.body, &doc); err != nil || a.StatusCode != http.StatusUnauthorized || doc.Width != 1000 || len(doc.Service) != 1 {
				t.Fatalf("%s %s: %d %v %s", kind, mount, a.StatusCode, err, a.body)
			}
			s := doc.Service[0]
			if s.ID != "https://auth.example/in" || s.Profile != "http://iiif.io/api/auth/1/"+kind || s.Label != "Please" || len(s.Service) != 1 || s.Service[0].ID != "https://auth.example/token" {
				t.Errorf("%s: %s", kind, a.body)
			}
		}
	}
	if a := st.get(t, "/iiif/3/big.png/full/max/0/default.png", "Cookie: kind=respond"); string(a.body) != "short and stout" || a.Header.Get("X-Hook") != "yes" {
		t.Errorf("the hook's own answer: %v %s", a.Header, a.body)
	}
}

// TestMovedAnswersStayApart: one identifier that leads to two files never
// shares an answer.
func TestMovedAnswersStayApart(t *testing.T) {
	st := open(t, setup{dir: accessCases(t), scripts: map[string]string{"init.lua": openFiles}})
	for _, rest := range []string{"full/50,/0/default.png", "file", "info.json"} {
		one := st.get(t, "/iiif/3/big.png/"+rest, "Cookie: kind=allow")
		two := st.get(t, "/iiif/3/big.png/"+rest, "Cookie: kind=moved")
		if one.Header.Get("ETag") == two.Header.Get("ETag") || bytes.Equal(one.body, two.body) {
			t.Errorf("%s: both files give %s", rest, one.Header.Get("ETag"))
		}
		for kind, other := range map[string]answer{"moved": one, "allow": two} {
			a := st.get(t, "/iiif/3/big.png/"+rest, "Cookie: kind="+kind, "If-None-Match: "+other.Header.Get("ETag"),
				"If-Modified-Since: "+http.TimeFormat)
			if a.StatusCode != http.StatusOK {
				t.Errorf("%s as %s with the other's tag: %d", rest, kind, a.StatusCode)
			}
		}
	}
}

// TestRestrictedSizeHolds tries to get more of an image than its view has.
func TestRestrictedSizeHolds(t *testing.T) {
	dir := accessCases(t)
	st := open(t, setup{dir: dir, scripts: map[string]string{"init.lua": openFiles}})
	restricted := func(path string, headers ...string) answer {
		return st.get(t, path, append(headers, "Cookie: kind=restrict")...)
	}
	full := st.get(t, "/iiif/3/big.png/full/max/0/default.png", "Cookie: kind=allow")
	if m := picture(t, full); m.Bounds().Dx() != 1000 {
		t.Fatalf("the original is %v", m.Bounds())
	}
	view := restricted("/iiif/3/big.png/full/max/0/default.png") // after the full answer is cached
	if m := picture(t, view); m.Bounds() != image.Rect(0, 0, 100, 80) {
		t.Fatalf("the restricted image is %v", m.Bounds())
	}

	// A server of the reduced picture alone knows nothing of the original:
	// every answer must be one that it could give too.
	alone := t.TempDir()
	if err := os.WriteFile(filepath.Join(alone, "big.png"), view.body, 0o600); err != nil {
		t.Fatal(err)
	}
	reference := open(t, setup{dir: alone})
	for _, params := range []string{
		"full/max", "full/^max", "full/^1000,800", "full/^pct:300", "full/90,", "full/50,", "full/33,", "full/!64,64", "full/pct:50", "full/100,80",
		"0,0,50,40/max", "50,40,50,40/^500,400", "0,0,1,1/max", "0,0,1,1/^100,100", "1,1,4,4/2,2", "10,10,3,3/^30,30", "99,79,1,1/max", "square/max", "square/^800,",
		"pct:0,0,10,10/max", "pct:0,0,10,10/^100,", "pct:12.5,12.5,1,1/^64,64", "pct:50,50,50,50/^500,400",
		"0,0,256,256/256,256", "0,0,512,512/max", "256,256,256,256/256,", "500,400,500,400/max", "900,700,100,100/max", "0,0,1000,800/max", "0,0,1000,800/1000,",
	} {
		for _, rest := range []string{"/0/default.png", "/90/gray.png"} {
			for mount, like := range map[string]string{"/iiif/3": "/iiif/3", "/iiif/2": "/iiif/2", "/internal/pictures": "/iiif/3"} {
				got := restricted(mount + "/big.png/" + params + rest)
				want := reference.get(t, like+"/big.png/"+params+rest)
				if got.StatusCode != want.StatusCode {
					t.Errorf("%s %s%s: %d, without an original %d", mount, params, rest, got.StatusCode, want.StatusCode)
					continue
				}
				if want.StatusCode != http.StatusOK {
					continue
				}
				if d, most := difference(picture(t, got), picture(t, want)); d > 1.5 || most > 24 {
					t.Errorf("%s %s%s tells more than the reduced picture: mean %.2f, most %d", mount, params, rest, d, most)
				}
			}
		}
	}
}

// difference is the mean and the largest difference of two pictures' samples,
// of 255; pictures of different size differ in all.
func difference(a, b image.Image) (float64, int) {
	if a.Bounds().Size() != b.Bounds().Size() {
		return 255, 255
	}
	total, most, n := 0, 0, 0
	for y := range a.Bounds().Dy() {
		for x := range a.Bounds().Dx() {
			r, g, bl, _ := a.At(x, y).RGBA()
			r2, g2, b2, _ := b.At(x, y).RGBA()
			for _, d := range [3]int{int(r>>8) - int(r2>>8), int(g>>8) - int(g2>>8), int(bl>>8) - int(b2>>8)} {
				d = max(d, -d)
				total, most, n = total+d, max(most, d), n+1
			}
		}
	}
	return float64(total) / float64(n), most
}

// TestRestrictedFactsHold: documents, validators and lengths tell nothing of
// the original either.
func TestRestrictedFactsHold(t *testing.T) {
	st := open(t, setup{dir: accessCases(t), scripts: map[string]string{"init.lua": byCookie}})
	c := direct(nil)
	defer c.CloseIdleConnections()
	for _, mount := range []string{"/iiif/3", "/iiif/2", "/internal/pictures"} {
		a := st.get(t, mount+"/big.png/info.json", "Cookie: kind=restrict")
		var doc struct {
			Width, Height int
			Sizes         []struct{ Width, Height int }
			Tiles         []struct{ Width, Height int }
		}
		if err := json.Unmarshal(a.body, &doc); err != nil || doc.Width != 100 || doc.Height != 80 {
			t.Errorf("%s: %v %s", mount, err, a.body)
		}
		for _, s := range doc.Sizes {
			if s.Width > 100 || s.Height > 80 {
				t.Errorf("%s offers %v", mount, s)
			}
		}
		if a := st.get(t, mount+"/big.png/knora.json", "Cookie: kind=restrict"); !strings.Contains(string(a.body), `"width":100,"height":80`) {
			t.Errorf("knora.json: %s", a.body)
		}
		// What is small enough is not made smaller, and not refused.
		if a := st.get(t, mount+"/small.png/info.json", "Cookie: kind=restrict"); !strings.Contains(string(a.body), `"width":40`) {
			t.Errorf("a small image: %d %s", a.StatusCode, a.body)
		}
		if a := st.get(t, mount+"/small.png/full/max/0/default.png", "Cookie: kind=restrict"); a.StatusCode != http.StatusOK {
			t.Errorf("a small image: %d %s", a.StatusCode, a.body)
		}
		path := mount + "/big.png/full/" + map[bool]string{true: "full", false: "max"}[mount == "/iiif/2"] + "/0/default.png"
		free := st.get(t, path, "Cookie: kind=allow")
		limited := st.get(t, path, "Cookie: kind=restrict")
		if free.Header.Get("ETag") == limited.Header.Get("ETag") || len(free.body) == len(limited.body) {
			t.Errorf("%s: the same tag or length for both", path)
		}
		head := ask(t, c, http.MethodHead, st.url, path, "Cookie: kind=restrict")
		if head.err != nil || head.Header.Get("Content-Length") != strconv.Itoa(len(limited.body)) || head.Header.Get("ETag") != limited.Header.Get("ETag") {
			t.Errorf("HEAD: %v %v", head.err, head.Header)
		}
		// A tag that was given out is no way around a refusal, and one of the
		// full image is none of the reduced one.
		for kind, want := range map[string]int{"allow": 304, "restrict": 200, "deny": 403, "login": 401} {
			a := st.get(t, path, "Cookie: kind="+kind, "If-None-Match: "+free.Header.Get("ETag"))
			if a.StatusCode != want {
				t.Errorf("%s as %s with the full image's tag: %d, want %d", path, kind, a.StatusCode, want)
			}
			a = st.get(t, path, "Cookie: kind="+kind, "If-Modified-Since: "+free.Header.Get("Last-Modified"))
			if a.StatusCode == http.StatusNotModified {
				t.Errorf("%s as %s: 304 by date", path, kind)
			}
		}
		// Nobody learns which images there are.
		for _, id := range []string{"big.png", "none.png"} {
			if a := st.get(t, mount+"/"+id); a.StatusCode != http.StatusSeeOther {
				t.Errorf("bare %s: %d", id, a.StatusCode)
			}
			if a := st.get(t, mount+"/"+id+"/info.json"); a.StatusCode != http.StatusUnauthorized {
				t.Errorf("info.json of %s: %d", id, a.StatusCode)
			}
		}
	}
}

// TestWatermarkHolds: every part of a marked image carries its part of the
// mark, in every format; the mark's version is part of the tag.
func TestWatermarkHolds(t *testing.T) {
	dir := accessCases(t)
	st := open(t, setup{dir: dir, scripts: map[string]string{"init.lua": byCookie}})
	get := func(kind, params string) answer {
		return st.get(t, "/iiif/3/big.png/"+params, "Cookie: kind="+kind)
	}
	whole := picture(t, get("marked", "full/max/0/default.png"))
	for _, r := range []image.Rectangle{image.Rect(0, 0, 256, 256), image.Rect(256, 256, 512, 512), image.Rect(300, 300, 340, 330), image.Rect(990, 790, 1000, 800)} {
		region := fmt.Sprintf("%d,%d,%d,%d", r.Min.X, r.Min.Y, r.Dx(), r.Dy())
		part := picture(t, get("marked", region+"/max/0/default.png"))
		want := image.NewNRGBA(image.Rect(0, 0, r.Dx(), r.Dy()))
		for y := range r.Dy() {
			for x := range r.Dx() {
				want.Set(x, y, whole.At(r.Min.X+x, r.Min.Y+y))
			}
		}
		if d, _ := difference(part, want); d > 1 {
			t.Errorf("%s has another mark than the whole: %.1f", region, d)
		}
		free := picture(t, get("allow", region+"/max/0/default.png"))
		if d, _ := difference(part, free); d < 5 {
			t.Errorf("%s is not marked: %.1f", region, d)
		}
	}
	before := get("marked", "full/50,/0/default.jpg")
	if before.Header.Get("ETag") == get("allow", "full/50,/0/default.jpg").Header.Get("ETag") {
		t.Error("marked and free share a tag")
	}
	f, err := os.OpenFile(filepath.Join(dir, "mark.png"), os.O_APPEND|os.O_WRONLY, 0)
	if err == nil {
		_, err = f.WriteString("\n")
	}
	if err != nil || f.Close() != nil {
		t.Fatal(err)
	}
	if after := get("marked", "full/50,/0/default.jpg"); after.StatusCode != http.StatusOK || after.Header.Get("ETag") == before.Header.Get("ETag") {
		t.Errorf("another mark, the same tag: %d", after.StatusCode)
	}
	if err := os.Remove(filepath.Join(dir, "mark.png")); err != nil {
		t.Fatal(err)
	}
	if a := get("marked", "full/60,/0/default.jpg"); a.StatusCode != http.StatusInternalServerError || strings.Contains(string(a.body), dir) {
		t.Errorf("without its mark: %d %s", a.StatusCode, a.body)
	}
}

// TestVerdictsAreRemembered for the time that is configured, by cookie.
func TestVerdictsAreRemembered(t *testing.T) {
	st := open(t, setup{dir: accessCases(t), set: map[string]string{"preflight-cache-ttl": "1h"}, scripts: map[string]string{"init.lua": byCookie}})
	for range 5 {
		if a := st.get(t, "/iiif/3/big.png/full/10,/0/default.jpg", "Cookie: kind=allow"); a.StatusCode != http.StatusOK {
			t.Fatal(a.StatusCode)
		}
		if a := st.get(t, "/iiif/3/big.png/full/10,/0/default.jpg"); a.StatusCode != http.StatusUnauthorized {
			t.Fatal(a.StatusCode)
		}
	}
	if n := st.gauge("iiifd_lua_calls_total"); n != 3 { // and one at start
		t.Errorf("%v calls of hooks, want 3", n)
	}
}
