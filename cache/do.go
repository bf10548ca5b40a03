package cache

import (
	"context"
	"errors"
)

// Fill makes one answer: it writes the bytes to w and returns nil when they
// are all written. Its context has the values of the caller that started it
// but not that caller's end: it ends when nobody waits for the answer any
// more. An error with a method NotShared() bool that returns true is the
// caller's own, such as a refusal under the caller's quota; any other is
// everybody's who waits. No error is cached.
type Fill func(ctx context.Context, w *Writer) error

// Options say how a caller of Do takes part.
type Options struct {
	// Nested is set by who already holds a lease, such as a script that asks
	// for an image. A nested call joins only a fill that called Admitted:
	// any other might wait for what the caller holds. Its own fill runs
	// under the caller's context, values and end, is joined by nobody, and
	// has returned when Do fails or the Reader is closed: a lease that the
	// context lends is not used beyond.
	Nested bool
	// Ledger books the memory of a fill that this call starts; nil for the
	// cache's.
	Ledger Ledger
}

// Outcome says where an answer came from.
type Outcome int

// The outcomes. Memory and Disk are hits.
const (
	Filled Outcome = iota
	Joined
	Memory
	Disk
)

func (o Outcome) String() string {
	switch o {
	case Filled:
		return "filled"
	case Joined:
		return "joined"
	case Memory:
		return tierMemory
	default:
		return tierDisk
	}
}

// Do returns the answer of that key: a cached one, that of a fill in flight,
// or that of fill, which then runs in a goroutine of its own. It waits until
// the answer is whole or, where it is large, begins. ctx bounds that wait and
// not the reading. The Reader must be closed.
//
// Whoever joined a fill that ends with an error of its leader's own tries
// again with its own fill. A fill that panics gives a *PanicError.
func (c *Cache) Do(ctx context.Context, key Key, opt Options, fill Fill) (*Reader, Outcome, error) {
	i := key.id()
	// choosy callers join only fills that hold a lease: nested ones, and
	// those whose leader was refused and who now queue for themselves.
	choosy := opt.Nested
	// insists: an entry was announced and could not be read. Looking for it
	// again would go on for as long as the fault does.
	insists := false
	for first := true; ; first = false {
		if err := context.Cause(ctx); err != nil {
			return nil, Filled, err
		}
		if r, tier := c.lookup(key, i); r != nil {
			return r, tier, nil
		}
		if first {
			c.m.misses.Inc()
		}
		f := &flight{c: c, key: key, id: i, nested: opt.Nested, insists: insists}
		f, r, outcome, err := c.enter(ctx, f, choosy, opt.Ledger, fill)
		if errors.Is(err, errAppeared) {
			insists = true
			continue
		}
		if err != nil {
			return nil, Filled, err
		}
		err = f.wait(ctx, r)
		switch {
		case err == nil:
			if outcome == Joined {
				c.m.joined.Inc()
			}
			return r, outcome, nil
		case errors.Is(err, errSuperseded), outcome == Joined && notShared(err):
			choosy, insists = true, insists || outcome == Filled
		default:
			return nil, outcome, err
		}
	}
}

// enter joins a flight or starts own. It returns errAppeared where there is
// an entry since the lookup, unless own insists.
func (c *Cache) enter(ctx context.Context, own *flight, choosy bool, ledger Ledger, fill Fill) (*flight, *Reader, Outcome, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil, nil, Filled, ErrClosed
	}
	if f := c.flights[own.id]; f != nil && (f.admitted || !choosy) {
		r := &Reader{content: joined{f}}
		if f.stream.attach(r) {
			return f, r, Joined, nil
		}
	}
	if !own.insists && c.has(own.id) {
		return nil, nil, Filled, errAppeared
	}
	if ledger == nil {
		ledger = c.ledger
	}
	return own, c.startLocked(ctx, own, ledger, fill), Filled, nil
}

// wait returns when the answer can be read. On error the reader has left.
func (f *flight) wait(ctx context.Context, r *Reader) error {
	var err error
	select {
	case <-f.published:
		err = f.err
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	if err != nil {
		r.Close()
		return err
	}
	r.note = f.note
	return nil
}
