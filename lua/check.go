package lua

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	glua "github.com/yuin/gopher-lua"
	"github.com/yuin/gopher-lua/ast"

	"example.com/iiifd/lua/syntax"
)

// Severity is the weight of a finding.
type Severity string

// The severities. A script with an error does not run, or stops where the
// finding is; a note marks what behaves differently from SIPI.
const (
	SeverityError Severity = "error"
	SeverityNote  Severity = "note"
)

// Finding is a place in a script that will not run as it does in SIPI.
type Finding struct {
	File     string   `json:"file"`
	Line     int      `json:"line"`
	Column   int      `json:"column,omitempty"` // 0 where only the line is known
	Severity Severity `json:"severity"`
	Message  string   `json:"message"`
}

func (f Finding) String() string {
	return fmt.Sprintf("%s:%d: %s: %s", f.File, f.Line, f.Severity, f.Message)
}

// Check reads a .lua or .elua file and reports what will not run here and
// why: syntax, names that do not exist, and calls that differ from SIPI's in
// a way that scripts can notice. It runs nothing. What a script does by
// computed names it cannot see.
func Check(file string) ([]Finding, error) {
	src, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	c := &checker{file: file, known: map[string]string{}, declared: map[string]bool{}}
	for _, t := range functionTables() {
		for _, b := range t.bindings {
			c.known[b.name] = b.sipi
		}
	}
	for _, name := range keptNames() {
		c.known[name] = keptComparison[name]
	}
	for _, f := range fields() {
		c.known[f.name] = f.sipi
	}
	text := string(src)
	if strings.HasSuffix(file, ".elua") {
		if text, err = c.template(text); err != nil {
			return c.findings, nil //nolint:nilerr // reported as a finding
		}
	}
	stmts, err := syntax.Parse(text)
	if err != nil {
		c.syntaxError(err)
		return c.findings, nil
	}
	c.block(stmts)
	c.judging = true
	c.block(stmts)
	if _, err := glua.Compile(stmts, file); err != nil {
		line, text := 0, err.Error()
		if e, ok := errors.AsType[*glua.CompileError](err); ok {
			line, text = e.Line, e.Message
		}
		c.add(line, SeverityError, "%s", text)
	}
	slices.SortStableFunc(c.findings, func(a, b Finding) int { return a.Line - b.Line })
	return slices.Compact(c.findings), nil
}

// checker walks a script twice: first it collects the names that the script
// declares itself, then it judges the others.
type checker struct {
	file     string
	judging  bool
	declared map[string]bool
	known    map[string]string // name → how it compares with SIPI
	findings []Finding
}

func (c *checker) declare(names ...string) {
	for _, name := range names {
		c.declared[name] = true
	}
}

func (c *checker) add(line int, s Severity, format string, args ...any) {
	c.findings = append(c.findings, Finding{File: c.file, Line: line, Severity: s, Message: fmt.Sprintf(format, args...)})
}

func (c *checker) syntaxError(err error) {
	f := Finding{File: c.file, Severity: SeverityError, Message: err.Error()}
	if e, ok := errors.AsType[*syntax.Error](err); ok {
		f.Line, f.Column, f.Message = e.Line, e.Column, e.Message
	}
	c.findings = append(c.findings, f)
}

// template turns the text of an .elua file into blanks, so that one chunk
// with the same lines is left; it reports what chunks lack on their own.
func (c *checker) template(src string) (string, error) {
	if _, err := compileTemplate(src, c.file); err != nil {
		if e, ok := errors.AsType[*syntax.Error](err); ok {
			c.syntaxError(e)
		} else {
			c.add(1, SeverityError, "%s", err.Error())
		}
		return "", err
	}
	var out strings.Builder
	for src != "" {
		text, rest, found := strings.Cut(src, eluaOpen)
		out.WriteString(strings.Repeat("\n", strings.Count(text, "\n")))
		if !found {
			break
		}
		code, after, _ := strings.Cut(rest, eluaClose)
		out.WriteString(" do " + code + " end ")
		src = after
	}
	return out.String(), nil
}

// absent are names that SIPI or Lua 5.3 has, or had, and scripts here do not
// find; a name below one of them is absent as well.
var absent = map[string]string{
	"io":                    "scripts have no io library; use server.fs and server.print",
	"debug":                 "not available, as in SIPI",
	"coroutine":             "not available, as in SIPI",
	"dofile":                "not available, as in SIPI; use require",
	"loadfile":              "not available, as in SIPI; use require",
	"load":                  "not available, as in SIPI",
	"loadstring":            "not available, as in SIPI",
	"collectgarbage":        "not available, as in SIPI",
	"setfenv":               "is Lua 5.1",
	"getfenv":               "is Lua 5.1",
	"module":                "is Lua 5.1; return a table from the module",
	"cache":                 "SIPI 5.0 removed it; iiifd.purge removes the derivatives of an image",
	"os.execute":            "not available, as in SIPI",
	"os.exit":               "not available, as in SIPI",
	"os.remove":             "not available, as in SIPI; use server.fs.unlink",
	"os.rename":             "not available, as in SIPI; use server.fs.moveFile",
	"os.tmpname":            "not available, as in SIPI; use config.tmpdir and server.uuid",
	"os.time":               "not available, as in SIPI; use server.systime",
	"string.pack":           "the Lua machine here has none",
	"string.unpack":         "the Lua machine here has none",
	"string.packsize":       "the Lua machine here has none",
	"string.dump":           "compiled code cannot be loaded, as in SIPI",
	"table.getn":            "is Lua 5.0; use #",
	"server.send_error":     "SIPI 7.0 removed it; use server.sendStatus and server.print",
	"server.shutdown":       "SIPI 7.0 removed it",
	"server.fs.chdir":       "SIPI 7.0 removed it; the server's directory is everybody's",
	"server.db":             "never existed; use sqlite",
	"config.password":       "SIPI 7.0 removed it",
	"config.adminuser":      "SIPI 7.0 removed it",
	"math.maxinteger":       "is 2^53 here: numbers are floats",
	"math.mininteger":       "is -2^53 here: numbers are floats",
	"package.loadlib":       "not available, as in SIPI",
	"package.searchpath":    "not available, as in SIPI",
	"package.searchers":     "not available",
	"server.loglevel.error": "does not exist; write server.loglevel.LOG_ERR",
}

// ours are the tables whose fields are all known.
var ours = []string{"server", "server.fs", "config", "helper", "SipiImage", "os", "string", "table", "math", "utf8", "bit32", "iiifd", "server.loglevel"}

// name judges a global name or a chain of fields.
func (c *checker) name(line int, name string) {
	first, _, _ := strings.Cut(name, ".")
	if !c.judging || c.declared[first] {
		return
	}
	for part := name; ; {
		if why, bad := absent[part]; bad {
			s := SeverityError
			if _, there := c.known[part]; there {
				s = SeverityNote
			}
			c.add(line, s, "%s: %s", part, why)
			return
		}
		i := strings.LastIndexByte(part, '.')
		if i < 0 {
			break
		}
		part = part[:i]
	}
	how, known := c.known[name]
	if !known {
		i := strings.LastIndexByte(name, '.')
		table := i > 0 && slices.Contains(ours, name[:i]) && !slices.Contains(ours, name)
		if table && !isLogLevel(name) {
			c.add(line, SeverityError, "%s does not exist", name)
		}
		return
	}
	if what, different := strings.CutPrefix(how, "different: "); different {
		c.add(line, SeverityNote, "%s differs from SIPI's: %s", name, what)
	}
}

func isLogLevel(name string) bool {
	for _, l := range logLevels {
		if name == "server.loglevel."+l.name {
			return true
		}
	}
	return false
}

// chain returns the dotted name of an expression, "" for another one.
func chain(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.IdentExpr:
		return e.Value
	case *ast.AttrGetExpr:
		key, ok := e.Key.(*ast.StringExpr)
		if object := chain(e.Object); ok && object != "" {
			return object + "." + key.Value
		}
	}
	return ""
}
