package admission

import (
	"io/fs"
	"math/rand/v2"
	"runtime"
	"time"
)

// Facts is what New has to be told about the process and its machine. Every
// field has a default, so that the zero value serves a program, and every
// field can be set, so that nothing in this package depends on the machine
// that tests it. Sizes are bytes.
type Facts struct {
	// CPUs is the number of processors; 0 takes GOMAXPROCS.
	CPUs int
	// Root is the root of the file system below which proc and sys stand;
	// nil means that nothing is read, and no pressure is seen.
	Root fs.FS
	// Memory replaces what would be read from Root.
	Memory *Memory
	// IdleFloor is the resident memory of the idle process, measured at
	// start; GoIdle is the Go runtime's part of it.
	IdleFloor, GoIdle int64
	// OffDisk is what the process keeps on a memory file system (a cache
	// directory on tmpfs); it is booked with the idle floor.
	OffDisk int64
	// ScriptMemory is the memory limit of one script; 0 where none can run.
	ScriptMemory int64
	// HookMemory is the memory limit of one pre-flight hook, HookSlots how
	// many would run at once; 0 where none can run.
	HookMemory int64
	HookSlots  int
	// RSS, Vips and GoHeap read the resident memory, libvips' tracked
	// memory and the Go heap. A nil RSS reads /proc/self/status below Root;
	// the others are absent where nil. ok is false where a value cannot be
	// read; the signal is then absent.
	RSS, Vips, GoHeap func() (bytes int64, ok bool)
	// Cached returns what the memory cache holds, which is no part of the
	// idle floor; nil means nothing.
	Cached func() int64
	// Since is the monotonic time since some fixed moment, Wall the wall
	// clock, which is only ever shown.
	Since func() time.Duration
	Wall  func() time.Time
	// Jitter returns numbers in [0, 1) that spread Retry-After.
	Jitter func() float64
	// Manual leaves sampling and the adaptive windows to calls of Tick.
	Manual bool
}

// withDefaults fills what was left out.
func (f Facts) withDefaults() Facts {
	if f.CPUs == 0 {
		f.CPUs = runtime.GOMAXPROCS(0)
	}
	if f.Since == nil {
		start := time.Now()
		f.Since = func() time.Duration { return time.Since(start) }
	}
	if f.Wall == nil {
		f.Wall = time.Now
	}
	if f.Jitter == nil {
		f.Jitter = rand.Float64
	}
	if f.Memory == nil {
		m := Memory{}
		if f.Root != nil {
			m = ReadMemory(f.Root)
		}
		f.Memory = &m
	}
	if f.RSS == nil && f.Root != nil {
		root := f.Root
		f.RSS = func() (int64, bool) {
			kib, ok := keyedNumber(readText(root, "proc/self/status"), "VmRSS:")
			return kib << 10, ok
		}
	}
	return f
}
