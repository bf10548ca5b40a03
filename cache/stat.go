package cache

import "time"

// Stat describes a cache.
type Stat struct {
	Dir   string `json:"dir"`
	Files int    `json:"files"`
	Bytes int64  `json:"bytes"`
	// The bounds; 0 where no running cache was asked.
	LimitBytes int64 `json:"limit_bytes,omitempty"`
	LimitFiles int   `json:"limit_files,omitempty"`
	// Temporary counts files of answers that are not whole.
	Temporary      int   `json:"temporary"`
	TemporaryBytes int64 `json:"temporary_bytes"`
	// OldestUse is when the least recently used entry was last read from
	// disk, to the hour; zero without entries or while it is not known.
	OldestUse time.Time `json:"oldest_use,omitzero"`

	MemoryEntries int   `json:"memory_entries,omitempty"`
	MemoryBytes   int64 `json:"memory_bytes,omitempty"`
	MemoryLimit   int64 `json:"memory_limit_bytes,omitempty"`
	// State is "on", "read-only" or "off", Reason why it is not "on".
	State  string `json:"state,omitempty"`
	Reason string `json:"reason,omitempty"`
	// InMemory: the directory's volume is memory (tmpfs).
	InMemory bool `json:"in_memory,omitempty"`
	// Indexing: the directory is still being read; the counts are low.
	Indexing bool `json:"indexing,omitempty"`
}

// Stat describes the cache as it is now.
func (c *Cache) Stat() Stat {
	d := c.disk
	d.mu.Lock()
	s := Stat{
		Dir: d.dir, Files: len(d.ix.nodes), Bytes: d.ix.bytes, LimitBytes: d.limit, LimitFiles: d.files,
		TemporaryBytes: d.spooled, State: d.state.String(), Reason: d.reason,
		InMemory: d.volume.inMemory, Indexing: d.indexingLocked(),
	}
	if n := d.ix.oldest(); n != nil && !s.Indexing {
		s.OldestUse = time.Unix(n.used, 0)
	}
	d.mu.Unlock()
	s.MemoryEntries, s.MemoryBytes, s.MemoryLimit = c.memory.stat()
	return s
}

// BookedBytes is the memory that the cache may come to hold beside the
// ledger: the memory tier and, where the directory is on tmpfs, the disk tier
// with its spool, which together cannot outgrow their volume.
func (c *Cache) BookedBytes() int64 {
	_, _, n := c.memory.stat()
	d := c.disk
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.state != diskOff {
		n += d.cfg.bookedOn(d.volume, d.limit)
	}
	return n
}

// MemoryBytes returns what the memory tier holds.
func (c *Cache) MemoryBytes() int64 {
	_, n, _ := c.memory.stat()
	return n
}
