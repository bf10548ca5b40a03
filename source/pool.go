package source

import (
	"container/list"
	"context"
	"errors"
	"sync"
)

// Pool keeps opened objects, so that the next request for the same version
// of a file opens nothing. Objects are told apart by Info.Key: a file that
// was replaced or changed since has another key and is opened anew.
//
// Its methods may be called from several goroutines at once.
type Pool struct {
	limit int

	mu     sync.Mutex
	known  map[string]*pooled
	recent *list.List // of *pooled, the last used first
	closed bool
}

// pooled is an opened object with the number of its users. The pool is one
// of them while the object is in it.
type pooled struct {
	Object
	pool  *Pool
	place *list.Element // nil once it left the pool
	users int
}

// NewPool makes a pool that keeps at most limit objects open that nobody
// uses; 0 keeps none.
func NewPool(limit int) *Pool {
	return &Pool{limit: limit, known: make(map[string]*pooled), recent: list.New()}
}

// Open returns the object that info, which src.Stat has just returned for the
// identifier, describes. Where the file has become another one meanwhile the
// object is the new one: compare its Info's key. The caller closes it.
func (p *Pool) Open(ctx context.Context, src Source, identifier string, info Info) (Object, error) {
	if o := p.take(info.Key); o != nil {
		return &handle{pooled: o, info: info}, nil
	}
	obj, err := src.Open(ctx, identifier)
	if err != nil {
		return nil, err
	}
	if info.Key == "" || obj.Info().Key != info.Key {
		return obj, nil
	}
	return &handle{pooled: p.add(obj), info: info}, nil
}

// take returns a known object with one more user, nil if there is none.
func (p *Pool) take(key string) *pooled {
	p.mu.Lock()
	defer p.mu.Unlock()
	o := p.known[key]
	if o != nil {
		o.users++
		p.recent.MoveToFront(o.place)
	}
	return o
}

// add puts obj into the pool with two users, the pool and the caller, and
// makes room for it.
func (p *Pool) add(obj Object) *pooled {
	o := &pooled{Object: obj, pool: p, users: 1}
	key := obj.Info().Key
	p.mu.Lock()
	var unused []*pooled
	if _, again := p.known[key]; !again && p.limit > 0 && !p.closed {
		o.users++
		o.place = p.recent.PushFront(o)
		p.known[key] = o
		for p.recent.Len() > p.limit {
			if old := p.removeLast(); old != nil {
				unused = append(unused, old)
			}
		}
	}
	p.mu.Unlock()
	for _, old := range unused {
		old.Close()
	}
	return o
}

// removeLast takes the object that was not used for longest out of the pool
// and returns it if nobody else uses it.
func (p *Pool) removeLast() *pooled {
	o, _ := p.recent.Back().Value.(*pooled)
	p.recent.Remove(o.place)
	o.place = nil
	delete(p.known, o.Info().Key)
	o.users--
	if o.users == 0 {
		return o
	}
	return nil
}

// Close closes what nobody uses; the rest is closed by its users.
func (p *Pool) Close() error {
	p.mu.Lock()
	p.closed = true
	var unused []*pooled
	for p.recent.Len() > 0 {
		if o := p.removeLast(); o != nil {
			unused = append(unused, o)
		}
	}
	p.mu.Unlock()
	var errs []error
	for _, o := range unused {
		errs = append(errs, o.Close())
	}
	return errors.Join(errs...)
}

// release ends one use.
func (o *pooled) release() error {
	o.pool.mu.Lock()
	o.users--
	last := o.users == 0
	o.pool.mu.Unlock()
	if last {
		return o.Close()
	}
	return nil
}

// handle is one use of a pooled object. Two identifiers may name different
// pages of it, so the info is that of the use.
type handle struct {
	*pooled
	info Info
	once sync.Once
}

func (h *handle) Info() Info { return h.info }

func (h *handle) Close() (err error) {
	h.once.Do(func() { err = h.release() })
	return err
}
