package lua

import (
	"fmt"
	"io/fs"
	"os"
	"slices"

	glua "github.com/yuin/gopher-lua"
)

// pathOrUpload returns argument n as a path: a string, or the number of an
// upload counted from 1.
func (c *call) pathOrUpload(l *glua.LState, n int) (string, error) {
	if _, ok := l.Get(n).(glua.LNumber); !ok {
		return stringArg(l, n)
	}
	up, err := c.uploadArg(l, n)
	return up.TempName, err
}

func (c *call) uploadArg(l *glua.LState, n int) (Upload, error) {
	i, err := integerArg(l, n)
	if err != nil {
		return Upload{}, err
	}
	if i < 1 || i > int64(len(c.request.Uploads)) {
		return Upload{}, fmt.Errorf("there is no upload %d", i)
	}
	return c.request.Uploads[i-1], nil
}

// isUpload tells whether path is a file of this very request.
func (c *call) isUpload(path string) bool {
	return slices.ContainsFunc(c.request.Uploads, func(u Upload) bool { return u.TempName == path })
}

// open opens a permitted file or an upload.
func (c *call) open(path string) (*os.File, error) {
	if c.isUpload(path) {
		return os.Open(path)
	}
	return c.jail.open(path)
}

func (c *call) stat(path string) (fs.FileInfo, error) {
	if c.isUpload(path) {
		return os.Stat(path)
	}
	return c.jail.stat(path)
}
