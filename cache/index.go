package cache

import "time"

// node is one entry on disk as the index knows it.
type node struct {
	id   id
	size int64 // of the file
	used int64 // Unix seconds
	// saved is the time of use that the file's access time holds.
	saved int64
	// verified: every block was checked since this process started. Later
	// readers check each block as they go.
	verified bool

	prev, next *node
}

// index is the list of entries, most recently used first. It has no lock and
// does no I/O.
type index struct {
	nodes map[id]*node
	bytes int64
	root  node
}

func (x *index) reset() {
	x.nodes = make(map[id]*node)
	x.bytes = 0
	x.root.prev, x.root.next = &x.root, &x.root
}

// put adds an entry as the most recent one, or replaces it.
func (x *index) put(i id, size int64, now time.Time) *node {
	x.remove(i)
	n := &node{id: i, size: size, used: now.Unix(), saved: now.Unix()}
	x.nodes[i] = n
	x.bytes += size
	x.link(n, &x.root)
	return n
}

// putOldest adds an entry behind all others, unless it is known.
func (x *index) putOldest(i id, size, used int64) {
	if x.nodes[i] != nil {
		return
	}
	n := &node{id: i, size: size, used: used, saved: used}
	x.nodes[i] = n
	x.bytes += size
	x.link(n, x.root.prev)
}

func (x *index) touch(n *node, now time.Time) {
	n.used = now.Unix()
	n.prev.next, n.next.prev = n.next, n.prev
	x.link(n, &x.root)
}

func (x *index) remove(i id) {
	n := x.nodes[i]
	if n == nil {
		return
	}
	delete(x.nodes, i)
	x.bytes -= n.size
	n.prev.next, n.next.prev = n.next, n.prev
}

// oldest returns the least recently used entry, nil if there is none.
func (x *index) oldest() *node {
	if x.root.prev == &x.root {
		return nil
	}
	return x.root.prev
}

func (x *index) link(n, after *node) {
	n.prev, n.next = after, after.next
	n.prev.next, n.next.prev = n, n
}
