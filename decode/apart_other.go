//go:build !linux

package decode

import "syscall"

// apartAttributes put a process out of reach of the terminal's signals.
func apartAttributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// confineDrawing has no limit of the kernel to set here.
func confineDrawing(int64) error { return nil }
