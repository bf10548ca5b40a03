package admission

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

func TestLedgerIsBounded(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	_, limit := r.Ingest.InUse()
	var rejection *Rejection
	if _, err := r.Ingest.Reserve("a", limit+1); !errors.As(err, &rejection) || rejection.Code != CodeIngestExceedsBudget || rejection.RetryAfter != 0 {
		t.Errorf("%v", err)
	}
	h, err := r.Ingest.Reserve("a", limit)
	if err != nil {
		t.Fatal(err)
	}
	if err := h.Grow(1); !errors.As(err, &rejection) || rejection.Code != CodeIngestExceedsBudget {
		t.Errorf("%v", err)
	}
	if _, err := r.Ingest.Reserve("b", 1); !errors.As(err, &rejection) || rejection.Code != CodeQueueHeldBytes || rejection.RetryAfter == 0 {
		t.Errorf("%v", err)
	}
	if err := h.Grow(-1); err == nil {
		t.Error("grew by less than nothing")
	}
	h.Release()
	h.Release()
	if s := r.Snapshot(); s.ShedByCode[CodeQueueHeldBytes] != 1 || s.ShedByCode[CodeIngestExceedsBudget] != 3 {
		t.Errorf("%v", s.ShedByCode)
	}
	if h, err := r.Egress.Reserve("", 1<<60); err == nil {
		t.Error(h)
	}
	if s := r.Snapshot(); s.ShedTotal != 4 {
		t.Errorf("an answer that is spooled instead is no shed: %v", s.ShedByCode)
	}
	r.idle()
}

func TestLedgerKeepsAQuarterWhileOthersWant(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, nil)
		_, limit := r.Egress.InUse()
		greedy, err := r.Egress.Reserve("greedy", limit-10)
		if err != nil {
			t.Fatal("alone, a key may have it all")
		}
		if _, err := r.Egress.Reserve("other", 20); err == nil {
			t.Fatal("there were 10 left")
		}
		if err := greedy.Grow(1); err == nil {
			t.Error("greedy grows while another wants")
		}
		other, err := r.Egress.Reserve("other", 5)
		if err != nil {
			t.Fatal(err)
		}
		if err := greedy.Grow(1); err != nil {
			t.Error("nobody wants any more")
		}
		if _, err := r.Egress.Reserve("other", 20); err == nil {
			t.Fatal("there were 4 left")
		}
		time.Sleep(wantedFor)
		if err := greedy.Grow(1); err != nil {
			t.Error("a key that does not come back holds nobody up")
		}
		greedy.Release()
		other.Release()
		r.idle()
	})
}

func TestTakeAndGive(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	_, limit := r.Egress.InUse()
	if !r.Egress.Take("a", limit) || r.Egress.Take("a", 1) || r.Egress.Take("b", 1) {
		t.Error("take")
	}
	r.Egress.Give("a", limit)
	if !r.Egress.Take("b", 1) || r.Egress.Take("b", limit+1) {
		t.Error("take after give")
	}
	r.Egress.Give("b", 1)
	if s := r.Snapshot(); s.ShedTotal != 0 {
		t.Errorf("a caller that has another way was counted as shed: %v", s.ShedByCode)
	}
	r.idle()
}

func TestLedgerLeaksNothing(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	_, limit := r.Egress.InUse()
	var all sync.WaitGroup
	for i := range 16 {
		all.Go(func() {
			random := rand.New(rand.NewPCG(uint64(i), 23))
			for range 2000 {
				h := r.Egress.Hold(fmt.Sprint("k", random.IntN(4)))
				for range random.IntN(4) {
					_ = h.Grow(random.Int64N(limit / 8))
				}
				if used, _ := r.Egress.InUse(); used < h.Bytes() || used > limit {
					t.Errorf("%d used", used)
				}
				h.Release()
			}
		})
	}
	all.Wait()
	if len(r.Egress.byKey) != 0 {
		t.Errorf("keys are left: %v", r.Egress.byKey)
	}
	r.idle()
}
