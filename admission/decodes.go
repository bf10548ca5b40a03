package admission

import (
	"crypto/rand"
	"encoding/binary"
	"strconv"
	"time"
)

// Decode is one running piece of work, for operators.
type Decode struct {
	// ID names it for Cancel. It tells nothing and cannot be guessed.
	ID         string    `json:"id"`
	Started    time.Time `json:"started"`
	AgeSeconds float64   `json:"age_seconds"`
	Lane       Lane      `json:"lane"`
	Bytes      int64     `json:"estimate_bytes"`
	Key        string    `json:"key"`
	Label      string    `json:"label,omitempty"`
	// Cancelled tells that it was cancelled and has not stopped yet.
	Cancelled bool `json:"cancelled,omitempty"`
}

func newSecret() uint64 {
	var raw [8]byte
	_, _ = rand.Read(raw[:]) // never fails (crypto/rand)
	return binary.LittleEndian.Uint64(raw[:])
}

// opaque hides the running number behind a bijection (the finalizer of
// MurmurHash3) and the process's secret.
func (c *Controller) opaque(id uint64) string {
	x := id ^ c.secret
	x = (x ^ x>>33) * 0xff51afd7ed558ccd
	x = (x ^ x>>33) * 0xc4ceb9fe1a85ec53
	return strconv.FormatUint(x^x>>33^c.secret, 16)
}

// Decodes lists what runs, oldest first.
func (c *Controller) Decodes() []Decode {
	now := c.facts.Since()
	c.mu.Lock()
	defer c.mu.Unlock()
	out := make([]Decode, 0, c.running.count)
	for l := c.running.oldest; l != nil; l = l.next {
		out = append(out, Decode{
			ID: c.opaque(l.id), Started: l.started, AgeSeconds: (now - l.ticket.granted).Seconds(),
			Lane: l.charge.Lane, Bytes: l.ticket.bytes, Key: l.ask.Key, Label: l.ask.Label,
			Cancelled: l.ctx != nil && l.ctx.Err() != nil,
		})
	}
	return out
}

// Cancel ends the context of a running piece of work and reports whether
// there is one of that id. Its permit and bytes come back when the work has
// really stopped and released its lease.
func (c *Controller) Cancel(id string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for l := c.running.oldest; l != nil; l = l.next {
		if c.opaque(l.id) == id {
			if l.cancel == nil {
				return false
			}
			l.cancel(ErrCancelled)
			return true
		}
	}
	return false
}

// Decisions returns the last decisions, newest first.
func (c *Controller) Decisions() []Decision {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.ring.last()
}
