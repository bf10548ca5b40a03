package decode

import (
	"fmt"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// apartAttributes put a process out of reach of the terminal's signals, and
// end it with the thread that started it: an orphan could draw for ever.
func apartAttributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// apartSlack is address space beyond a drawing's price: a further arena of
// Go's heap, and the stacks of threads, which are writable but hardly used.
const apartSlack = 128 << 20

// confineDrawing lets the kernel refuse this process more memory than the
// price, in bytes, on top of what it has, and makes it the first victim where
// memory runs out. RLIMIT_DATA counts private writable mappings.
func confineDrawing(price int64) error {
	text, err := os.ReadFile(statusFile)
	if err != nil {
		return fmt.Errorf("decode: %w", err)
	}
	limit := uint64(statusFigure(text, []byte("\nVmData:")) + price + apartSlack)
	if err := unix.Setrlimit(unix.RLIMIT_DATA, &unix.Rlimit{Cur: limit, Max: limit}); err != nil {
		return fmt.Errorf("decode: limiting memory: %w", err)
	}
	_ = unix.Setrlimit(unix.RLIMIT_CORE, &unix.Rlimit{})
	_ = os.WriteFile("/proc/self/oom_score_adj", []byte("1000"), 0) // A server that shares its fate draws all the same.
	return nil
}
