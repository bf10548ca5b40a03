package admission

import (
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
)

// EnvelopeSource says what bounds the memory of the process.
type EnvelopeSource string

// The sources of the envelope.
const (
	SourceOverride EnvelopeSource = "override"
	SourceCgroupV2 EnvelopeSource = "cgroup_v2"
	SourceCgroupV1 EnvelopeSource = "cgroup_v1"
	SourceHost     EnvelopeSource = "host"
)

// Memory is what the machine says about memory, in bytes. A field of 0 is not
// known or, for CgroupLimit, not limited.
type Memory struct {
	// CgroupLimit is the least limit from the process's cgroup up.
	CgroupLimit int64
	// CgroupSource is SourceCgroupV2 or SourceCgroupV1 where there is a limit.
	CgroupSource EnvelopeSource
	// HostTotal and HostAvailable are MemTotal and MemAvailable.
	HostTotal, HostAvailable int64
}

// ReadMemory reads the machine's memory facts below root, which is the root
// of a Linux file system. What cannot be read is left 0.
func ReadMemory(root fs.FS) Memory {
	var m Memory
	g := findCgroup(root)
	if m.CgroupLimit = g.limit(); m.CgroupLimit > 0 {
		m.CgroupSource = g.source()
	}
	m.HostTotal = meminfo(root, "MemTotal")
	m.HostAvailable = meminfo(root, "MemAvailable")
	return m
}

func meminfo(root fs.FS, name string) int64 {
	data, err := fs.ReadFile(root, "proc/meminfo")
	if err != nil {
		return 0
	}
	kib, _ := keyedNumber(string(data), name+":")
	return kib << 10
}

// keyedNumber reads the number behind key in lines of "key number …".
func keyedNumber(text, key string) (int64, bool) {
	for line := range strings.Lines(text) {
		fields := strings.Fields(line)
		if len(fields) >= 2 && fields[0] == key {
			n, err := strconv.ParseInt(fields[1], 10, 64)
			return n, err == nil && n >= 0
		}
	}
	return 0, false
}

// words names the source in messages.
func (s EnvelopeSource) words() string {
	switch s {
	case SourceOverride:
		return "as configured"
	case SourceCgroupV1, SourceCgroupV2:
		return "the cgroup's limit"
	default:
		return "what the host has available"
	}
}

// envelope decides how much memory the process may take. An override is held
// against the hard limits alone; what the host has available at the moment
// bounds only an envelope that nobody chose.
func envelope(override int64, m Memory) (int64, EnvelopeSource, error) {
	if override > 0 {
		if m.CgroupLimit > 0 && override > m.CgroupLimit {
			return 0, "", fmt.Errorf("memory-limit: %d is above the cgroup's limit of %d bytes", override, m.CgroupLimit)
		}
		if m.HostTotal > 0 && override > m.HostTotal {
			return 0, "", fmt.Errorf("memory-limit: %d is above the host's memory of %d bytes", override, m.HostTotal)
		}
		return override, SourceOverride, nil
	}
	switch {
	case m.CgroupLimit > 0 && (m.HostAvailable == 0 || m.CgroupLimit <= m.HostAvailable):
		return m.CgroupLimit, m.CgroupSource, nil
	case m.HostAvailable > 0:
		return m.HostAvailable, SourceHost, nil
	default:
		return 0, "", errors.New("memory-limit: neither a cgroup limit nor the host's available memory can be read; set it")
	}
}
