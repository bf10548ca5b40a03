package docroot

import (
	"path"
	"strings"
)

// Kind says what a path below the docroot is.
type Kind int

// The kinds. KindNone is also what every refused path is: to a client,
// forbidden and absent look the same.
const (
	KindNone Kind = iota
	KindStatic
	KindLua
	KindElua
)

// String returns the kind's name in lower case.
func (k Kind) String() string {
	switch k {
	case KindStatic:
		return "static"
	case KindLua:
		return "lua"
	case KindElua:
		return "elua"
	default:
		return "none"
	}
}

// kindOf goes by the extension in any case: on a file system that folds case
// "a.LUA" opens the script "a.lua".
func kindOf(name string) Kind {
	switch strings.ToLower(path.Ext(name)) {
	case ".lua":
		return KindLua
	case ".elua":
		return KindElua
	default:
		return KindStatic
	}
}
