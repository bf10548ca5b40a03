package server_test

import (
	"net/http"
	"testing"
)

// TestIfMatchComparesStrongly asks with the tag of the answer itself (RFC
// 9110, 13.1.1; R151).
func TestIfMatchComparesStrongly(t *testing.T) {
	st := open(t, setup{dir: cases(t)})
	for _, path := range []string{"/iiif/3/I/full/10,/0/default.png", "/iiif/3/I/info.json", "/iiif/3/text.txt/file"} {
		tag := st.get(t, path).Header.Get("ETag")
		for value, want := range map[string]int{
			tag: http.StatusOK, `"a,b", ` + tag: http.StatusOK, "W/" + tag: http.StatusPreconditionFailed,
			tag[:len(tag)-2] + `"`: http.StatusPreconditionFailed, "nonsense": http.StatusPreconditionFailed,
		} {
			a := st.get(t, path, "If-Match: "+value)
			if a.StatusCode != want {
				t.Errorf("%s with If-Match %s: %d, want %d", path, value, a.StatusCode, want)
			}
			if want != http.StatusOK {
				problem(t, a, want, "precondition_failed")
			}
		}
	}
}
