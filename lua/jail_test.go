package lua

import (
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestFilesOutsideAreRefused(t *testing.T) {
	b := newBench(t, map[string]string{"in.txt": "inside"}, nil)
	outside := t.TempDir()
	secret := filepath.Join(outside, "secret.txt")
	if err := os.WriteFile(secret, []byte("secret"), 0o644); err != nil {
		t.Fatal(err)
	}
	for link, target := range map[string]string{"link": secret, "dirlink": outside, "dangling": filepath.Join(outside, "made"), "up": "../" + filepath.Base(outside) + "/secret.txt"} {
		if err := os.Symlink(target, filepath.Join(b.files, link)); err != nil {
			t.Fatal(err)
		}
	}
	paths := []string{
		secret, "/etc/passwd", b.files + "/../" + filepath.Base(outside) + "/secret.txt", b.files + "/link", b.files + "/dirlink/secret.txt",
		b.files + "/up", b.files + "x", "", "a\x00b", "/proc/self/environ", b.scripts + "/eval.lua", "/",
	}
	calls := []string{
		"server.fs.ftype(P)", "server.fs.modtime(P)", "server.fs.readdir(P)", "server.fs.is_readable(P)", "server.fs.exists(P)", "server.fs.unlink(P)",
		"server.fs.mkdir(P .. '/x', 511)", "server.fs.rmdir(P)", "server.fs.copyFile(P, config.imgroot .. '/got')", "server.fs.copyFile(config.imgroot .. '/in.txt', P)",
		"server.fs.moveFile(P, config.imgroot .. '/got')", "server.fs.moveFile(config.imgroot .. '/in.txt', P)", "server.file_mimetype(P)", "SipiImage.new(P)", "SipiImage.dims(P)",
		"pcall(sqlite, P, 'RO')", "pcall(sqlite, P .. '.db', 'CRW')", "iiifd.estimate(P, 'full/max/0/default.jpg')",
		"select(2, SipiImage.new(config.imgroot .. '/in.txt')):write(P .. '/x.jpg')", "select(2, SipiImage.new(config.imgroot .. '/in.txt')):watermark(P)",
	}
	for _, p := range paths {
		for _, call := range calls {
			if (strings.Contains(call, "unlink") || strings.Contains(call, "moveFile(")) && (strings.HasSuffix(p, "/link") || strings.HasSuffix(p, "/up")) {
				continue // works on the link itself
			}
			if strings.Contains(call, ".. '.db'") && (p == b.files+"/link" || p == b.files+"/up") {
				continue // a name inside
			}
			code := "server.print(tostring((" + strings.ReplaceAll(call, "P", luaString(p)) + ")))"
			if got := b.eval(code, nil); got != "false" {
				t.Errorf("%s of %q gives %q", call, p, got)
			}
		}
	}
	for _, c := range []string{"pcall(sqlite, config.imgroot .. '/dangling', 'CRW')", "server.fs.copyFile(config.imgroot .. '/in.txt', config.imgroot .. '/dangling')"} {
		if got := b.eval("server.print(tostring(("+c+")))", nil); got != "false" {
			t.Errorf("%s gives %q", c, got)
		}
	}
	if data, err := os.ReadFile(secret); string(data) != "secret" || err != nil {
		t.Errorf("the file outside: %q %v", data, err)
	}
	entries, _ := os.ReadDir(outside)
	if len(entries) != 1 {
		t.Errorf("files outside: %v", entries)
	}
}

func TestSQLiteStaysInside(t *testing.T) {
	b := newBench(t, nil, nil)
	outside := filepath.Join(t.TempDir(), "out.db")
	for _, sql := range []string{
		"ATTACH '" + outside + "' AS x", "VACUUM INTO '" + outside + "'", "SELECT load_extension('" + outside + "')",
		"SELECT writefile('" + outside + "', 'x')", "SELECT readfile('/etc/passwd')",
	} {
		code := "local db = sqlite(config.imgroot .. '/db', 'CRW') local q = db << 'create table if not exists t (a)' q() q = ~q\n" +
			"local ok, e = pcall(function() local q = db << " + `[[` + sql + `]]` + " return q() end) server.print(tostring(ok))"
		if got := b.eval(code, nil); got != "false" {
			t.Errorf("%s: %s", sql, got)
		}
	}
	if _, err := os.Stat(outside); err == nil {
		t.Error("a file was made outside")
	}
	code := "local db = sqlite(config.imgroot .. '/db') local q = db << [[WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c]] q()"
	b2 := newBench(t, map[string]string{"db": "", "slow.lua": code}, func(c *Config) { c.Timeout = 500e6 })
	_, _, err := b2.serve("slow.lua", nil)
	if k := (&KilledError{}); !asKilled(err, &k) || k.Reason != ReasonTime {
		t.Errorf("an endless query ends with %v", err)
	}
}

func TestSpecialAddressesAreRefused(t *testing.T) {
	allow, err := parseNetworks([]string{"10.1.0.0/16", "127.0.0.2"})
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]bool{
		"8.8.8.8": true, "2606:4700::1": true, "10.1.2.3": true, "127.0.0.2": true,
		"127.0.0.1": false, "10.2.0.1": false, "192.168.1.1": false, "172.16.0.1": false, "169.254.169.254": false, "0.0.0.0": false,
		"100.64.0.1": false, "224.0.0.1": false, "255.255.255.255": false, "::1": false, "::": false, "fe80::1": false, "fc00::1": false,
		"::ffff:127.0.0.1": false, "::127.0.0.1": false, "192.88.99.1": false, "::ffff:10.1.2.3": true, "64:ff9b::7f00:1": false, "2002:7f00:1::": false, "fe80::1%eth0": false, "ff02::1": false,
	} {
		if got := allow.permits(netip.MustParseAddr(text)); got != want {
			t.Errorf("%s permitted: %v", text, got)
		}
	}
	b := newBench(t, nil, nil)
	for _, url := range []string{"http://127.0.0.1:1/", "http://localhost:1/", "http://[::1]:1/", "http://0.0.0.0:1/", "http://[::ffff:127.0.0.1]:1/", "http://2130706433:1/"} {
		got := b.eval("local ok, e = server.http('GET', "+luaString(url)+") server.print(tostring(ok), e)", nil)
		if !strings.Contains(got, "is not permitted") && !strings.Contains(got, "no such host") && !strings.Contains(got, "lookup") || strings.HasPrefix(got, "true") {
			t.Errorf("%s: %s", url, got)
		}
	}
	if _, err := parseNetworks([]string{"localhost"}); err == nil {
		t.Error("a name passes for an address")
	}
}
