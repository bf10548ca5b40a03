package lua

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestCheck(t *testing.T) {
	for _, c := range []struct{ name, src, want string }{
		{"fine.lua", "local ok, t = server.fs.ftype(config.imgroot) server.print(server.header.accept, server.get.x, server.loglevel.LOG_ERR) db = sqlite('x') q = db << 'select 1' q = ~q", "1 note server.fs.ftype differs|1 note sqlite differs"},
		{"plain.lua", "function pre_flight(p, i, c) return 'allow', config.imgroot .. '/' .. i end", ""},
		{"syntax.lua", "x = 1\ny = = 2", "2 error unexpected '='"},
		{"five4.lua", "local x <const> = 1", "1 error attributes such as <const> are Lua 5.4"},
		{"big.lua", "x = 0x7fffffffffffffff", "1 error the integer"},
		{"io.lua", "\nlocal f = io.open('x')", "2 error io: scripts have no io library"},
		{"absent.lua", "if a then server.send_error(500) end\nfor i = 1, os.time() do end\nlocal t = {load(x)}\nserver.log('x', server.loglevel.error)\nreturn -cache.size", "1 error server.send_error: SIPI 7.0 removed it|2 error os.time: |3 error load: |4 error server.loglevel.error: does not exist|5 error cache: SIPI 5.0"},
		{"typo.lua", "server.sendheader('a', 'b') helper.x() config.imageroot = 1 print(config.imageroot)", "1 error server.sendheader does not exist|1 error helper.x does not exist|1 note print differs|1 error config.imageroot does not exist"},
		{"loglevel.lua", "x = server.loglevel.LOG_NONE", "1 error server.loglevel.LOG_NONE does not exist"},
		{"local.lua", "local function io() end io.x() local t = {} function t.f(debug) return debug.x end load = 1 x = load", ""},
		{"goto.lua", "goto nowhere", "2 error no visible label"},
		{"page.elua", "<html>\n<lua>server.send_error()</lua>\n<lua>local x = </lua>", "3 error unexpected end of file"},
		{"page2.elua", "<html>\n<lua>server.send_error()</lua>\n", "2 error server.send_error"},
		{"page3.elua", "<html>\n<lua>x()", "1 error"},
	} {
		path := filepath.Join(t.TempDir(), c.name)
		if err := os.WriteFile(path, []byte(c.src), 0o644); err != nil {
			t.Fatal(err)
		}
		findings, err := Check(path)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, f := range findings {
			got = append(got, strings.TrimPrefix(strings.Replace(strings.Replace(f.String(), path+":", "", 1), ": ", " ", 2), " "))
		}
		want := strings.Split(c.want, "|")
		if c.want == "" {
			want = nil
		}
		if len(got) != len(want) {
			t.Errorf("%s: got %q, want %q", c.name, got, want)
			continue
		}
		for i := range want {
			if !strings.HasPrefix(got[i], want[i]) {
				t.Errorf("%s: got %q, want %q", c.name, got[i], want[i])
			}
		}
	}
	if _, err := Check(filepath.Join(t.TempDir(), "none.lua")); err == nil {
		t.Error("a missing file has no error")
	}
}
