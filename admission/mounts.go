package admission

import (
	"io/fs"
	"path"
	"strconv"
	"strings"
)

// mount is a line of mountinfo: root is the directory of the mounted file
// system that stands at point. point has no leading slash.
type mount struct {
	root, point, kind, super string
}

type mountTable []mount

// parseMounts reads /proc/self/mountinfo (proc(5)): fields 4 and 5 are root
// and mount point; after a lone "-" come the type, the source and the super
// options.
func parseMounts(text string) mountTable {
	var table mountTable
	for line := range strings.Lines(text) {
		before, after, ok := strings.Cut(line, " - ")
		left, right := strings.Fields(before), strings.Fields(after)
		if !ok || len(left) < 5 || len(right) < 3 {
			continue
		}
		table = append(table, mount{
			root:  unescapeOctal(left[3]),
			point: strings.TrimPrefix(path.Clean(unescapeOctal(left[4])), "/"),
			kind:  right[0],
			super: right[2],
		})
	}
	return table
}

// find returns the first mount of a kind that has the super option.
func (t mountTable) find(kind, option string) (mount, bool) {
	for _, m := range t {
		if m.kind == kind && (option == "" || hasWord(m.super, option)) {
			return m, true
		}
	}
	return mount{}, false
}

// resolve returns the directory of a cgroup below the mount that contains the
// probe file. A container sees a part of the hierarchy mounted, so the
// group's path may have to be cut by the mount's root, or may not be visible
// at all and stand at the mount point itself.
func (m mount) resolve(root fs.FS, group, probe string) (string, bool) {
	candidates := []string{m.point}
	if rest, ok := strings.CutPrefix(group, m.root); ok && (rest == "" || rest[0] == '/' || m.root == "/") {
		candidates = append([]string{path.Join(m.point, rest)}, candidates...)
	}
	for _, dir := range candidates {
		if dir != m.point && !strings.HasPrefix(dir, m.point+"/") {
			continue
		}
		if _, err := fs.Stat(root, path.Join(dir, probe)); err == nil {
			return dir, true
		}
	}
	return "", false
}

// unescapeOctal undoes mountinfo's \040 for spaces and the like.
func unescapeOctal(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+3 < len(s) {
			if n, err := strconv.ParseUint(s[i+1:i+4], 8, 8); err == nil {
				b.WriteByte(byte(n))
				i += 3
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}
