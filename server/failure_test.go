package server_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/iiifd/decode/plan"
	"example.com/iiifd/render"
	"example.com/iiifd/source"
)

// clients are one client for each version of HTTP.
func clients(t *testing.T) map[string]*http.Client {
	t.Helper()
	protocols := new(http.Protocols)
	protocols.SetUnencryptedHTTP2(true)
	all := map[string]*http.Client{"HTTP/1.1": direct(nil), "HTTP/2": direct(&http.Transport{Protocols: protocols})}
	for _, c := range all {
		t.Cleanup(c.CloseIdleConnections)
	}
	return all
}

// TestPanic shows that a panic in a decoder is one request's 500 with a
// trace in the log, and nothing more.
func TestPanic(t *testing.T) {
	d := &fake{render: func(context.Context, source.Object, plan.Plan, io.Writer) error {
		panic("out of cheese")
	}}
	st := open(t, setup{dir: cases(t), decoder: d.around})
	for name, c := range clients(t) {
		for range 3 {
			a := ask(t, c, http.MethodGet, st.url, "/iiif/3/I/full/100,/0/default.jpg?download")
			problem(t, a, http.StatusInternalServerError, "internal")
			if bytes.Contains(a.body, []byte("cheese")) {
				t.Errorf("%s: the answer tells: %s", name, a.body)
			}
			if line, values := st.log.next(t); values["level"] != "ERROR" || !strings.Contains(line, "failure_test.go") {
				t.Errorf("%s: no trace: %s", name, line)
			}
			if line, values := st.access.next(t); values["request_id"] != a.Header.Get("X-Request-Id") || !strings.Contains(line, "cheese") {
				t.Errorf("%s: logged %s", name, line)
			}
		}
		if a := ask(t, c, http.MethodGet, st.url, "/iiif/3/I/info.json"); a.err != nil || a.StatusCode != http.StatusOK {
			t.Errorf("%s: afterwards %v %v", name, a.err, a.Response)
		}
		st.access.next(t)
	}
}

// TestPanicInHeader shows the same for the reader of headers.
func TestPanicInHeader(t *testing.T) {
	st := open(t, setup{dir: cases(t), unseen: true, decoder: func(d render.Decoder) render.Decoder { return panicky{d} }})
	for range 10 { // More often than headers may be read at once.
		problem(t, st.get(t, "/iiif/3/I/info.json"), http.StatusInternalServerError, "internal")
	}
}

type panicky struct{ render.Decoder }

func (panicky) Shape(context.Context, source.Object) (plan.Shape, error) { panic("no shape") }

// TestFailures shows what each kind of failure becomes (R155).
func TestFailures(t *testing.T) {
	var failure error
	d := &fake{render: func(context.Context, source.Object, plan.Plan, io.Writer) error { return failure }}
	st := open(t, setup{dir: cases(t), decoder: d.around})
	for _, c := range []struct {
		failure error
		status  int
		code    string
	}{
		{plan.NewFailure(plan.Corrupt, "libpng: bad thing in /secret/file", nil), 500, "source_corrupt"},
		{plan.NewFailure(plan.Internal, "libpng: bad thing in /secret/file", nil), 500, "internal"},
		{plan.NewFailure(plan.Unsupported, "libpng: bad thing in /secret/file", nil), 501, "source_unsupported"},
		{plan.NewFailure(plan.TooLarge, "libpng: bad thing in /secret/file", nil), 400, "size_exceeds_format"},
		{plan.NewFailure(plan.Killed, "libpng: bad thing in /secret/file", nil), 503, "cancelled"},
		{plan.NewFailure(plan.Corrupt, "", source.ErrChanged), 503, "source_changed"},
		{source.ErrNotFound, 404, "not_found"},
		{errors.New("open /secret/file: no luck"), 500, "internal"},
	} {
		failure = c.failure
		a := st.get(t, "/iiif/3/I/full/100,/0/default.jpg")
		problem(t, a, c.status, c.code)
		if bytes.Contains(a.body, []byte("libpng")) || bytes.Contains(a.body, []byte("secret")) {
			t.Errorf("the answer tells: %s", a.body)
		}
		line, values := st.access.next(t)
		if values["code"] != c.code || (c.status >= 500 && !strings.Contains(line, failureText(c.failure))) {
			t.Errorf("logged %s", line)
		}
		if c.status == http.StatusServiceUnavailable && a.Header.Get("Retry-After") == "" {
			t.Errorf("%s: no Retry-After", c.code)
		}
	}
}

// failureText is what the log must hold of an error: the decoder's own words
// where there are some.
func failureText(err error) string {
	if f, ok := errors.AsType[*plan.Failure](err); ok {
		return f.Detail()
	}
	return err.Error()
}

// noise is what no codec has written, of n bytes.
func noise(n int) []byte {
	b := make([]byte, n)
	random := rand.NewChaCha8([32]byte{1})
	_, _ = random.Read(b)
	return b
}

// TestFailureAfterOutput shows that a decoder which fails, or panics, after
// it has written a part of the picture never gives an answer that looks
// whole, however much it had written (R157).
func TestFailureAfterOutput(t *testing.T) {
	var written int
	var panics bool
	d := &fake{render: func(_ context.Context, _ source.Object, _ plan.Plan, w io.Writer) error {
		if _, err := w.Write(noise(written)); err != nil {
			return err
		}
		if panics {
			panic("in the middle")
		}
		return plan.NewFailure(plan.Corrupt, "in the middle", nil)
	}}
	st := open(t, setup{dir: cases(t), decoder: d.around})
	for name, c := range clients(t) {
		for _, written = range []int{1, 1000, 64 << 10, 64<<10 + 1, 300 << 10, 9 << 20} {
			for _, panics = range []bool{false, true} {
				a := ask(t, c, http.MethodGet, st.url, "/iiif/3/I/full/100,/0/default.jpg")
				if a.err == nil && a.StatusCode < 500 {
					t.Errorf("%s: whole after %d bytes: %d, %d bytes", name, written, a.StatusCode, len(a.body))
				}
				if a.Response != nil && a.StatusCode == http.StatusOK && len(a.body) > written {
					t.Errorf("%s: more than the decoder wrote", name)
				}
			}
		}
	}
}

// failing is a source whose objects cannot be read to their end.
type failing struct {
	source.Source
	from int64
}

func (f failing) Open(ctx context.Context, id string) (source.Object, error) {
	obj, err := f.Source.Open(ctx, id)
	return failingObject{obj, f.from}, err
}

type failingObject struct {
	source.Object
	from int64
}

func (o failingObject) ReadAt(p []byte, off int64) (int, error) {
	if off+int64(len(p)) > o.from {
		return 0, errors.New("the disk is on fire")
	}
	return o.Object.ReadAt(p, off)
}

// TestFileFailure shows that an original which cannot be read to its end is
// cut off so that the client notices, in both versions of HTTP and in
// multipart ranges, and that the log tells why.
func TestFileFailure(t *testing.T) {
	dir := t.TempDir()
	content := noise(1 << 20)
	if err := os.WriteFile(filepath.Join(dir, "big.bin"), content, 0o600); err != nil {
		t.Fatal(err)
	}
	st := open(t, setup{dir: dir, source: func(d *source.Directory) source.Source { return failing{d, 900_000} }})
	for name, c := range clients(t) {
		for _, ranges := range []string{"", "bytes=1000-", "bytes=0-9,950000-"} {
			a := ask(t, c, http.MethodGet, st.url, "/iiif/3/big.bin/file", "Range: "+ranges)
			if a.err == nil {
				t.Errorf("%s %q: looks whole: %d, %d bytes", name, ranges, a.StatusCode, len(a.body))
			}
			if name == "HTTP/1.1" && !errors.Is(a.err, io.ErrUnexpectedEOF) && !errors.Is(a.err, io.EOF) {
				t.Errorf("%s %q: %v", name, ranges, a.err)
			}
			line, values := st.access.next(t)
			if values["reset"] != true || !strings.Contains(line, "on fire") {
				t.Errorf("%s %q: logged %s", name, ranges, line)
			}
		}
		if a := ask(t, c, http.MethodGet, st.url, "/iiif/3/big.bin/file", "Range: bytes=5-14"); a.err != nil || !bytes.Equal(a.body, content[5:15]) {
			t.Errorf("%s: what can be read: %v", name, a.err)
		}
		st.access.next(t)
	}
}
