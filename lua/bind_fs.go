package lua

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	glua "github.com/yuin/gopher-lua"
	"golang.org/x/sys/unix"
)

const jailNote = "different: only below the permitted directories (`IIIFD_LUA_ROOTS`)"

var fsBindings = []binding{
	{"server.fs.ftype", "path", "Returns true and \"FILE\", \"DIRECTORY\", \"CHARDEV\", \"BLOCKDEV\", \"FIFO\", \"SOCKET\" or \"UNKNOWN\". Links are followed.", jailNote, fsType},
	{"server.fs.modtime", "path", "Returns true and the time of the last change in Unix seconds.", jailNote, fsModTime},
	{"server.fs.readdir", "path", "Returns true and the names in a directory, sorted, without those that begin with a dot.", jailNote, fsReadDir},
	{"server.fs.is_readable", "path", "Returns true and whether the file can be read.", jailNote, fsAccess(unix.R_OK)},
	{"server.fs.is_writeable", "path", "Returns true and whether the file can be written.", jailNote, fsAccess(unix.W_OK)},
	{"server.fs.is_executable", "path", "Returns true and whether the file can be executed.", jailNote, fsAccess(unix.X_OK)},
	{"server.fs.exists", "path", "Returns true and whether the file exists.", jailNote, fsExists},
	{"server.fs.unlink", "path", "Removes a file; returns true, nil.", jailNote, fsUnlink},
	{"server.fs.mkdir", "path, mode", "Creates one directory. The mode is the number itself: 511 is 0777.", jailNote, fsMkdir},
	{"server.fs.rmdir", "path", "Removes an empty directory.", jailNote, fsRmdir},
	{"server.fs.getcwd", "", "Returns true and the server's working directory.", "same", fsGetcwd},
	{"server.fs.copyFile", "from, to", "Copies a file.", jailNote, fsCopy},
	{"server.fs.moveFile", "from, to", "Moves a file, or the upload with that number; also between file systems.", jailNote, fsMove},
}

func fsType(c *call, l *glua.LState) int {
	path, err := stringArg(l, 1)
	if err != nil {
		return failed(l, err)
	}
	info, err := c.stat(path)
	if err != nil {
		return failed(l, err)
	}
	kind := "UNKNOWN"
	switch m := info.Mode(); {
	case m.IsRegular():
		kind = "FILE"
	case m.IsDir():
		kind = "DIRECTORY"
	case m&fs.ModeCharDevice != 0:
		kind = "CHARDEV"
	case m&fs.ModeDevice != 0:
		kind = "BLOCKDEV"
	case m&fs.ModeNamedPipe != 0:
		kind = "FIFO"
	case m&fs.ModeSocket != 0:
		kind = "SOCKET"
	}
	return succeed(l, glua.LString(kind))
}

func fsModTime(c *call, l *glua.LState) int {
	path, err := stringArg(l, 1)
	if err != nil {
		return failed(l, err)
	}
	info, err := c.stat(path)
	if err != nil {
		return failed(l, err)
	}
	return succeed(l, glua.LNumber(info.ModTime().Unix()))
}

func fsReadDir(c *call, l *glua.LState) int {
	path, err := stringArg(l, 1)
	if err != nil {
		return failed(l, err)
	}
	root, rel, err := c.jail.locate(path)
	if err != nil {
		return failed(l, err)
	}
	entries, err := fs.ReadDir(root.FS(), filepath.ToSlash(rel))
	if err != nil {
		return failed(l, err)
	}
	t := l.NewTable()
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), ".") {
			t.Append(glua.LString(e.Name()))
		}
	}
	return succeed(l, t)
}

// fsAccess asks the system about a file that lies within the jail.
func fsAccess(mode uint32) func(*call, *glua.LState) int {
	return func(c *call, l *glua.LState) int {
		path, err := stringArg(l, 1)
		if err != nil {
			return failed(l, err)
		}
		if _, err := c.stat(path); err != nil {
			if errors.Is(err, fs.ErrNotExist) {
				return succeed(l, glua.LFalse)
			}
			return failed(l, err)
		}
		return succeed(l, glua.LBool(unix.Access(path, mode) == nil))
	}
}

func fsExists(c *call, l *glua.LState) int {
	path, err := stringArg(l, 1)
	if err != nil {
		return failed(l, err)
	}
	_, err = c.stat(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return failed(l, err)
	}
	return succeed(l, glua.LBool(err == nil))
}

func fsUnlink(c *call, l *glua.LState) int { return c.remove(l, false) }
func fsRmdir(c *call, l *glua.LState) int  { return c.remove(l, true) }

func (c *call) remove(l *glua.LState, dir bool) int {
	path, err := stringArg(l, 1)
	if err != nil {
		return failed(l, err)
	}
	root, rel, err := c.jail.locate(path)
	if err != nil {
		return failed(l, err)
	}
	info, err := root.Lstat(rel)
	switch {
	case err != nil:
	case info.IsDir() && !dir:
		err = errors.New("is a directory")
	case !info.IsDir() && dir:
		err = errors.New("is not a directory")
	default:
		err = root.Remove(rel)
	}
	return answer(l, glua.LNil, err)
}

func fsMkdir(c *call, l *glua.LState) int {
	path, err := stringArg(l, 1)
	if err != nil {
		return failed(l, err)
	}
	mode, err := integerArg(l, 2)
	if err != nil {
		return failed(l, err)
	}
	root, rel, err := c.jail.locate(path)
	if err != nil {
		return failed(l, err)
	}
	return answer(l, glua.LNil, root.Mkdir(rel, fs.FileMode(mode)&fs.ModePerm))
}

func fsGetcwd(_ *call, l *glua.LState) int {
	dir, err := os.Getwd()
	return answer(l, glua.LString(dir), err)
}

func fsCopy(c *call, l *glua.LState) int {
	from, err := stringArg(l, 1)
	if err != nil {
		return failed(l, err)
	}
	to, err := stringArg(l, 2)
	if err != nil {
		return failed(l, err)
	}
	return answer(l, glua.LNil, c.copyFile(l, from, to))
}

func fsMove(c *call, l *glua.LState) int {
	from, err := c.pathOrUpload(l, 1)
	if err != nil {
		return failed(l, err)
	}
	to, err := stringArg(l, 2)
	if err != nil {
		return failed(l, err)
	}
	return answer(l, glua.LNil, c.moveFile(l, from, to))
}

// copyFile copies from one permitted file to another and looks at the budget
// on the way. A copy that fails leaves nothing behind.
func (c *call) copyFile(l *glua.LState, from, to string) error {
	src, err := c.open(from)
	if err != nil {
		return err
	}
	defer src.Close()
	if info, err := src.Stat(); err != nil || !info.Mode().IsRegular() {
		return errors.Join(errors.New("not a regular file"), err)
	}
	dst, err := c.jail.create(to)
	if err != nil {
		return err
	}
	var copyErr error
	for copyErr == nil && c.budget.check() == "" {
		_, copyErr = io.CopyN(dst, src, 1<<20)
	}
	if errors.Is(copyErr, io.EOF) {
		copyErr = nil
	}
	if err := errors.Join(copyErr, dst.Close(), c.budget.Err()); err != nil {
		if root, rel, locateErr := c.jail.locate(to); locateErr == nil {
			_ = root.Remove(rel)
		}
		c.budget.poll(l)
		return err
	}
	return nil
}

// moveFile renames a file, or copies and removes it. An upload is only
// copied: the server removes it.
func (c *call) moveFile(l *glua.LState, from, to string) error {
	toRoot, toRel, err := c.jail.locate(to)
	if err != nil {
		return err
	}
	fromRoot, fromRel, err := c.jail.locate(from)
	if err != nil {
		if c.isUpload(from) {
			return c.copyFile(l, from, to)
		}
		return err
	}
	if fromRoot == toRoot && fromRoot.Rename(fromRel, toRel) == nil {
		return nil
	}
	if err := c.copyFile(l, from, to); err != nil {
		return err
	}
	return fromRoot.Remove(fromRel)
}
