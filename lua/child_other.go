//go:build !linux

package lua

// confineProcess has no kernel limit to set here; the worker's own look at
// its heap is what bounds scripts.
func confineProcess(int64) {}
