package lua

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
)

// statusBytes returns a size field of /proc/PID/status, in bytes; 0 if it is
// not there.
func statusBytes(status []byte, name string) uint64 {
	i := bytes.Index(status, []byte(name))
	if i < 0 {
		return 0
	}
	fields := bytes.Fields(status[i+len(name):])
	if len(fields) == 0 {
		return 0
	}
	n, err := strconv.ParseUint(string(fields[0]), 10, 64)
	if err != nil {
		return 0
	}
	return n << 10
}

// memoryGauge reads the anonymous resident memory of a process.
type memoryGauge struct{ statm *os.File }

func newMemoryGauge(pid int) (*memoryGauge, error) {
	f, err := os.Open(fmt.Sprintf("/proc/%d/statm", pid))
	if err != nil {
		return nil, err
	}
	return &memoryGauge{f}, nil
}

// read returns bytes: resident pages that belong to no file. It is 0 for a
// process that has ended.
func (g *memoryGauge) read() int64 {
	var buf [128]byte
	n, _ := g.statm.ReadAt(buf[:], 0)
	fields := bytes.Fields(buf[:n])
	if len(fields) < 3 {
		return 0
	}
	resident, _ := strconv.ParseInt(string(fields[1]), 10, 64)
	shared, _ := strconv.ParseInt(string(fields[2]), 10, 64)
	return (resident - shared) * int64(os.Getpagesize())
}

// alive tells whether the process still has memory.
func (g *memoryGauge) alive() bool { return g.read() > 0 }

func (g *memoryGauge) close() { _ = g.statm.Close() }
