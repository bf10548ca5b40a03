package lua

import (
	"os"
	"runtime"
	"sync"

	"golang.org/x/sys/unix"
)

// arena is the unit in which Go's runtime takes writable address space on
// 64-bit Linux.
const arena = 64 << 20

// readyThreads is how many threads are started before the limit stands: those
// that block in system calls or collect garbage. A worker that could start no
// further one would be ended by the runtime.
const readyThreads = 8

// startThreads makes the runtime start threads, which it keeps.
func startThreads(n int) {
	var started, ended sync.WaitGroup
	started.Add(n)
	leave := make(chan struct{})
	for range n {
		ended.Go(func() {
			runtime.LockOSThread() // Takes a thread of its own while it waits.
			defer runtime.UnlockOSThread()
			started.Done()
			<-leave
		})
	}
	started.Wait()
	close(leave)
	ended.Wait()
}

// spareThreads is the address space for threads that the runtime may still
// start: 8 MiB each where C is linked in. It is less than an arena, so that
// it does not buy another one.
const spareThreads = 4 * 8 << 20

// confineProcess lets the kernel refuse memory that no watcher could refuse
// in time: a single allocation that exceeds the limit by far. RLIMIT_DATA
// counts private writable mappings, which Go takes in whole arenas; the
// first one is partly used. RLIMIT_AS would count what Go only reserves.
//
// It also makes the worker the first victim where memory runs out. Errors
// are ignored: the server's own watch remains.
func confineProcess(memoryLimit int64) {
	startThreads(readyThreads)
	var usage uint64
	if b, err := os.ReadFile("/proc/self/status"); err == nil {
		usage = statusBytes(b, "VmData:")
	}
	if usage > 0 {
		limit := usage + spareThreads + uint64(max(2*memoryLimit-arena, arena))
		_ = unix.Setrlimit(unix.RLIMIT_DATA, &unix.Rlimit{Cur: limit, Max: limit})
	}
	_ = unix.Setrlimit(unix.RLIMIT_CORE, &unix.Rlimit{})
	_ = os.WriteFile("/proc/self/oom_score_adj", []byte("1000"), 0)
}
