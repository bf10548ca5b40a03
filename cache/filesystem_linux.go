package cache

import "golang.org/x/sys/unix"

func inMemory(st *unix.Statfs_t) bool {
	return st.Type == unix.TMPFS_MAGIC || st.Type == unix.RAMFS_MAGIC
}
