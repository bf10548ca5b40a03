package render_test

import (
	"errors"
	"log/slog"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"example.com/iiifd/iiif"
	"example.com/iiifd/render"
)

func (r *rig) warmer() *render.Warmer {
	w := render.NewWarmer(r.Renderer, 1, slog.New(slog.DiscardHandler))
	r.t.Cleanup(w.Close)
	return w
}

// order is a warm order for images, with a size and some levels of tiles.
func order(levels int, ids ...string) render.WarmOrder {
	o := render.WarmOrder{Sizes: []iiif.Size{{Kind: iiif.SizeWidth, Width: 100}}, Levels: levels, Format: iiif.FormatJPG}
	for _, id := range ids {
		o.Subjects = append(o.Subjects, subject(id))
	}
	return o
}

func add(t *testing.T, w *render.Warmer, o render.WarmOrder) render.WarmState {
	t.Helper()
	s, err := w.Add(o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestWarm(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, nil)
		w := r.warmer()
		if s := add(t, w, order(2, "600x300", "512x512", "nothing")); s.ID != 1 || s.Images != 3 {
			t.Errorf("%+v", s)
		}
		synctest.Wait()
		want := []string{
			"full/100,50/0/default.jpg", "full/150,75/0/default.jpg", // levels of 4 and 2: the smallest first
			"0,0,512,300/256,150/0/default.jpg", "512,0,88,300/44,150/0/default.jpg",
			"full/100,100/0/default.jpg", "full/256,256/0/default.jpg",
			"0,0,256,256/max/0/default.jpg", "256,0,256,256/max/0/default.jpg", "0,256,256,256/max/0/default.jpg", "256,256,256,256/max/0/default.jpg",
		}
		if got := r.decoder.take(); !slices.Equal(got, want) {
			t.Errorf("made %q", got)
		}
		s := w.Status()
		if s.Waiting != 0 || s.Running != 0 || len(s.Orders) != 1 {
			t.Fatalf("%+v", s)
		}
		o := s.Orders[0]
		if o.Ended.IsZero() || o.ImagesDone != 3 || o.Made != len(want) || o.Known != 0 || o.Failed != 1 ||
			!slices.Equal(o.Failures, []render.WarmFailure{{Identifier: "nothing", Code: "not_found"}}) {
			t.Errorf("%+v", o)
		}
		if n := r.counted("warm", "admitted"); n != float64(len(want)) {
			t.Errorf("%v counted", n)
		}

		// Once more, with a size that no image of this server has.
		again := order(1, "600x300")
		again.Sizes = append(again.Sizes, iiif.Size{Kind: iiif.SizeWidth, Width: 100_000})
		add(t, w, again)
		synctest.Wait()
		if got := r.decoder.take(); got != nil {
			t.Errorf("made again: %q", got)
		}
		if o := w.Status().Orders[0]; o.ID != 2 || o.Known != 2 || o.Failed != 1 || o.Failures[0].Request != "full/100000,/0/default.jpg" {
			t.Errorf("%+v", o)
		}
	})
}

// TestWarmAsViewersAsk: what was warmed answers a viewer's requests in either
// version of the API.
func TestWarmAsViewersAsk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, nil)
		add(t, r.warmer(), order(9, "600x300"))
		synctest.Wait()
		made := len(r.decoder.take())
		for _, request := range []string{"0,0,256,256/256,256", "512,256,88,44/88,44", "0,0,512,300/256,150", "full/150,75", "full/100,"} {
			for _, v := range []iiif.Version{iiif.V2, iiif.V3} {
				params, err := iiif.ParseParams(request+"/0/default.jpg", v)
				if err != nil {
					t.Fatal(err)
				}
				job, err := r.Prepare(t.Context(), render.Request{Subject: subject("600x300"), Params: params})
				if err != nil {
					t.Fatal(err)
				}
				a, err := r.Open(t.Context(), job)
				if err != nil {
					t.Fatal(err)
				}
				if a.Outcome != render.OutcomeMemory {
					t.Errorf("%s in version %d: %s", request, v, a.Outcome)
				}
				if err := a.Close(); err != nil {
					t.Error(err)
				}
			}
		}
		if made != 1+1+2+6 {
			t.Errorf("made %d", made)
		}
	})
}

// TestWarmStandsBack: without room it comes back later, a few times, and
// skips what stays without; a queue never sees it.
func TestWarmStandsBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, nil)
		w := r.warmer()
		release := r.hold(3)
		add(t, w, order(0, "600x300"))
		began := time.Now()
		synctest.Wait()
		if n := r.admission.Snapshot().Queue.TileWaiting; n != 0 {
			t.Errorf("%d tiles wait", n)
		}
		time.Sleep(10 * time.Second)
		synctest.Wait()
		o := w.Status().Orders[0]
		if o.Skipped != 1 || o.Made != 0 || o.Failed != 0 || o.Ended.Sub(began) != 3*time.Second {
			t.Errorf("%+v after %v", o, o.Ended.Sub(began))
		}
		if n := r.counted("warm", "skipped"); n != 4 {
			t.Errorf("%v counted", n)
		}

		add(t, w, order(0, "512x512"))
		synctest.Wait()
		release()
		time.Sleep(time.Second)
		synctest.Wait()
		if o := w.Status().Orders[0]; o.Made != 1 || o.Skipped != 0 {
			t.Errorf("%+v", o)
		}

		r.press(0.88)
		add(t, w, order(0, "700x700"))
		time.Sleep(10 * time.Second)
		synctest.Wait()
		if o := w.Status().Orders[0]; o.Made != 0 || o.Skipped != 1 {
			t.Errorf("under pressure: %+v", o)
		}
	})
}

// TestWarmNever: what no waiting can help is a failure with its code, found
// before anything waits.
func TestWarmNever(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, nil)
		w := r.warmer()
		o := order(0, "60000x60000")
		o.Sizes, o.Format = []iiif.Size{{Kind: iiif.SizeMax}}, iiif.FormatPNG
		add(t, w, o)
		synctest.Wait()
		if o := w.Status().Orders[0]; o.Failed != 1 || o.Failures[0].Code != "request_exceeds_time" && o.Failures[0].Code != "request_exceeds_budget" {
			t.Errorf("%+v", o)
		}
		if n := r.counted("warm", "error"); n != 1 {
			t.Errorf("%v counted", n)
		}
	})
}

// TestWarmBounds: an order is taken whole or not at all, what waits can be
// dropped, and the end does not wait for it.
func TestWarmBounds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, nil)
		w := render.NewWarmer(r.Renderer, 1, slog.New(slog.DiscardHandler))
		r.decoder.gate = make(chan struct{})
		add(t, w, order(0, "600x300"))
		synctest.Wait()
		many := make([]string, w.Status().WaitingLimit)
		for i := range many {
			many[i] = "512x512"
		}
		add(t, w, order(0, many...))
		if _, err := w.Add(order(0, "512x512")); !errors.Is(err, render.ErrWarmFull) {
			t.Errorf("above the bound: %v", err)
		}
		if s := w.Status(); s.Waiting != len(many) || s.Running != 1 || len(s.Orders) != 2 {
			t.Errorf("%+v", s)
		}
		if n := w.Forget(); n != len(many) {
			t.Errorf("dropped %d", n)
		}
		if s := w.Status(); s.Waiting != 0 || s.Orders[0].Ended.IsZero() || !s.Orders[1].Ended.IsZero() {
			t.Errorf("%+v", s)
		}
		add(t, w, order(0, "700x700"))
		w.Close()
		if got := r.decoder.take(); len(got) != 1 {
			t.Errorf("made %q", got)
		}
	})
}

// TestWarmForgetsOldOrders: the status stays short.
func TestWarmForgetsOldOrders(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, nil)
		w := r.warmer()
		for range 50 {
			add(t, w, order(0, "600x300"))
		}
		add(t, w, order(0))
		synctest.Wait()
		s := w.Status()
		if len(s.Orders) != 20 || s.Orders[0].ID != 51 || s.Orders[0].Ended.IsZero() || s.Orders[19].ID != 32 {
			t.Errorf("%d orders, %+v", len(s.Orders), s.Orders[0])
		}
	})
}
