package render_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"

	"example.com/iiifd/admission"
	"example.com/iiifd/auth"
	"example.com/iiifd/iiif"
	"example.com/iiifd/render"
)

// prefetcher starts a prefetcher that ends with the test.
func (r *rig) prefetcher() *render.Prefetcher {
	p := render.NewPrefetcher(r.Renderer, 1)
	r.t.Cleanup(p.Close)
	return p
}

func TestPrefetchMakesNeighbours(t *testing.T) {
	const inner = "4096x4096/256,512,256,256/256,256/0/default.jpg"
	right, below, left, above := "512,512,256,256/max/0/default.jpg", "256,768,256,256/max/0/default.jpg",
		"0,512,256,256/max/0/default.jpg", "256,256,256,256/max/0/default.jpg"
	for name, c := range map[string]struct {
		set    map[string]string
		served string
		want   []string
	}{
		"inside":          {nil, inner, []string{right, below, left, above}},
		"at most two":     {map[string]string{"prefetch-max": "2"}, inner, []string{right, below}},
		"off":             {map[string]string{"prefetch": "off"}, inner, nil},
		"corner":          {nil, "4096x4096/3840,3840,256,256/256,256/0/default.jpg", []string{"3584,3840,256,256/max/0/default.jpg", "3840,3584,256,256/max/0/default.jpg"}},
		"narrow edge":     {nil, "600x300/256,0,256,256/256,256/0/default.jpg", []string{"512,0,88,256/max/0/default.jpg", "256,256,256,44/max/0/default.jpg", "0,0,256,256/max/0/default.jpg"}},
		"another level":   {nil, "1024x1024/512,512,512,512/256,256/90/gray.png", []string{"0,512,512,512/256,256/90/gray.png", "512,0,512,512/256,256/90/gray.png"}},
		"the whole image": {nil, "1024x1024/full/256,256/0/default.jpg", nil},
		"no tile":         {nil, "4096x4096/10,10,256,256/256,256/0/default.jpg", nil},
		"a tile, smaller": {nil, "4096x4096/256,512,256,256/128,128/0/default.jpg", nil},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, c.set)
				p := r.prefetcher()
				p.Served(r.job(c.served))
				synctest.Wait()
				if got := r.decoder.take(); !slices.Equal(got, c.want) {
					t.Errorf("made %q, want %q", got, c.want)
				}
				p.Served(r.job(c.served))
				synctest.Wait()
				if got := r.decoder.take(); got != nil {
					t.Errorf("made again: %q", got)
				}
				if n := r.counted("prefetch", "admitted"); n != float64(len(c.want)) {
					t.Errorf("%v counted", n)
				}
			})
		})
	}
}

// TestPrefetchKeepsRestrictions: what is made beside a restricted tile is as
// restricted.
func TestPrefetchKeepsRestrictions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, nil)
		size, err := auth.ParseSize("!1200,1200")
		if err != nil {
			t.Fatal(err)
		}
		params, err := iiif.ParseParams("0,0,512,512/512,512/0/default.jpg", iiif.V3)
		if err != nil {
			t.Fatal(err)
		}
		job, err := r.Prepare(t.Context(), render.Request{Subject: subject("4096x4096"), Params: params, Policy: "p", Restriction: render.Restriction{Size: size}})
		if err != nil {
			t.Fatal(err)
		}
		r.prefetcher().Served(job)
		synctest.Wait()
		made := r.decoder.take()
		if want := []string{"512,0,512,512/max/0/default.jpg", "0,512,512,512/max/0/default.jpg"}; !slices.Equal(made, want) {
			t.Errorf("made %q, want %q", made, want)
		}
		for _, v := range r.decoder.views {
			if v != (iiif.Dimensions{Width: 1200, Height: 1200}) {
				t.Errorf("shown as %v", v)
			}
		}
	})
}

// TestPrefetchPrice: each neighbour is priced by itself, under its parent's
// key, and teaches nothing about waits.
func TestPrefetchPrice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, nil)
		r.prefetcher().Served(r.job("600x300/256,0,256,256/256,256/0/default.jpg"))
		synctest.Wait()
		made := r.decoder.take()
		decisions := r.admission.Decisions()
		if len(made) != 3 || len(decisions) != 3 {
			t.Fatalf("%q %+v", made, decisions)
		}
		slices.Reverse(decisions)
		prices := map[int64]bool{}
		for i, d := range decisions {
			want := r.job("600x300/" + made[i]).Plan.Peak()
			if d.Label != made[i] || d.Bytes != want || d.Key != "k_viewer" || d.WaitSeconds != 0 {
				t.Errorf("%+v, want %s for %d", d, made[i], want)
			}
			prices[d.Bytes] = true
		}
		if len(prices) < 2 {
			t.Error("tiles of different size cost the same: the test shows nothing")
		}
		families, err := r.registry.Gather()
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range families {
			switch f.GetName() {
			case "iiifd_admission_wait_seconds", "iiifd_decode_seconds":
				for _, m := range f.GetMetric() {
					if m.GetHistogram().GetSampleCount() != 0 {
						t.Errorf("%s has samples", f.GetName())
					}
				}
			}
		}
	})
}

// TestPrefetchStandsBack: it is skipped, and never waits, where a client
// could want what it takes.
func TestPrefetchStandsBack(t *testing.T) {
	const served = "4096x4096/256,512,256,256/256,256/0/default.jpg"
	for name, trouble := range map[string]func(r *rig) (undo func()){
		"one free permit": func(r *rig) func() { return r.hold(3) },
		"no free permit":  func(r *rig) func() { return r.hold(4) },
		"high pressure":   func(r *rig) func() { r.press(0.88); return func() {} },
		"critical":        func(r *rig) func() { r.press(0.95); return func() {} },
		"draining":        func(r *rig) func() { r.admission.Drain(); return func() {} },
		"a tile waits": func(r *rig) func() {
			// Waits for bytes: permits are free.
			big := r.admission.Books().TileReserve
			first, err := r.admission.Acquire(r.t.Context(), admission.Ask{URL: admission.LaneTile, Peak: min(big, 31<<20)})
			if err != nil {
				r.t.Fatal(err)
			}
			ctx, cancel := context.WithCancel(r.t.Context())
			release := r.hold(3)
			waits := make(chan error)
			go func() {
				_, err := r.admission.Acquire(ctx, admission.Ask{URL: admission.LaneTile, Peak: 1 << 20})
				waits <- err
			}()
			synctest.Wait()
			return func() {
				cancel()
				<-waits
				first.Release()
				release()
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, nil)
				p := r.prefetcher()
				job := r.job(served)
				undo := trouble(r)
				waiting := r.admission.Snapshot().Queue.TileWaiting
				p.Served(job)
				synctest.Wait()
				if got := r.decoder.take(); got != nil {
					t.Errorf("made %q", got)
				}
				if n := r.admission.Snapshot().Queue.TileWaiting; n != waiting {
					t.Errorf("%d tiles wait, and %d before", n, waiting)
				}
				if n := r.counted("prefetch", "skipped"); n != 4 {
					t.Errorf("%v counted", n)
				}
				undo()
			})
		})
	}
}

// TestPrefetchNeverQueues: however many permits clients hold, the work takes
// at most one, leaves one, and nothing of it ever waits.
func TestPrefetchNeverQueues(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, nil)
		p := r.prefetcher()
		for held := range 5 {
			gate := make(chan struct{})
			r.decoder.gate = gate
			release := r.hold(held)
			p.Served(r.job(fmt.Sprintf("4096x4096/512,%d,256,256/256,256/0/default.jpg", 768*held)))
			synctest.Wait()
			s := r.admission.Snapshot()
			if want := map[bool]int{true: held + 1, false: held}[held < 3]; s.Queue.TileWaiting != 0 || s.Threads.InUse != want {
				t.Errorf("with %d held: %+v %+v", held, s.Queue, s.Threads)
			}
			release()
			close(gate)
			synctest.Wait()
		}
	})
}

// TestPrefetchLeavesHeavyWorkAlone: a neighbour that is priced as a full is
// nobody's guess to pay for.
func TestPrefetchLeavesHeavyWorkAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, map[string]string{"large-decode-threshold-bytes": "64Ki"})
		r.prefetcher().Served(r.job("4096x4096/256,512,256,256/256,256/0/default.jpg"))
		synctest.Wait()
		if got := r.decoder.take(); got != nil || r.counted("prefetch", "skipped") != 4 {
			t.Errorf("made %q", got)
		}
	})
}

// TestPrefetchNeverHoldsUp: what is served faster than neighbours are made is
// dropped.
func TestPrefetchNeverHoldsUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, nil)
		p := r.prefetcher()
		r.decoder.gate = make(chan struct{})
		served := r.job("4096x4096/256,512,256,256/256,256/0/default.jpg")
		p.Served(served)
		synctest.Wait()
		for range 1000 {
			p.Served(served)
		}
		if n := r.counted("prefetch", "skipped"); n < 900 {
			t.Errorf("%v were dropped", n)
		}
		close(r.decoder.gate)
		synctest.Wait()
		var none *render.Prefetcher
		none.Served(served)
		none.Close()
	})
}
