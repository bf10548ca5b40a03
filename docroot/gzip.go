package docroot

import (
	"compress/gzip"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
)

const (
	// minGzip is a packet: below it compression saves no round trip.
	minGzip = 1400
	// maxGzip bounds the processor time one request can cost.
	maxGzip = 16 << 20
)

// worthGzip tells whether a body of that media type and size is compressed
// while it is sent.
func worthGzip(media string, size int64) bool {
	return size >= minGzip && size <= maxGzip && isText(media)
}

// acceptsGzip reads Accept-Encoding (RFC 9110, 12.5.3): gzip is taken if it,
// or else "*", is named with a quality above zero.
func acceptsGzip(h http.Header) bool {
	star := false
	for _, field := range h.Values("Accept-Encoding") {
		for part := range strings.SplitSeq(field, ",") {
			coding, params, _ := strings.Cut(part, ";")
			switch strings.ToLower(strings.TrimSpace(coding)) {
			case "gzip", "x-gzip":
				return positiveQuality(params)
			case "*":
				star = positiveQuality(params)
			}
		}
	}
	return star
}

func positiveQuality(params string) bool {
	name, text, ok := strings.Cut(strings.TrimSpace(params), "=")
	if !ok || !strings.EqualFold(strings.TrimSpace(name), "q") {
		return true
	}
	q, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	return err == nil && q > 0
}

// gzipPool keeps compressors, about 1 MB each, for the next answer.
type gzipPool struct{ pool sync.Pool }

func newGzipPool() *gzipPool {
	return &gzipPool{pool: sync.Pool{New: func() any { return gzip.NewWriter(io.Discard) }}}
}

func (p *gzipPool) get(w io.Writer) *gzip.Writer {
	z := p.pool.Get().(*gzip.Writer)
	z.Reset(w)
	return z
}

func (p *gzipPool) put(z *gzip.Writer) {
	z.Reset(io.Discard)
	p.pool.Put(z)
}

// gzipWriter compresses the body of a 200 answer and leaves all others, such
// as 304 and 412, as they are. finish must be called once.
type gzipWriter struct {
	http.ResponseWriter
	pool    *gzipPool
	z       *gzip.Writer
	started bool
	active  bool
	missing int64 // bytes of the promised body not yet written
}

// WriteHeader turns the head of a 200 into that of the compressed form.
func (g *gzipWriter) WriteHeader(status int) {
	g.started = true
	if status == http.StatusOK {
		g.active = true
		h := g.Header()
		g.missing, _ = strconv.ParseInt(h.Get("Content-Length"), 10, 64)
		h.Set("Content-Encoding", "gzip")
		h.Del("Content-Length")
		h.Del("Accept-Ranges")
	}
	g.ResponseWriter.WriteHeader(status)
}

// Write compresses p.
func (g *gzipWriter) Write(p []byte) (int, error) {
	if !g.started {
		g.WriteHeader(http.StatusOK)
	}
	if !g.active {
		return g.ResponseWriter.Write(p)
	}
	if g.z == nil {
		g.z = g.pool.get(g.ResponseWriter)
	}
	n, err := g.z.Write(p)
	g.missing -= int64(n)
	return n, err
}

// Unwrap lets http.ResponseController reach the connection.
func (g *gzipWriter) Unwrap() http.ResponseWriter { return g.ResponseWriter }

// finish writes the end of the compressed form. Where the file shrank while
// it was read it resets the connection instead: a proper end would make half
// a file look whole, since no length was sent.
func (g *gzipWriter) finish() {
	if g.z == nil {
		return
	}
	defer g.pool.put(g.z)
	if g.missing > 0 {
		panic(http.ErrAbortHandler)
	}
	// An error here means that the client has left.
	_ = g.z.Close()
}
