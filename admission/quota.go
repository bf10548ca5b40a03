package admission

import (
	"container/list"
	"time"
)

// maxPrefixes bounds the address prefixes whose anonymous quota is tracked;
// what comes beyond shares one bucket.
const maxPrefixes = 1024

// quota is what one identity has used: a configured API key, or an address
// prefix of anonymous clients.
type quota struct {
	key        string // hashed, for the snapshot
	configured bool   // the quota file has an entry of its own
	limits     clientLimits
	window     window
	waiting    int
	executing  int
	place      *list.Element // of an address prefix, in order of last use
}

// quotas holds every identity's quota. A nil *quota is an identity without
// limits, which costs nothing.
type quotas struct {
	file      *quotaFile
	byName    map[string]*quota
	byPrefix  map[string]*quota
	order     *list.List // of the prefixes' quotas, least lately used first
	overflow  *quota
	anonymous *clientLimits
}

// newQuotas sets up the quotas of a file for the given API-key names. file
// may be nil: nothing is limited then.
func newQuotas(file *quotaFile, names []string, keyer *Keyer) *quotas {
	q := &quotas{file: file, byName: make(map[string]*quota), byPrefix: make(map[string]*quota), order: list.New()}
	if file == nil {
		return q
	}
	for _, name := range names {
		limits, configured := file.clients[name]
		if !configured {
			limits = file.defaults
		}
		q.byName[name] = limits.quota(keyer.Key(Client{APIKey: name}), configured)
	}
	if limits, ok := file.clients[Anonymous]; ok {
		q.anonymous = &limits
		q.overflow = limits.quota(Anonymous, true)
	}
	return q
}

func (l clientLimits) quota(key string, configured bool) *quota {
	return &quota{key: key, configured: configured, limits: l, window: window{span: l.window, limit: l.requests}}
}

// of returns the quota that an ask counts against, nil if none does.
func (q *quotas) of(a *Ask, now time.Duration) *quota {
	if q.file == nil {
		return nil
	}
	if a.Identity != "" {
		if named := q.byName[a.Identity]; named != nil {
			return named
		}
	}
	if q.anonymous == nil {
		return nil
	}
	if known := q.byPrefix[a.Key]; known != nil {
		q.order.MoveToBack(known.place)
		return known
	}
	if len(q.byPrefix) >= maxPrefixes && !q.evict(now) {
		return q.overflow
	}
	fresh := q.anonymous.quota(a.Key, true)
	fresh.place = q.order.PushBack(fresh)
	q.byPrefix[a.Key] = fresh
	return fresh
}

// evict forgets the prefix that was used least lately, if there is nothing
// left to remember about it.
func (q *quotas) evict(now time.Duration) bool {
	oldest, _ := q.order.Front().Value.(*quota)
	if oldest.waiting > 0 || oldest.executing > 0 || oldest.window.used(now) > 0 {
		return false
	}
	q.order.Remove(oldest.place)
	delete(q.byPrefix, oldest.key)
	return true
}

// refusal tells whether one more request of u is over its rate or its active
// limit, and after what time it would not be. What waits has reserved its
// place in the window.
func (q *quotas) refusal(u *quota, now time.Duration) (Code, time.Duration) {
	switch {
	case u == nil:
		return "", 0
	case u.window.used(now)+u.waiting >= u.limits.requests:
		return CodeClientRate, u.window.free(now)
	case u.waiting+u.executing >= u.limits.active:
		return CodeClientActive, 0
	default:
		return "", 0
	}
}

// mayPark tells whether one more request of u may wait.
func (q *quotas) mayPark(u *quota) bool {
	return u == nil || u.waiting < u.limits.pending
}

func (q *quotas) parked(u *quota) {
	if u != nil {
		u.waiting++
	}
}

func (q *quotas) unparked(u *quota) {
	if u != nil {
		u.waiting--
	}
}

// mayRun tells whether u has a grant left that is not reserved.
func (q *quotas) mayRun(u *quota, now time.Duration) bool {
	return u == nil || u.window.used(now)+u.waiting < u.limits.requests
}

// ran counts a grant in the window alone: an image of a script.
func (q *quotas) ran(u *quota, now time.Duration) {
	if u != nil {
		u.window.add(now)
	}
}

// granted counts a grant of a lease.
func (q *quotas) granted(u *quota, now time.Duration) {
	if u != nil {
		u.window.add(now)
		u.executing++
	}
}

func (q *quotas) finished(u *quota) {
	if u != nil {
		u.executing--
	}
}
