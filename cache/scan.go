package cache

import (
	"context"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"
)

// found is an entry's file as a directory shows it.
type found struct {
	id   id
	path string
	size int64
	// made is the modification time. used is the access time, which the
	// cache sets when it serves the file, or made if that is later.
	made, used time.Time
}

// scan calls visit for each entry below root, in no order, without opening
// the files. Names that are not entries are left alone. visit may remove the
// file; what it returns ends the scan. A missing root has no entries.
func scan(ctx context.Context, root string, visit func(found) error) error {
	for n := range 256 {
		fan := filepath.Join(root, hex.EncodeToString([]byte{byte(n)}))
		if err := scanFan(ctx, fan, visit); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

func scanFan(ctx context.Context, fan string, visit func(found) error) error {
	dir, err := os.Open(fan)
	if err != nil {
		return err
	}
	defer dir.Close()
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		names, err := dir.Readdirnames(1024)
		for _, name := range names {
			f, ok := look(fan, name)
			if !ok {
				continue
			}
			if err := visit(f); err != nil {
				return err
			}
		}
		if len(names) == 0 {
			if err == nil || errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
	}
}

// look describes the entry of that name in the directory fan; false where
// there is none.
func look(fan, name string) (found, bool) {
	f := found{path: filepath.Join(fan, name)}
	var err error
	if f.id, err = parseName(name); err != nil || f.id.fan() != filepath.Base(fan) {
		return f, false
	}
	var st unix.Stat_t
	if err := unix.Lstat(f.path, &st); err != nil || st.Mode&unix.S_IFMT != unix.S_IFREG {
		return f, false
	}
	f.size = st.Size
	f.made = time.Unix(st.Mtim.Unix())
	f.used = time.Unix(st.Atim.Unix())
	if f.used.Before(f.made) {
		f.used = f.made
	}
	return f, true
}
