package lua

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	glua "github.com/yuin/gopher-lua"
)

var ownBindings = []binding{
	{"iiifd.estimate", "path, request", "Prices `region/size/rotation/quality.format` of a file. Returns true and `{peak_bytes, lane, width, height}`.", "", ownEstimate},
	{"iiifd.admission", "", "Returns true and the admission snapshot as a table; lists begin at 1.", "", ownAdmission},
	{"iiifd.purge", "identifier", "Removes the cached derivatives of an image. Returns true and their number.", "", ownPurge},
	{"iiifd.log", "level, message, [fields]", "Writes a structured log line at level \"debug\", \"info\", \"warn\" or \"error\". Returns true.", "", ownLog},
	{"iiifd.limits", "", "Returns `{memory, milliseconds, instructions}`: what is left of the call's time and instructions, and its memory limit in bytes; instructions is absent without a limit.", "", ownLimits},
}

func ownEstimate(c *call, l *glua.LState) int {
	path, err := c.imagePath(l, 1)
	if err != nil {
		return failed(l, err)
	}
	request, err := stringArg(l, 2)
	if err != nil {
		return failed(l, err)
	}
	return c.askTable(l, opEstimate, estimateMessage{Path: path, Request: request})
}

func ownAdmission(c *call, l *glua.LState) int { return c.askTable(l, opAdmission, nil) }

func ownPurge(c *call, l *glua.LState) int {
	id, err := stringArg(l, 1)
	if err != nil {
		return failed(l, err)
	}
	return c.askTable(l, opPurge, id)
}

// askTable answers with what the server replies.
func (c *call) askTable(l *glua.LState, op string, args any) int {
	reply, err := c.host.ask(op, args)
	if err != nil {
		return failed(l, err)
	}
	var v any
	if err := json.Unmarshal(reply, &v); err != nil {
		return failed(l, err)
	}
	return succeed(l, c.toLua(l, v, 1))
}

var ownLevels = []string{"debug", "info", "", "warn", "error"}

func ownLog(c *call, l *glua.LState) int {
	word, err := stringArg(l, 1)
	if err != nil {
		return failed(l, err)
	}
	level := slices.Index(ownLevels, word)
	if level < 0 || word == "" {
		return failed(l, fmt.Errorf("%q is not a log level", word))
	}
	text, err := stringArg(l, 2)
	if err != nil {
		return failed(l, err)
	}
	var fields map[string]any
	if l.Get(3) != glua.LNil {
		t, err := tableArg(l, 3)
		if err != nil {
			return failed(l, err)
		}
		v, err := c.toGo(l, t, 0)
		if err != nil {
			return failed(l, err)
		}
		var ok bool
		if fields, ok = v.(map[string]any); !ok && v != nil {
			return failed(l, errors.New("fields must have names"))
		}
	}
	return answer(l, glua.LNil, c.log(level, text, fields))
}

func ownLimits(c *call, l *glua.LState) int {
	t := l.NewTable()
	t.RawSetString("memory", glua.LNumber(c.budget.allowance))
	t.RawSetString("milliseconds", glua.LNumber(c.budget.remaining().Milliseconds()))
	if c.settings.MaxSteps > 0 {
		t.RawSetString("instructions", glua.LNumber(c.budget.maxSteps-c.budget.steps))
	}
	l.Push(t)
	return 1
}
