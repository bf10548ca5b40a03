package cache

import (
	"errors"
	"os"
	"path/filepath"

	"example.com/iiifd/option"
)

// Off as Config.Dir turns the disk tier off.
const Off = "off"

// AnswerBytes is the size up to which an answer is encoded into memory and
// published whole; a larger one goes through a spool file and is published
// while it grows. It is also the largest answer the memory tier keeps.
const AnswerBytes = 4 << 20

const (
	defaultFiles = 250_000
	// defaultBytes and one tenth of the file system, the smaller.
	defaultBytes = 10 << 30
	defaultSpool = 2 << 30
)

// Config is what the cache lets an operator decide.
type Config struct {
	// Dir is the directory of the disk tier; empty for the user's cache
	// directory, Off for none. One process at a time uses a directory.
	Dir string
	// Bytes bounds the files of whole answers; 0 for 10 GiB or a tenth of
	// the file system, the smaller.
	Bytes int64
	// Files bounds their number; 0 for 250,000 or a tenth of the file
	// system's inodes, the smaller. Each costs about 120 bytes of memory.
	Files int
	// SpoolBytes bounds the files of answers that are still being written; 0
	// for 2 GiB.
	SpoolBytes int64
	// Sync flushes each file to the device before it becomes an entry.
	Sync bool

	// MemoryBytes bounds the memory tier; 0 turns it off. It is no option of
	// this package: whoever keeps the memory's books decides it.
	MemoryBytes int64
}

// Options declares the cache's settings.
func (c *Config) Options(s *option.Set) {
	s.Group("Cache")
	s.Text(&c.Dir, "cache-dir", "",
		"Directory of the derivative cache. Empty: iiifd below $XDG_CACHE_HOME or ~/.cache; off: none. "+
			"One process at a time uses a directory; a second one serves uncached. On tmpfs its bytes are booked as memory.")
	s.Size(&c.Bytes, "cache-bytes", 0, 0, 1<<50,
		"Most bytes of cached derivatives on disk. 0: 10 GiB or a tenth of the file system, the smaller.")
	s.Int(&c.Files, "cache-files", 0, 0, 100_000_000,
		"Most files in the derivative cache. 0: 250000 or a tenth of the file system's inodes, the smaller.")
	s.Size(&c.SpoolBytes, "spool-bytes", defaultSpool, 1<<20, 1<<50,
		"Most bytes of answers that are still being written to the cache directory. Beyond, encoders wait for their readers.")
	s.Bool(&c.Sync, "cache-sync", false,
		"Flush each cached derivative to the device before it counts. Off: a power failure may lose entries, never damage an answer.")
}

// Validate checks the values that Options does not bound by itself.
func (c *Config) Validate() error {
	if c.Bytes < 0 || c.Files < 0 || c.SpoolBytes < 0 || c.MemoryBytes < 0 {
		return errors.New("cache: a bound is negative")
	}
	return nil
}

// Directory returns the directory that the configuration means, empty for
// none.
func (c *Config) Directory() (string, error) {
	switch c.Dir {
	case Off:
		return "", nil
	case "":
		dir, err := os.UserCacheDir()
		if err != nil {
			return "", err
		}
		return filepath.Join(dir, "iiifd"), nil
	}
	return filepath.Abs(c.Dir)
}
