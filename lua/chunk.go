package lua

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	glua "github.com/yuin/gopher-lua"

	"example.com/iiifd/lua/syntax"
)

// maxScript bounds a script file, in bytes.
const maxScript = 4 << 20

// maxChunks bounds the number of compiled files kept.
const maxChunks = 256

// compile parses and compiles a chunk. Names appear in error messages.
func compile(src, name string) (*glua.FunctionProto, error) {
	stmts, err := syntax.Parse(src)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	proto, err := glua.Compile(stmts, name)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return proto, nil
}

// chunkCache keeps compiled files by path and version.
type chunkCache struct{ files map[string]*chunkFile }

type chunkFile struct {
	modTime time.Time
	size    int64
	proto   *glua.FunctionProto // of a .lua file
	parts   []eluaPart          // of a .elua file
}

func newChunkCache() *chunkCache { return &chunkCache{files: make(map[string]*chunkFile)} }

// load returns the compiled .lua file.
func (c *chunkCache) load(path string) (*glua.FunctionProto, error) {
	f, err := c.file(path, func(f *chunkFile, src string) error {
		proto, err := compile(src, filepath.Base(path))
		f.proto = proto
		return err
	})
	if err != nil {
		return nil, err
	}
	return f.proto, nil
}

// loadTemplate returns the compiled parts of an .elua file.
func (c *chunkCache) loadTemplate(path string) ([]eluaPart, error) {
	f, err := c.file(path, func(f *chunkFile, src string) error {
		parts, err := compileTemplate(src, filepath.Base(path))
		f.parts = parts
		return err
	})
	if err != nil {
		return nil, err
	}
	return f.parts, nil
}

// file returns the entry of path, filled anew where size or time of change
// differ.
func (c *chunkCache) file(path string, fill func(*chunkFile, string) error) (*chunkFile, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, noPath(err)
	}
	if f := c.files[path]; f != nil && f.size == info.Size() && f.modTime.Equal(info.ModTime()) {
		return f, nil
	}
	if !info.Mode().IsRegular() || info.Size() > maxScript {
		return nil, fmt.Errorf("%s is no file of at most %d bytes", filepath.Base(path), maxScript)
	}
	src, err := os.ReadFile(path)
	if err != nil {
		return nil, noPath(err)
	}
	f := &chunkFile{modTime: info.ModTime(), size: info.Size()}
	if err := fill(f, string(src)); err != nil {
		return nil, err
	}
	if len(c.files) >= maxChunks {
		clear(c.files)
	}
	c.files[path] = f
	return f, nil
}

// noPath takes the directory out of a file error.
func noPath(err error) error {
	if e, ok := err.(*fs.PathError); ok { //nolint:errorlint // package os returns it unwrapped
		return &fs.PathError{Op: e.Op, Path: filepath.Base(e.Path), Err: e.Err}
	}
	return err
}

// eluaPart is a piece of an .elua file: text or code.
type eluaPart struct {
	text  string
	proto *glua.FunctionProto
}

const eluaOpen, eluaClose = "<lua>", "</lua>"

// compileTemplate cuts text at <lua> and </lua>. Chunks keep the line
// numbers of the file.
func compileTemplate(src, name string) ([]eluaPart, error) {
	var parts []eluaPart
	line := 0
	for src != "" {
		text, rest, found := strings.Cut(src, eluaOpen)
		if text != "" {
			parts = append(parts, eluaPart{text: text})
		}
		if !found {
			break
		}
		line += strings.Count(text, "\n")
		code, after, closed := strings.Cut(rest, eluaClose)
		if !closed {
			return nil, fmt.Errorf("%s: line %d: %s is not closed", name, line+1, eluaOpen)
		}
		proto, err := compile(strings.Repeat("\n", line)+code, name)
		if err != nil {
			return nil, err
		}
		parts = append(parts, eluaPart{proto: proto})
		line += strings.Count(code, "\n")
		src = after
	}
	return parts, nil
}
