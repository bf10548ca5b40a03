package docroot

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"
)

// fakeList lists 100 names of one directory and remembers what it was asked.
type fakeList struct {
	asked string
	err   error
}

func (f *fakeList) List(_ context.Context, dir, query, after string, limit int) (Listing, error) {
	f.asked = fmt.Sprintf("%q %q %q %d", dir, query, after, limit)
	if f.err != nil {
		return Listing{}, f.err
	}
	if dir == "empty" {
		return Listing{}, nil
	}
	l := Listing{Folders: []Folder{{Name: "maps", Dir: "a/maps"}}, Total: 101, Next: "n"}
	for i := range min(limit, 100) {
		l.Items = append(l.Items, Item{ID: fmt.Sprintf("a/%d.tif", i), Name: fmt.Sprintf("%d.tif", i), Size: 5, Width: 7, Height: 9})
	}
	return l, nil
}

// describer is a fakeList that knows one image.
type describer struct{ fakeList }

func (d *describer) Describe(_ context.Context, id string) (Item, error) {
	if id != "a/b ü?.tif" {
		return Item{}, fmt.Errorf("describe %s: %w", id, fs.ErrNotExist)
	}
	return Item{ID: id, Name: "b ü?.tif", Modified: time.Unix(0, 0).UTC(), Pages: 3}, nil
}

func TestList(t *testing.T) {
	list := &fakeList{}
	s := serveViewer(t, list)
	for query, want := range map[string]string{
		"":                                     `"" "" "" 60`,
		"?dir=a/b&q=%20x+y%20&after=k&limit=2": `"a/b" "x y" "k" 2`,
		"?dir=a/&limit=500":                    `"a" "" "" 500`,
		"?limit=1":                             `"" "" "" 1`,
	} {
		res, _ := ask(t, s, "GET", "/viewer/api/list"+query)
		if res.StatusCode != http.StatusOK || list.asked != want {
			t.Errorf("%s gives %d and asks %s", query, res.StatusCode, list.asked)
		}
	}
	res, body := ask(t, s, "GET", "/viewer/api/list?dir=a&limit=1")
	want := `{"dir":"a","folders":[{"name":"maps","dir":"a/maps"}],"items":[{"id":"a/0.tif","name":"0.tif","size":5,"width":7,"height":9}],"next":"n","total":101}`
	if string(body) != want || res.Header.Get("Content-Type") != "application/json" || res.Header.Get("Cache-Control") != "no-cache" {
		t.Errorf("%v\n%s", res.Header, body)
	}
	if res, _ := ask(t, s, "GET", "/viewer/api/list?dir=a&limit=1", "If-None-Match", res.Header.Get("ETag")); res.StatusCode != http.StatusNotModified {
		t.Errorf("its own ETag gives %d", res.StatusCode)
	}
	if _, body := ask(t, s, "GET", "/viewer/api/list?dir=empty"); string(body) != `{"dir":"empty","folders":[],"items":[]}` {
		t.Errorf("an empty folder is %s", body)
	}
	res, body = ask(t, s, "GET", "/viewer/api/list", "Accept-Encoding", "gzip")
	var l Listing
	if err := json.Unmarshal([]byte(unpack(t, body)), &l); err != nil || len(l.Items) != 60 || res.Header.Get("Content-Encoding") != "gzip" {
		t.Errorf("compressed: %d items, %v", len(l.Items), err)
	}
}

func TestListRefuses(t *testing.T) {
	list := &fakeList{}
	s := serveViewer(t, list)
	for _, query := range []string{
		"limit=0", "limit=501", "limit=x", "limit=-1", "dir=..", "dir=a/../b", "dir=/a", "dir=a//b", "dir=.", "dir=%00", "dir=a%00b", "dir=%FF",
		"q=" + strings.Repeat("x", 201), "q=%FF",
	} {
		list.asked = ""
		res, _ := ask(t, s, "GET", "/viewer/api/list?"+query)
		if res.StatusCode != http.StatusBadRequest || list.asked != "" {
			t.Errorf("%s gives %d and asks %s", query, res.StatusCode, list.asked)
		}
	}
}

func TestListFails(t *testing.T) {
	var written strings.Builder
	list := &fakeList{}
	s := httptest.NewServer(NewViewer(list, ViewerOptions{Log: slog.New(slog.NewTextHandler(&written, nil))}))
	defer s.Close()
	for _, c := range []struct {
		err    error
		status int
		code   string
	}{
		{fmt.Errorf("open /srv/secret: %w", fs.ErrNotExist), 404, "not_found"},
		{fmt.Errorf("wait: %w", context.DeadlineExceeded), 503, "listing_timeout"},
		{errors.New("open /srv/secret: broken"), 500, "listing_failed"},
	} {
		list.err = c.err
		res, body := ask(t, s, "GET", "/viewer/api/list")
		var p problem
		if err := json.Unmarshal(body, &p); err != nil || res.StatusCode != c.status || p.Code != c.code || p.Status != c.status {
			t.Errorf("%v gives %d %s", c.err, res.StatusCode, body)
		}
		if strings.Contains(string(body), "secret") || res.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("%v gives %v %s", c.err, res.Header, body)
		}
	}
	if !strings.Contains(written.String(), "broken") || strings.Count(written.String(), "\n") != 1 {
		t.Errorf("the log is %q", written.String())
	}
}

func TestItem(t *testing.T) {
	s := serveViewer(t, &describer{})
	_, body := ask(t, s, "GET", "/viewer/api/item?id="+url.QueryEscape("a/b ü?.tif"))
	if want := `{"id":"a/b ü?.tif","name":"b ü?.tif","modified":"1970-01-01T00:00:00Z","pages":3}`; string(body) != want {
		t.Errorf("%s", body)
	}
	for query, want := range map[string]int{"": 400, "?id=": 400, "?id=absent": 404} {
		if res, _ := ask(t, s, "GET", "/viewer/api/item"+query); res.StatusCode != want {
			t.Errorf("%s gives %d", query, res.StatusCode)
		}
	}
	if res, _ := ask(t, serveViewer(t, &fakeList{}), "GET", "/viewer/api/item?id=a"); res.StatusCode != http.StatusNotFound {
		t.Errorf("without a Describer it gives %d", res.StatusCode)
	}
}
