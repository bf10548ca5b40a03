package cache

import (
	"math"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// filesystem is what the cache wants to know about a directory's volume.
type filesystem struct {
	bytes    int64 // in all; 0 where unknown
	files    int64 // in all; 0 where unknown or unbounded
	inMemory bool  // tmpfs or ramfs
}

func inspect(dir string) (filesystem, error) {
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil {
		return filesystem{}, err
	}
	total := float64(st.Blocks) * float64(st.Bsize)
	return filesystem{
		bytes:    int64(min(total, math.MaxInt64/2)),
		files:    int64(min(float64(st.Files), math.MaxInt64/2)),
		inMemory: inMemory(&st),
	}, nil
}

// effective fills in the bounds that the configuration leaves to the volume.
func (c *Config) effective(v filesystem) (bytes int64, files int) {
	bytes, files = c.Bytes, c.Files
	if bytes == 0 {
		bytes = defaultBytes
		if v.bytes > 0 {
			bytes = min(bytes, v.bytes/10)
		}
	}
	if files == 0 {
		files = defaultFiles
		if v.files > 0 {
			files = int(min(int64(files), v.files/10))
		}
	}
	return bytes, files
}

// bookedOn is the memory that the disk tier may come to hold on a volume, as
// far as that is memory.
func (c *Config) bookedOn(v filesystem, limit int64) int64 {
	if !v.inMemory {
		return 0
	}
	if booked := limit + c.SpoolBytes; v.bytes == 0 || booked < v.bytes {
		return booked
	}
	return v.bytes
}

// BookedBytes is the memory that the disk tier of a cache of these settings
// would come to hold: something only where the directory is on tmpfs, or
// would be made there. Nothing is made for the answer.
func (c *Config) BookedBytes() int64 {
	dir, err := c.Directory()
	if err != nil || dir == "" {
		return 0
	}
	for {
		if v, err := inspect(dir); err == nil {
			limit, _ := c.effective(v)
			return c.bookedOn(v, limit)
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return 0
		}
		dir = parent
	}
}
