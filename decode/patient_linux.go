package decode

import (
	"runtime"

	"golang.org/x/sys/unix"
)

// patientNice is how far long work steps back (setpriority(2)).
const patientNice = 10

// stepBack lowers the priority of the goroutine's thread, which then ends
// with the goroutine: raising it again takes a privilege.
func stepBack() {
	runtime.LockOSThread()
	own, err := unix.Getpriority(unix.PRIO_PROCESS, unix.Gettid()) // The system call tells 20 less the nice value.
	if err == nil {
		_ = unix.Setpriority(unix.PRIO_PROCESS, unix.Gettid(), 20-own+patientNice) // Where that is forbidden, the work runs as any other.
	}
}
