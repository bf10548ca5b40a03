package server_test

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"testing"

	"example.com/iiifd/decode/plan"
	"example.com/iiifd/source"
)

// benchmarkTile measures the server's own part of a tile's answer, from the
// parsed head to the last byte, without sockets and without pixels.
func benchmarkTile(b *testing.B, path func(i int) string) {
	b.Helper()
	tile := bytes.Repeat([]byte("tile"), 5000)
	d := &fake{render: func(_ context.Context, _ source.Object, _ plan.Plan, w io.Writer) error {
		_, err := w.Write(tile)
		return err
	}}
	st := build(b, setup{dir: cases(b), decoder: d.around, unseen: true})
	go func() {
		for range st.access.lines { // The log must not fill up.
		}
	}()
	handler := st.Handler()
	ask := func(i int) {
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, httptest.NewRequestWithContext(b.Context(), http.MethodGet, path(i), nil))
		if w.Code != http.StatusOK || w.Body.Len() != len(tile) {
			b.Fatalf("%d, %d bytes", w.Code, w.Body.Len())
		}
	}
	ask(0)
	b.ReportAllocs()
	for i := 1; b.Loop(); i++ {
		ask(i)
	}
}

func BenchmarkCachedTile(b *testing.B) {
	benchmarkTile(b, func(int) string { return "/iiif/3/I/0,0,256,256/256,256/0/default.jpg" })
}

func BenchmarkDecodedTile(b *testing.B) {
	benchmarkTile(b, func(i int) string {
		return "/iiif/3/I/" + strconv.Itoa(i%700) + "," + strconv.Itoa(i/700%500) + ",256,256/256,256/0/default.jpg"
	})
}
