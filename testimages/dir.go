package testimages

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// Dir returns the folder of the sample files. It is found beside this source
// file, or, in programs built with -trimpath, by looking upward from the
// working directory; "" where there is none.
func Dir() string {
	if _, file, _, ok := runtime.Caller(0); ok {
		if dir := filepath.Join(filepath.Dir(file), "images"); holdsSamples(dir) {
			return dir
		}
	}
	at, err := os.Getwd()
	for err == nil {
		if dir := filepath.Join(at, "testimages", "images"); holdsSamples(dir) {
			return dir
		}
		up := filepath.Dir(at)
		if up == at {
			break
		}
		at = up
	}
	return ""
}

func holdsSamples(dir string) bool {
	info, err := os.Stat(filepath.Join(dir, "names"))
	return err == nil && info.IsDir()
}

// Path returns the path of a sample file and fails the test where the file
// is missing. Name is a File's Name, with slashes.
func Path(tb testing.TB, name string) string {
	tb.Helper()
	path := filepath.Join(Dir(), filepath.FromSlash(name))
	if _, err := os.Stat(path); err != nil {
		tb.Fatalf("testimages: no sample %q: %v", name, err)
	}
	return path
}
