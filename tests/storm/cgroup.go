package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// group is a memory cgroup of our own, version 1 or 2.
type group struct {
	dir   string
	v2    bool
	limit int64
	// fd is the open directory, for processes that start inside (version 2).
	fd *os.File
}

// newGroup makes a group beside the machine's others. Its error wraps
// errSkip where that cannot be done here.
func newGroup(limit string) (*group, error) {
	bytes, err := parseSize(limit)
	if err != nil {
		return nil, err
	}
	name := fmt.Sprintf("iiifd-storm-%d", os.Getpid())
	g := &group{dir: filepath.Join("/sys/fs/cgroup/memory", name), limit: bytes}
	file := "memory.limit_in_bytes"
	if _, err := os.Stat("/sys/fs/cgroup/memory/memory.limit_in_bytes"); err != nil {
		g.v2, g.dir, file = true, filepath.Join("/sys/fs/cgroup", name), "memory.max"
		if text, err := os.ReadFile("/sys/fs/cgroup/cgroup.subtree_control"); err != nil || !strings.Contains(string(text), "memory") {
			return nil, fmt.Errorf("%w: no memory controller in /sys/fs/cgroup", errSkip)
		}
	}
	if err := os.Mkdir(g.dir, 0o755); err != nil {
		return nil, fmt.Errorf("%w: a memory cgroup takes root: %w", errSkip, err)
	}
	if err := os.WriteFile(filepath.Join(g.dir, file), []byte(strconv.FormatInt(bytes, 10)), 0o644); err != nil {
		g.remove()
		return nil, fmt.Errorf("%w: %w", errSkip, err)
	}
	return g, nil
}

// command is a command that runs inside from its first instruction.
func (g *group) command(ctx context.Context, name string, args ...string) *exec.Cmd {
	if g.v2 {
		if f, err := os.Open(g.dir); err == nil {
			g.fd = f
			cmd := exec.CommandContext(ctx, name, args...)
			cmd.SysProcAttr = &syscall.SysProcAttr{UseCgroupFD: true, CgroupFD: int(f.Fd())}
			return cmd
		}
	}
	script := `echo $$ > "$0/cgroup.procs" && exec "$@"`
	return exec.CommandContext(ctx, "/bin/sh", append([]string{"-c", script, g.dir, name}, args...)...)
}

// number reads a file of one number, or the value of a key in a file of many.
func (g *group) number(file, key string) int64 {
	text, err := os.ReadFile(filepath.Join(g.dir, file))
	if err != nil {
		return -1
	}
	fields := strings.Fields(string(text))
	for i, f := range fields {
		if key == "" || (f == key && i+1 < len(fields)) {
			if key != "" {
				f = fields[i+1]
			}
			n, err := strconv.ParseInt(f, 10, 64)
			if err != nil {
				return -1
			}
			return n
		}
	}
	return -1
}

// kills counts what the kernel has killed for want of memory.
func (g *group) kills() int64 {
	if g.v2 {
		return g.number("memory.events", "oom_kill")
	}
	return g.number("memory.oom_control", "oom_kill")
}

// peak is the most that the group has held, page cache included; -1 where
// the kernel does not say.
func (g *group) peak() int64 {
	if g.v2 {
		return g.number("memory.peak", "")
	}
	return g.number("memory.max_usage_in_bytes", "")
}

func (g *group) remove() {
	if g.fd != nil {
		g.fd.Close()
	}
	_ = os.Remove(g.dir) // Fails while something runs in it, which is seen elsewhere.
}

// parseSize reads 256Mi or 1Gi.
func parseSize(text string) (int64, error) {
	for suffix, shift := range map[string]int{"Mi": 20, "Gi": 30} {
		if digits, ok := strings.CutSuffix(text, suffix); ok {
			n, err := strconv.ParseInt(digits, 10, 32)
			return n << shift, err
		}
	}
	return 0, fmt.Errorf("%q is not a size such as 512Mi", text)
}
