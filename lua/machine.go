package lua

import (
	"context"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"time"

	glua "github.com/yuin/gopher-lua"
)

// maxRegistry is the number of values that a machine's stack can hold, and
// maxCalls the depth of its calls.
const (
	maxRegistry = 256 << 10
	maxCalls    = 4000
)

// call is one run of a script: its machine and all that its functions use.
type call struct {
	settings *settings
	chunks   *chunkCache
	jail     *jail
	host     hostLink
	budget   *budget
	started  time.Time

	request  *wireRequest
	content  []byte
	response *responseWriter

	tables    []functionTable
	next      *glua.LFunction
	random    *rand.Rand
	imageMeta *glua.LTable
	closers   []func()
	context   context.Context //nolint:containedctx // a call is one request
}

// scriptPath is the place of a script given relative to the script
// directory.
func (s *settings) scriptPath(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(s.ScriptDir, name)
}

// newMachine returns a fresh machine with nothing in it but the tables.
func (c *call) newMachine() *glua.LState {
	l := glua.NewState(glua.Options{
		SkipOpenLibs:        true,
		CallStackSize:       maxCalls,
		MinimizeStackMemory: true,
		RegistrySize:        1 << 10,
		RegistryMaxSize:     maxRegistry,
		RegistryGrowStep:    4 << 10,
	})
	c.openKept(l)
	c.next = l.GetGlobal("next").(*glua.LFunction)
	c.tables = functionTables()
	for _, t := range c.tables {
		c.install(l, t.bindings)
	}
	c.openStrings(l)
	c.openFields(l)
	l.SetContext(c.budget)
	return l
}

// openKept opens gopher-lua's libraries and removes all of them that is not
// in keptFunctions.
func (c *call) openKept(l *glua.LState) {
	for _, lib := range []struct {
		name string
		open glua.LGFunction
	}{{"", glua.OpenBase}, {"table", glua.OpenTable}, {"math", glua.OpenMath}} {
		l.Push(l.NewFunction(lib.open))
		l.Push(glua.LString(lib.name))
		l.Call(1, 0)
		t := l.G.Global
		if lib.name != "" {
			t = l.GetGlobal(lib.name).(*glua.LTable)
		}
		var drop []string
		t.ForEach(func(k, _ glua.LValue) {
			name := k.String()
			if !slices.Contains(keptFunctions[lib.name], name) && name != "_G" && keptFunctions[name] == nil {
				drop = append(drop, name)
			}
		})
		for _, name := range drop {
			t.RawSetString(name, glua.LNil)
		}
	}
}

// openStrings makes s:upper() work.
func (c *call) openStrings(l *glua.LState) {
	mt := l.CreateTable(0, 8)
	mt.RawSetString("__index", l.GetGlobal("string"))
	l.SetMetatable(glua.LString(""), mt)
}

// openFields sets the fields that are no functions.
func (c *call) openFields(l *glua.LState) {
	l.SetGlobal("_VERSION", glua.LString("Lua 5.3"))
	math := l.GetGlobal("math").(*glua.LTable)
	math.RawSetString("maxinteger", glua.LNumber(1<<53))
	math.RawSetString("mininteger", glua.LNumber(-1<<53))
	l.GetGlobal("utf8").(*glua.LTable).RawSetString("charpattern", glua.LString(utf8CharPattern))
	pkg := l.CreateTable(0, 8)
	pkg.RawSetString("loaded", l.CreateTable(0, 8))
	pkg.RawSetString("preload", l.CreateTable(0, 8))
	pkg.RawSetString("path", glua.LString(""))
	pkg.RawSetString("cpath", glua.LString(""))
	l.SetGlobal("package", pkg)
	c.openServer(l)
	l.SetGlobal("config", c.settings.Config.table(l))
	loaded := pkg.RawGetString("loaded").(*glua.LTable)
	for name := range keptFunctions {
		if name != "" {
			loaded.RawSetString(name, l.GetGlobal(name))
		}
	}
	for _, name := range []string{"string", "utf8", "bit32", "os"} {
		loaded.RawSetString(name, l.GetGlobal(name))
	}
}

// close ends what the script left open.
func (c *call) close() {
	for _, f := range slices.Backward(c.closers) {
		f()
	}
}

// run runs the init script and what the message asks for.
func (c *call) run(start *startMessage) *doneMessage {
	done := &doneMessage{}
	l := c.newMachine()
	defer l.Close()
	defer c.close()
	err := c.runInit(l)
	if err == nil {
		err = c.runKind(l, start, done)
	}
	if err == nil {
		err = c.response.finish()
	}
	c.budget.check()
	done.Steps = c.budget.steps
	done.Responded = c.response.statusSet
	if reason := c.budget.exceeded; reason != "" && (err != nil || reason != ReasonCancelled) {
		done.Reason = reason
		err = c.budget.Err()
	}
	if err != nil {
		done.Error = strings.TrimSpace(message(err))
		done.Verdict, done.Hooks, done.Routes = nil, nil, nil
		done.Missing = isMissing(err)
	}
	return done
}
