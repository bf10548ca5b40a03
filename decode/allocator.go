package decode

/*
#cgo pkg-config: jemalloc
#include <jemalloc/jemalloc.h>
#include <stdbool.h>

#include "bridge.h"

static const char *allocator_version(void) {
	const char *version = 0;
	size_t size = sizeof version;
	return mallctl("version", &version, &size, 0, 0) == 0 ? version : 0;
}

static bool allocator_background(void) {
	bool on = false;
	size_t size = sizeof on;
	return mallctl("background_thread", &on, &size, 0, 0) == 0 && on;
}

static size_t allocator_stat(const char *name) {
	uint64_t epoch = 1;
	size_t size = sizeof epoch, value = 0;
	mallctl("epoch", &epoch, &size, &epoch, size);
	size = sizeof value;
	return mallctl(name, &value, &size, 0, 0) == 0 ? value : 0;
}

*/
import "C"

import "unsafe"

// Allocator describes the C allocator of this process.
type Allocator struct {
	// Version is jemalloc's.
	Version string
	// Background tells whether free pages are returned by its own threads.
	Background bool
	// Allocated and Resident are bytes in use by C code and bytes of memory
	// held for it.
	Allocated, Resident int64
}

// ReadAllocator returns the allocator's facts and present figures.
func ReadAllocator() Allocator {
	return Allocator{
		Version:    C.GoString(C.allocator_version()),
		Background: bool(C.allocator_background()),
		Allocated:  allocatorStat("stats.allocated\x00"),
		Resident:   allocatorStat("stats.resident\x00"),
	}
}

// allocatorStat reads one figure; name ends in a zero byte.
func allocatorStat(name string) int64 {
	return int64(C.allocator_stat((*C.char)(unsafe.Pointer(unsafe.StringData(name)))))
}

// ReturnFree gives what C code has freed back to the system now instead of
// within a second. It takes up to some 30 ms where other threads do the same.
func ReturnFree() { C.iiifd_return_free() }
