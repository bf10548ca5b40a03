package docroot_test

import (
	"net/http"
	"strings"
	"testing"

	"example.com/iiifd/docroot"
)

func TestCleanRange(t *testing.T) {
	const size = 13
	for _, row := range []struct{ given, want string }{
		{"", ""},
		{"bytes=0-", "bytes=0-12"},
		{"bytes=4-4", "bytes=4-4"},
		{"bytes=-7", "bytes=6-12"},
		{"bytes=-0", "bytes=13-"},
		{"bytes=-0,-0", "bytes=13-"},
		{"bytes=-13", "bytes=0-12"},
		{"bytes=-14", "bytes=0-12"},
		{"bytes=13-13", "bytes=13-"},
		{"bytes=12-99999999999999999999", "bytes=12-12"},
		{"bytes=99999999999999999999-99999999999999999999", "bytes=13-"},
		{"bytes=-99999999999999999999", "bytes=0-12"},
		{"bytes=00000000000000000000000000001-1", "bytes=1-1"},
		{"BYTES= 1-2\t, ,-0,\t3-3", "bytes=1-2,3-3"},
		{"bytes=5-3", ""},
		{"bytes=0-1,5-3", ""},
		{"bytes=-", ""},
		{"bytes=", ""},
		{"bytes=,", ""},
		{"bytes", ""},
		{"bytes=1", ""},
		{"bytes=--1", ""},
		{"bytes=1--1", ""},
		{"bytes=+1-2", ""},
		{"bytes=1-2-3", ""},
		{"bytes=1 - 2", ""},
		{"bytes=0x1-2", ""},
		{"bytes=١-2", ""},
		{"lines=1-2", ""},
		{"bytes=" + strings.Repeat("0-0,", 64), "bytes=" + strings.Repeat("0-0,", 63) + "0-0"},
		{"bytes=" + strings.Repeat("0-0,", 65), ""},
	} {
		r := &http.Request{Header: http.Header{}}
		if row.given != "" {
			r.Header.Set("Range", row.given)
		}
		docroot.CleanRange(r, size)
		if got := r.Header.Get("Range"); got != row.want {
			t.Errorf("%.40q becomes %.40q, want %.40q", row.given, got, row.want)
		}
	}
}

func TestCleanRangeJoinsFields(t *testing.T) {
	r := &http.Request{Header: http.Header{"Range": {"bytes=0-0", "2-2"}}}
	docroot.CleanRange(r, 13)
	if got := r.Header.Values("Range"); len(got) != 1 || got[0] != "bytes=0-0,2-2" {
		t.Errorf("%q", got)
	}
}
