package cache

import (
	"context"
	"log/slog"
	"slices"
	"time"
)

// walkBatch is how many entries are indexed under one hold of the mutex.
const walkBatch = 1024

// walk rebuilds the index from the directory, if that is due. Lookups go on
// meanwhile, on the directory itself; fills serve, and wait with their
// entries: a process that dies before it has seen what there is, again and
// again, must not make it more.
func (d *disk) walk(ctx context.Context) {
	d.mu.Lock()
	due, files, started := d.walking, d.files, time.Now()
	d.mu.Unlock()
	if !due {
		return
	}
	var all []found
	err := scan(ctx, d.root(), func(f found) error {
		// The path can be made from the id: what is kept stays small.
		f.path = ""
		all = append(all, f)
		if len(all) > 2*files+walkBatch {
			all = d.shed(all, files)
		}
		return nil
	})
	if ctx.Err() != nil {
		return
	}
	if err != nil {
		d.m.errors.WithLabelValues(errorKind(err)).Inc()
		d.log.WarnContext(ctx, "reading the derivative cache's directory", slog.String("dir", d.dir), slog.Any("error", err))
	}
	newestFirst(all)
	for batch := range slices.Chunk(all, walkBatch) {
		d.mu.Lock()
		for _, f := range batch {
			d.ix.putOldest(f.id, f.size, f.used.Unix())
		}
		d.mu.Unlock()
	}
	d.mu.Lock()
	d.walking = false
	d.mu.Unlock()
	d.shrink(0)
	d.mu.Lock()
	defer d.mu.Unlock()
	close(d.indexed)
	d.log.InfoContext(ctx, "derivative cache indexed", slog.Int("files", len(d.ix.nodes)),
		slog.Int64("bytes", d.ix.bytes), slog.Int64("duration_ms", time.Since(started).Milliseconds()))
	d.showLocked()
}

// awaitIndex waits until the index is complete; false where the cache is
// closed before.
func (d *disk) awaitIndex() bool {
	d.mu.Lock()
	indexed := d.indexed
	d.mu.Unlock()
	select {
	case <-indexed:
		return true
	default:
	}
	select {
	case <-indexed:
		return true
	case <-d.closing:
		return false
	}
}

func (d *disk) indexingLocked() bool {
	select {
	case <-d.indexed:
		return false
	default:
		return true
	}
}

// shed removes all but the most recently used keep files: the directory has
// far more than its bound, and the list must not grow with it.
func (d *disk) shed(all []found, keep int) []found {
	newestFirst(all)
	d.commits.Lock()
	defer d.commits.Unlock()
	d.mu.Lock()
	var victims []id
	if d.state == diskOn {
		for _, f := range all[keep:] {
			if d.ix.nodes[f.id] == nil {
				victims = append(victims, f.id)
			}
		}
	}
	d.mu.Unlock()
	d.unlink(victims)
	d.m.evictions.WithLabelValues(tierDisk).Add(float64(len(victims)))
	return all[:keep]
}

func newestFirst(all []found) {
	slices.SortFunc(all, func(a, b found) int { return b.used.Compare(a.used) })
}
