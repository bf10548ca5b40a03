package decode

// #cgo pkg-config: libjpeg libopenjp2
// #cgo LDFLAGS: -lm
// #cgo noescape iiifd_short_tile
// #cgo nocallback iiifd_short_tile
// #cgo noescape iiifd_short_tiles
// #cgo nocallback iiifd_short_tiles
// #cgo noescape iiifd_short_wavelet
// #cgo nocallback iiifd_short_wavelet
// #cgo nocallback iiifd_short_more
// #include "short.h"
import "C"

import (
	"context"
	"errors"
	"io"
	"runtime"
	"strconv"
	"unsafe"

	"github.com/maypok86/otter/v2"

	"example.com/iiifd/decode/header"
	"example.com/iiifd/decode/plan"
	"example.com/iiifd/source"
)

// errDeclined tells that libvips must carry the plan out after all; nothing
// has been written.
var errDeclined = errors.New("decode: not for the short way")

// indexBytes bounds the remembered places of tiles.
const indexBytes = 16 << 20

// shorts is what the short ways share: C states, of which no more work at
// once than there are cores, so that a burst of tiles is done one after the
// other instead of all of them late; and where files have their tiles.
type shorts struct {
	slots   chan struct{}
	idle    chan *C.IiifdShort
	indexes *otter.Cache[string, index]
}

// index is a *header.Tiles or a *header.TileParts.
type index interface{ Bytes() int64 }

func newShorts() *shorts {
	n := runtime.GOMAXPROCS(0)
	return &shorts{
		slots: make(chan struct{}, n),
		idle:  make(chan *C.IiifdShort, n),
		indexes: otter.Must(&otter.Options[string, index]{
			MaximumWeight: indexBytes,
			Weigher:       func(key string, i index) uint32 { return uint32(i.Bytes()) + uint32(len(key)) },
		}),
	}
}

// close frees the states that are not in use.
func (s *shorts) close() {
	for {
		select {
		case state := <-s.idle:
			C.iiifd_short_free(state)
		default:
			return
		}
	}
}

// get returns a state, which put takes back.
func (s *shorts) get() (*C.IiifdShort, error) {
	select {
	case state := <-s.idle:
		return state, nil
	default:
	}
	state := C.iiifd_short_new()
	if state == nil {
		return nil, newError(Internal, "out of memory", nil)
	}
	return state, nil
}

// keptBytes is the largest picture after which a state is kept, with its
// buffers.
const keptBytes = 4 << 20

// put keeps the state of a small picture for the next one.
func (s *shorts) put(state *C.IiifdShort, p *plan.Plan) {
	if p.Peak() <= keptBytes {
		select {
		case s.idle <- state:
			return
		default:
		}
	}
	C.iiifd_short_free(state)
}

// indexOf returns where obj's version has its tiles; read is called for the
// first request.
func indexOf[T index](s *shorts, obj source.Object, part string, read func() (T, error)) (T, error) {
	var none T
	key := obj.Info().Key
	if key != "" {
		if known, ok := s.indexes.GetIfPresent(key + part); ok {
			if t, ok := known.(T); ok {
				return t, nil
			}
		}
	}
	t, err := read()
	if err != nil {
		if errors.Is(err, header.ErrNoTiles) || errors.Is(err, header.ErrNoPage) {
			return none, errDeclined
		}
		if corrupt, ok := errors.AsType[*header.CorruptError](err); ok {
			return none, newError(Corrupt, corrupt.Error(), nil)
		}
		return none, newError(Corrupt, err.Error(), err)
	}
	// What was read of a file that is being replaced must not be remembered.
	if key != "" && obj.Verify() == nil {
		s.indexes.Set(key+part, t)
	}
	return t, nil
}

func (e *Engine) tiles(obj source.Object, p *plan.Plan) (*header.Tiles, error) {
	part := "|t" + strconv.Itoa(p.Page) + "." + strconv.Itoa(p.SubIFD)
	t, err := indexOf(e.short, obj, part, func() (*header.Tiles, error) {
		return header.ReadTiles(obj, obj.Info().Size, p.Page, p.SubIFD)
	})
	if err != nil {
		return nil, err
	}
	l := p.Shape.Levels[p.Level]
	if t.Width != l.TileWidth || t.Height != l.TileHeight || t.Bands != p.Shape.Bands ||
		t.Across != ceilDiv(l.Width, l.TileWidth) || t.Down != ceilDiv(l.Height, l.TileHeight) {
		return nil, errDeclined
	}
	return t, nil
}

func ceilDiv(a, b int) int { return (a + b - 1) / b }

// renderShort carries p out without libvips where p says so. The error is
// errDeclined where libvips must do it; then nothing has been written.
func (e *Engine) renderShort(ctx context.Context, obj source.Object, p *plan.Plan, w io.Writer) error {
	err := errDeclined
	if !e.allowed[p.Shape.Loader] {
		return err
	}
	way := p.Short
	switch way {
	case plan.ShortStored:
		if err = e.renderStored(obj, p, w); errors.Is(err, errDeclined) {
			way = plan.ShortTiles
			err = e.renderTiles(ctx, obj, p, w)
		}
	case plan.ShortTiles:
		err = e.renderTiles(ctx, obj, p, w)
	case plan.ShortJP2:
		err = e.renderWavelet(ctx, obj, p, w)
	case plan.ShortNone:
		return err
	}
	if errors.Is(err, errDeclined) {
		e.metrics.short.WithLabelValues(shortDeclined).Inc()
	} else {
		e.metrics.short.WithLabelValues(string(way)).Inc()
	}
	return err
}

// session is a picture on its way through a state.
type session struct {
	shorts  *shorts
	state   *C.IiifdShort
	w       io.Writer
	written bool
}

// step runs call, a piece of work in C, in a slot, until it needs more input.
// What it encoded is copied and the slot given back before it is written.
func (s *session) step(ctx context.Context, call func(again bool) C.int, last bool) error {
	for again := false; ; again = true {
		select {
		case s.shorts.slots <- struct{}{}:
		case <-ctx.Done():
			return newError(Killed, "", context.Cause(ctx))
		}
		code := call(again)
		var out *buffer
		if code == C.IIIFD_SHORT_MORE || code == C.IIIFD_SHORT_DONE && last {
			out = copied(unsafe.Slice((*byte)(s.state.out), int(s.state.out_length)))
			s.state.out_length = 0
		}
		<-s.shorts.slots
		if out != nil {
			err := s.write(out)
			if err != nil {
				return err
			}
		}
		if code != C.IIIFD_SHORT_MORE {
			return s.failure(code)
		}
	}
}

func (s *session) write(out *buffer) error {
	defer out.free()
	s.written = true
	if _, err := s.w.Write(out.b); err != nil {
		return newError(Internal, err.Error(), err)
	}
	return nil
}

// failure is the error for what C returned.
func (s *session) failure(code C.int) error {
	switch code {
	case C.IIIFD_SHORT_DONE:
		return nil
	case C.IIIFD_SHORT_FOREIGN:
		if !s.written {
			return errDeclined
		}
		return newError(Corrupt, "a tile unlike those before", nil)
	case C.IIIFD_SHORT_CORRUPT:
		return newError(Corrupt, C.GoString(&s.state.message[0]), nil)
	}
	return newError(Internal, "out of memory", nil)
}

// shortPicture translates p for C.
func shortPicture(p *plan.Plan) C.IiifdPicture {
	l := p.Shape.Levels[p.Level]
	c := C.IiifdPicture{
		width: C.int32_t(p.Crop.Width + p.PadX), height: C.int32_t(p.Crop.Height + p.PadY),
		pad_right: C.int32_t(p.PadX), pad_bottom: C.int32_t(p.PadY),
		out_width: C.int32_t(p.OutWidth), out_height: C.int32_t(p.OutHeight),
		bands: C.int32_t(p.Shape.Bands), quality: C.int32_t(p.Encoder.Quality),
		tile_width: C.int32_t(l.TileWidth), tile_height: C.int32_t(l.TileHeight),
		out_limit: plan.ShortOutput,
	}
	if p.Encoder.Subsampling == "4:4:4" {
		c.full_chroma = 1
	}
	return c
}

// readFull reads len(b) bytes at off; a file that ends before is an error.
func readFull(obj io.ReaderAt, b []byte, off int64) error {
	n, err := obj.ReadAt(b, off)
	if n == len(b) {
		return nil
	}
	if err == nil || errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF // the file is shorter than it was
	}
	return newError(Corrupt, err.Error(), err)
}
