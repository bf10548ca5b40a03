package server_test

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"example.com/iiifd/decode/plan"
	"example.com/iiifd/render"
	"example.com/iiifd/source"
)

// stages holds requests up at one stage of their life until their client has
// left.
type stages struct {
	render.Decoder
	source.Source
	at      atomic.Pointer[string]
	reached chan struct{}
}

// hold waits at a stage for the end of ctx, if that stage is chosen.
func (s *stages) hold(ctx context.Context, stage string) error {
	if *s.at.Load() != stage {
		return nil
	}
	s.reached <- struct{}{}
	<-ctx.Done()
	return context.Cause(ctx)
}

func (s *stages) choose(stage string) { s.at.Store(&stage) }

// Stat implements source.Source.
func (s *stages) Stat(ctx context.Context, id string) (source.Info, error) {
	if err := s.hold(ctx, "stat"); err != nil {
		return source.Info{}, err
	}
	return s.Source.Stat(ctx, id)
}

// Open implements source.Source.
func (s *stages) Open(ctx context.Context, id string) (source.Object, error) {
	if err := s.hold(ctx, "open"); err != nil {
		return nil, err
	}
	return s.Source.Open(ctx, id)
}

// Shape implements render.Decoder.
func (s *stages) Shape(ctx context.Context, obj source.Object) (plan.Shape, error) {
	if err := s.hold(ctx, "header"); err != nil {
		return plan.Shape{}, err
	}
	return s.Decoder.Shape(ctx, obj)
}

// Render implements render.Decoder: ten pieces of a megabyte.
func (s *stages) Render(ctx context.Context, _ source.Object, _ plan.Plan, w io.Writer) error {
	piece := noise(1 << 20)
	for i := range 10 {
		if err := s.hold(ctx, fmt.Sprint("decode ", i)); err != nil {
			return plan.NewFailure(plan.Killed, "", err)
		}
		if _, err := w.Write(piece); err != nil {
			return err
		}
	}
	return nil
}

// TestDrillAbort: clients leave at every stage, in both versions of HTTP;
// nothing stays behind.
func TestDrillAbort(t *testing.T) {
	s := &stages{reached: make(chan struct{}, 64)}
	s.choose("none")
	st := open(t, setup{
		dir: cases(t), unseen: true, set: map[string]string{"nthreads": "4", "shape-cache-bytes": "0"},
		decoder: func(d render.Decoder) render.Decoder { s.Decoder = d; return s },
		source:  func(d *source.Directory) source.Source { s.Source = d; return s },
	})
	n := 0
	for _, stage := range []string{"stat", "open", "header", "decode 0", "decode 3", "decode 7"} {
		s.choose(stage)
		for name, c := range clients(t) {
			ctx, cancel := context.WithCancel(t.Context())
			var gone []chan answer
			for range 8 {
				n++
				path, done := part(n), make(chan answer, 1)
				gone = append(gone, done)
				go func() { done <- askContext(ctx, t, c, http.MethodGet, st.url, path) }()
			}
			// Four can be there: the others wait before it, for a probe or a
			// permit, and leave from there.
			for range 4 {
				receive(t, stage, s.reached)
			}
			cancel()
			for _, done := range gone {
				if a := receive(t, "the client", done); a.err == nil {
					t.Errorf("%s, %s: answered: %v", name, stage, a.Response)
				}
			}
			st.idle(t)
			for len(s.reached) > 0 {
				<-s.reached
			}
		}
	}
	s.choose("none")
	if a := st.get(t, part(0)); a.StatusCode != http.StatusOK || len(a.body) != 10<<20 {
		t.Errorf("afterwards: %d, %d bytes", a.StatusCode, len(a.body))
	}
	st.idle(t)
}

// TestDrillAbortAtRandom: clients leave whenever they like, some of them
// after others have joined their decode; who stays is served.
func TestDrillAbortAtRandom(t *testing.T) {
	s := &stages{reached: make(chan struct{}, 64)}
	s.choose("none")
	st := open(t, setup{
		dir: cases(t), unseen: true, set: map[string]string{"nthreads": "4"},
		decoder: func(d render.Decoder) render.Decoder { s.Decoder = d; return s },
	})
	random := rand.New(rand.NewPCG(4, 4))
	var wg sync.WaitGroup
	for _, c := range clients(t) {
		for i := range 150 {
			path, patience := part(1000+random.IntN(40)), time.Duration(random.IntN(200))*time.Millisecond
			wg.Go(func() {
				ctx, cancel := context.WithTimeout(t.Context(), patience)
				defer cancel()
				if i%10 == 0 {
					ctx = t.Context()
				}
				a := askContext(ctx, t, c, http.MethodGet, st.url, path)
				if i%10 == 0 && (a.err != nil || a.StatusCode == http.StatusOK && len(a.body) != 10<<20) {
					t.Errorf("who stayed: %v %v, %d bytes", a.err, a.Response, len(a.body))
				}
			})
		}
	}
	wg.Wait()
	st.idle(t)
}

// TestDrillJoinedLeader: the leader's leaving does not fail those who joined
// its decode, and theirs does not end it.
func TestDrillJoinedLeader(t *testing.T) {
	st, g, _ := drill(t, setup{})
	g.close()
	first, second := from(t, "127.0.0.2"), from(t, "127.0.0.3")
	ctx, leave := context.WithCancel(t.Context())
	leader := make(chan answer, 1)
	go func() { leader <- askContext(ctx, t, first, http.MethodGet, st.url, part(0)) }()
	receive(t, "the decode", g.begun)
	follower := st.later(t, second, part(0))
	await(t, "the follower", func() bool { return st.gauge("iiifd_http_requests_in_flight") == 2 })
	leave()
	if a := receive(t, "the leader", leader); a.err == nil {
		t.Errorf("answered: %v", a.Response)
	}
	await(t, "the leader's end", func() bool { return st.gauge("iiifd_http_requests_in_flight") == 1 })
	g.open()
	answered(t, []later{follower})
	if len(g.begun) > 0 {
		t.Error("a second decode began")
	}
	st.idle(t)
}
