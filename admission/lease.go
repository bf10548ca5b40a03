package admission

import (
	"context"
	"errors"
	"time"
)

// ErrCancelled is the cause of a lease's context that an operator cancelled.
var ErrCancelled = errors.New("admission: cancelled by the operator")

// Lease is the right to run: a permit and bytes, taken in one step. It ends
// with Release, which must be called once the work has really stopped; a
// second call does nothing.
type Lease struct {
	c      *Controller
	parent *Lease // of a nested lease, which holds bytes of its parent alone
	ask    Ask
	charge Charge
	ticket ticket
	quota  *quota

	// done is closed when a parked ask is settled; refused is its error.
	done     chan struct{}
	refused  *Rejection
	timer    *time.Timer
	deadline time.Duration
	cut      bool   // the wait was cut by pressure
	side     bool   // speculative: no request of a client waits for it
	shade    *shade // what becomes of it in advanced mode, in basic mode

	// Of the list of running leases.
	prev, next *Lease
	id         uint64
	started    time.Time
	ctx        context.Context //nolint:containedctx // Release asks it why the work ended
	cancel     context.CancelCauseFunc
	recorded   bool
	// accompanied tells that other work has run at the same time.
	accompanied bool
}

type leaseKey struct{}

// FromContext returns the lease that the context runs under, nil if none.
// Work that finds one is nested: it must not wait for another permit.
func FromContext(ctx context.Context) *Lease {
	l, _ := ctx.Value(leaseKey{}).(*Lease)
	return l
}

// Context returns a context that runs under the lease: FromContext finds it,
// and it ends when an operator cancels the lease or the lease is released.
func (l *Lease) Context(ctx context.Context) context.Context {
	ctx, cancel := context.WithCancelCause(context.WithValue(ctx, leaseKey{}, l))
	l.c.mu.Lock()
	defer l.c.mu.Unlock()
	if l.ticket.state != ticketRunning {
		cancel(context.Canceled)
		return ctx
	}
	if l.ctx == nil {
		l.ctx, l.cancel = ctx, cancel
		return ctx
	}
	first := l.ctx
	context.AfterFunc(first, func() { cancel(context.Cause(first)) })
	return ctx
}

// Charge tells what the lease was granted on.
func (l *Lease) Charge() Charge {
	l.c.mu.Lock()
	defer l.c.mu.Unlock()
	charge := l.charge
	charge.Bytes = l.ticket.bytes
	return charge
}

// Alone tells that no other work has run since this lease was granted: what
// the process' memory does meanwhile is its work's.
func (l *Lease) Alone() bool {
	l.c.mu.Lock()
	defer l.c.mu.Unlock()
	return l.parent == nil && !l.accompanied
}

// Record tells what the work turned out to be. The time since the grant
// counts as the decode's; call it when the pixels are encoded, before
// Release. Only the first call counts.
func (l *Lease) Record(r Result) {
	c := l.c
	if l.parent != nil || !r.OK {
		return
	}
	now := c.facts.Since()
	c.mu.Lock()
	defer c.mu.Unlock()
	if l.recorded || l.ticket.state != ticketRunning {
		return
	}
	l.recorded = true
	if r.Peak > 0 && l.ask.Peak > 0 && !l.accompanied {
		c.metrics.estimateError.Observe(float64(r.Peak) / float64(l.ask.Peak))
	}
	if l.side {
		return
	}
	took := now - l.ticket.granted
	c.metrics.decode[l.charge.Lane].Observe(took.Seconds())
	c.adaptive.observe(took, l.ask.Seconds, l.ask.Peak)
	if l.charge.Lane == LaneFull {
		c.served.add(took)
	}
}

// Release gives back the permit and the bytes. It must not be called before
// the work has stopped, whatever became of its client: memory that is still
// in use stays charged.
func (l *Lease) Release() {
	now := l.c.facts.Since()
	l.c.mu.Lock()
	defer l.c.mu.Unlock()
	if l.parent != nil {
		l.releaseNestedLocked(now)
		return
	}
	l.c.releaseLocked(l, now)
}

func (c *Controller) releaseLocked(l *Lease, now time.Duration) {
	if l.ticket.state != ticketRunning {
		return
	}
	if l.ctx != nil {
		if by := cancelledBy(l.ctx); by != "" {
			c.metrics.cancelled.WithLabelValues(by).Inc()
		}
		l.cancel(nil)
	}
	c.running.remove(l)
	c.service[l.charge.Lane].add(now - l.ticket.granted)
	c.quotas.finished(l.quota)
	if l.shade != nil {
		l.shade.finished(now)
	}
	c.adaptive.permits(now, c.sched.use.permits()-1)
	c.sched.finish(&l.ticket, now)
	c.idleLocked()
}

// cancelledBy names who ended the work's context, "" if nobody did.
func cancelledBy(ctx context.Context) string {
	cause := context.Cause(ctx)
	switch {
	case cause == nil:
		return ""
	case errors.Is(cause, ErrCancelled):
		return "operator"
	case errors.Is(cause, context.DeadlineExceeded):
		return "timeout"
	default:
		return "client"
	}
}

// leaseList is the running leases, oldest first.
type leaseList struct {
	oldest, newest *Lease
	count          int
}

func (r *leaseList) add(l *Lease) {
	l.accompanied = r.count > 0
	if r.count == 1 {
		r.oldest.accompanied = true // Among several, all are already.
	}
	l.prev, l.next = r.newest, nil
	if r.newest != nil {
		r.newest.next = l
	} else {
		r.oldest = l
	}
	r.newest = l
	r.count++
}

func (r *leaseList) remove(l *Lease) {
	if l.prev != nil {
		l.prev.next = l.next
	} else {
		r.oldest = l.next
	}
	if l.next != nil {
		l.next.prev = l.prev
	} else {
		r.newest = l.prev
	}
	l.prev, l.next = nil, nil
	r.count--
}
