package cache

import (
	"context"
	"io"
)

// Prefill makes an answer that nobody has asked for yet, and waits until it
// is whole. It does nothing, and returns false, where there is such an
// answer, where one is being made, and where nothing could keep it. Who asks
// for the answer meanwhile joins the fill, and makes a fill of its own where
// this one ends with an error that is NotShared.
func (c *Cache) Prefill(ctx context.Context, key Key, ledger Ledger, fill Fill) (made bool, err error) {
	if err := context.Cause(ctx); err != nil {
		return false, err
	}
	if !c.keeps() {
		return false, nil
	}
	f := &flight{c: c, key: key, id: key.id()}
	r, err := c.enterAlone(ctx, f, ledger, fill)
	if r == nil {
		return false, err
	}
	if err := f.wait(ctx, r); err != nil {
		return false, err
	}
	stop := context.AfterFunc(ctx, func() { r.Close() })
	defer stop()
	defer r.Close()
	// A growing answer ends with its last reader, so this one stays.
	if _, err := r.WriteTo(io.Discard); err != nil {
		return false, err
	}
	return true, nil
}

// enterAlone starts a flight where there is neither another one nor an
// entry; else the Reader is nil.
func (c *Cache) enterAlone(ctx context.Context, f *flight, ledger Ledger, fill Fill) (*Reader, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil, ErrClosed
	}
	if c.flights[f.id] != nil || c.has(f.id) {
		return nil, nil //nolint:nilnil // Nothing to do is no error.
	}
	if ledger == nil {
		ledger = c.ledger
	}
	return c.startLocked(ctx, f, ledger, fill), nil
}

// keeps tells whether an answer could become an entry in any tier.
func (c *Cache) keeps() bool {
	if _, _, limit := c.memory.stat(); limit > 0 {
		return true
	}
	state, _ := c.disk.current()
	return state == diskOn
}
