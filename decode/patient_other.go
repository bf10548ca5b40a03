//go:build !linux

package decode

// stepBack does nothing: only Linux has priorities of threads.
func stepBack() {}
