package lua

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	glua "github.com/yuin/gopher-lua"
)

// missingScriptError is returned where the script of a route does not exist.
type missingScriptError struct{ name string }

func (e *missingScriptError) Error() string { return e.name + ": no such script" }

func isMissing(err error) bool {
	var e *missingScriptError
	return errors.As(err, &e)
}

// runInit runs the init script, if there is one.
func (c *call) runInit(l *glua.LState) error {
	if c.settings.InitScript == "" {
		return nil
	}
	proto, err := c.chunks.load(c.settings.scriptPath(c.settings.InitScript))
	if err != nil {
		return fmt.Errorf("init script: %w", err)
	}
	return protect(l, l.NewFunctionFromProto(proto), 0)
}

// protect calls a function and returns the script's error as a Go error.
func protect(l *glua.LState, fn glua.LValue, results int, args ...glua.LValue) error {
	err := l.CallByParam(glua.P{Fn: fn, NRet: results, Protect: true}, args...)
	if err == nil {
		return nil
	}
	v := errorValue(err)
	if _, ok := v.(*glua.LTable); ok {
		return errors.New(l.ToStringMeta(v).String())
	}
	return errors.New(v.String())
}

func (c *call) runKind(l *glua.LState, start *startMessage, done *doneMessage) error {
	switch start.Kind {
	case callProbe:
		return c.probe(l, done)
	case callScript:
		return c.runScript(l, start.Script)
	case callHook:
		return c.runHook(l, globalHook, start.Args, done)
	case callFile:
		return c.runHook(l, globalFile, start.Args, done)
	}
	return fmt.Errorf("unknown kind of call %q", start.Kind)
}

// runScript runs a .lua file, or writes an .elua file.
func (c *call) runScript(l *glua.LState, script string) error {
	path := c.settings.scriptPath(script)
	switch filepath.Ext(path) {
	case ".lua":
		proto, err := c.chunks.load(path)
		if err != nil {
			return missing(err, path)
		}
		return protect(l, l.NewFunctionFromProto(proto), 0)
	case ".elua":
		parts, err := c.chunks.loadTemplate(path)
		if err != nil {
			return missing(err, path)
		}
		for _, part := range parts {
			if part.proto == nil {
				if err := c.response.write([]byte(part.text)); err != nil {
					return err
				}
				continue
			}
			if err := protect(l, l.NewFunctionFromProto(part.proto), 0); err != nil {
				return err
			}
		}
		return nil
	}
	return fmt.Errorf("%s is neither .lua nor .elua", filepath.Base(path))
}

func missing(err error, path string) error {
	if errors.Is(err, fs.ErrNotExist) {
		return &missingScriptError{filepath.Base(path)}
	}
	return err
}

// probe reports which hooks and routes the init script defines.
func (c *call) probe(l *glua.LState, done *doneMessage) error {
	for _, name := range []string{globalHook, globalFile} {
		switch v := l.GetGlobal(name); v.Type() {
		case glua.LTFunction:
			done.Hooks = append(done.Hooks, name)
		case glua.LTNil:
		default:
			return fmt.Errorf("%s is a %s, not a function", name, v.Type())
		}
	}
	switch v := l.GetGlobal(globalRoutes).(type) {
	case *glua.LNilType:
	case *glua.LTable:
		for i := 1; i <= v.Len(); i++ {
			row, ok := v.RawGetInt(i).(*glua.LTable)
			if !ok {
				return fmt.Errorf("routes[%d] is not a table", i)
			}
			r := Route{
				Method: row.RawGetString("method").String(),
				Path:   row.RawGetString("route").String(),
				Script: row.RawGetString("script").String(),
			}
			if err := r.validate(); err != nil {
				return fmt.Errorf("routes[%d]: %w", i, err)
			}
			done.Routes = append(done.Routes, r)
		}
	default:
		return errors.New("routes is not a table")
	}
	return nil
}

// runHook calls a hook and reads what it returned: a word or a table of
// strings with a type, then a path.
func (c *call) runHook(l *glua.LState, name string, args []string, done *doneMessage) error {
	values := make([]glua.LValue, len(args))
	for i, a := range args {
		values[i] = glua.LString(a)
	}
	if err := protect(l, l.GetGlobal(name), 2, values...); err != nil {
		return err
	}
	if c.response.statusSet {
		return nil
	}
	result, path := l.Get(-2), l.Get(-1)
	v := &verdict{Values: map[string]string{}}
	switch r := result.(type) {
	case glua.LString:
		v.Type = string(r)
	case *glua.LTable:
		var bad error
		r.ForEach(func(k, val glua.LValue) {
			text, ok := val.(glua.LString)
			if _, isName := k.(glua.LString); !isName || !ok {
				bad = fmt.Errorf("%s: the value of %q is a %s, not a string", name, k.String(), val.Type())
				return
			}
			v.Values[k.String()] = string(text)
		})
		if bad != nil {
			return bad
		}
		v.Type = v.Values["type"]
	default:
		return fmt.Errorf("%s returned a %s, not a string or table", name, result.Type())
	}
	if text, ok := path.(glua.LString); ok {
		v.Path = string(text)
	} else if path != glua.LNil {
		return fmt.Errorf("%s returned a %s as path", name, path.Type())
	}
	done.Verdict = v
	return nil
}
