package admission

import (
	"io/fs"
	"path"
	"strconv"
	"strings"
)

// noLimit is the value from which a cgroup v1 limit means "none": the kernel
// writes the largest page-aligned int64.
const noLimit = 1 << 60

// cgroup is where the process's memory controller stands in the file system.
// Paths are relative to root. A zero dir means that there is none.
type cgroup struct {
	root fs.FS
	v2   bool
	// dir is the process's own group, top the mount point above it.
	dir, top string
	// unified is the own group in the cgroup2 tree; on hybrid systems it has
	// the stall information that v1 has not. Empty where there is none or it
	// is the host's root group.
	unified string
}

// findCgroup locates the memory controller: cgroup v2, v1, or both (hybrid).
func findCgroup(root fs.FS) cgroup {
	g := cgroup{root: root}
	groups := readText(root, "proc/self/cgroup")
	mounts := parseMounts(readText(root, "proc/self/mountinfo"))
	for line := range strings.Lines(groups) {
		parts := strings.SplitN(strings.TrimRight(line, "\n"), ":", 3)
		if len(parts) != 3 {
			continue
		}
		switch {
		case parts[0] == "0" && parts[1] == "":
			g.useUnified(mounts, parts[2])
		case hasWord(parts[1], "memory"):
			if m, ok := mounts.find("cgroup", "memory"); ok {
				if dir, ok := m.resolve(root, parts[2], "memory.usage_in_bytes"); ok {
					g.dir, g.top, g.v2 = dir, m.point, false
				}
			}
		}
	}
	return g
}

func (g *cgroup) useUnified(mounts mountTable, own string) {
	m, ok := mounts.find("cgroup2", "")
	if !ok {
		m = mount{root: "/", point: "sys/fs/cgroup"}
	}
	if dir, ok := m.resolve(g.root, own, "memory.current"); ok && g.dir == "" {
		g.dir, g.top, g.v2 = dir, m.point, true
	}
	// The file is absent from the host's root group alone.
	if dir, ok := m.resolve(g.root, own, "cgroup.events"); ok {
		g.unified = dir
	}
}

func (g *cgroup) source() EnvelopeSource {
	if g.v2 {
		return SourceCgroupV2
	}
	return SourceCgroupV1
}

// limit returns the least limit from the own group up to the mount point, 0
// where there is none.
func (g *cgroup) limit() int64 {
	_, n := g.leastLimit()
	return n
}

// leastLimit is limit, with the group that has it.
func (g *cgroup) leastLimit() (where string, least int64) {
	if g.dir == "" {
		return "", 0
	}
	name := "memory.max"
	if !g.v2 {
		name = "memory.limit_in_bytes"
	}
	for dir := g.dir; ; dir = path.Dir(dir) {
		if n, ok := g.number(dir, name); ok && n > 0 && n < noLimit && (least == 0 || n < least) {
			where, least = dir, n
		}
		if dir == g.top || dir == "." || dir == "/" {
			return where, least
		}
	}
}

// workingSet is what a group uses without the page cache that the kernel can
// take back. The line "file" of memory.stat would not do: it includes tmpfs,
// which cannot be taken back (cgroup-v2.rst, "memory.stat").
func (g *cgroup) workingSet(dir string) (int64, bool) {
	current, prefix := "memory.current", ""
	if !g.v2 {
		current, prefix = "memory.usage_in_bytes", "total_"
	}
	used, ok := g.number(dir, current)
	if !ok {
		return 0, false
	}
	stat := readText(g.root, path.Join(dir, "memory.stat"))
	inactive, _ := keyedNumber(stat, prefix+"inactive_file")
	active, _ := keyedNumber(stat, prefix+"active_file")
	if cache := inactive + active; cache <= used {
		return used - cache, true
	}
	// The files are not read at one moment; what cannot be is not believed.
	return used, true
}

// oomEvents counts the kernel's out-of-memory events of the own group.
func (g *cgroup) oomEvents() (int64, bool) {
	if !g.v2 {
		return keyedNumber(readText(g.root, path.Join(g.dir, "memory.oom_control")), "oom_kill")
	}
	text := readText(g.root, path.Join(g.dir, "memory.events"))
	oom, ok := keyedNumber(text, "oom")
	kills, alsoOK := keyedNumber(text, "oom_kill")
	return oom + kills, ok || alsoOK
}

// number reads a file of one number; "max" is no number.
func (g *cgroup) number(dir, name string) (int64, bool) {
	n, err := strconv.ParseInt(strings.TrimSpace(readText(g.root, path.Join(dir, name))), 10, 64)
	return n, err == nil && n >= 0
}

func readText(root fs.FS, name string) string {
	data, err := fs.ReadFile(root, name)
	if err != nil {
		return ""
	}
	return string(data)
}

func hasWord(list, word string) bool {
	for w := range strings.SplitSeq(list, ",") {
		if w == word {
			return true
		}
	}
	return false
}
