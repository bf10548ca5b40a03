package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestEstimateJSON(t *testing.T) {
	_, file := picture(t)
	status, stdout, stderr := invoke(t, nil, "estimate", file, "full/60,/90/default.jpg", "--json")
	if status != 0 {
		t.Fatal(stderr)
	}
	var e estimate
	if err := json.Unmarshal([]byte(stdout), &e); err != nil {
		t.Fatal(err)
	}
	sum := int64(0)
	for _, p := range e.Parts {
		sum += p.Bytes
		if p.Why == "" || p.Stage == "" {
			t.Errorf("a part without a reason: %+v", p)
		}
	}
	if e.Shape.Width != 120 || e.Shape.Height != 80 || e.Plan.Output != [2]int{40, 60} || e.Peak != sum || e.Peak <= 0 || e.Lane.Engine != "tile" || e.Measured != nil {
		t.Errorf("%+v", e)
	}
}

// TestEstimateMeasures runs the program itself, as --measure needs a process
// of its own.
func TestEstimateMeasures(t *testing.T) {
	program := filepath.Join(t.TempDir(), "iiifd")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	_, file := picture(t)
	out, err := exec.CommandContext(t.Context(), program, "estimate", file, "full/max/0/default.png", "--json", "--measure").Output()
	if err != nil {
		t.Fatal(err)
	}
	var e estimate
	if err := json.Unmarshal(out, &e); err != nil {
		t.Fatal(err)
	}
	if e.Measured == nil || e.Ratio == nil || *e.Measured > e.Peak {
		t.Errorf("measured %v of estimated %d", e.Measured, e.Peak)
	}
}

func TestExplain(t *testing.T) {
	dir, _ := picture(t)
	cacheDir := t.TempDir()
	status, stdout, stderr := invoke(t, nil, "explain", "/iiif/2/a.png/full/60,/0/default.jpg", dir, "--run", "--json", "--cache-dir", cacheDir)
	if status != 0 {
		t.Fatal(stderr)
	}
	var e explanation
	if err := json.Unmarshal([]byte(stdout), &e); err != nil {
		t.Fatal(err)
	}
	if e.Mount != "/iiif/2" || e.Kind != "image" || e.Identifier != "a.png" || e.Object == nil || e.Estimate == nil ||
		e.Estimate.Plan.Canonical != "full/60,/0/default.jpg" || e.Cached != "no" || e.Run == nil || e.Run.Bytes == 0 || e.ETag == "" {
		t.Errorf("%s", stdout)
	}
	for path, says := range map[string]string{
		"/iiif/3/none.png/full/max/0/default.jpg": "no such image",
		"/iiif/3/a.png/full/max/0/default.xyz":    "format",
		"/other/a.png/info.json":                  "no mount",
	} {
		if status, _, stderr := invoke(t, nil, "explain", path, dir); status != 1 || !strings.Contains(stderr, says) {
			t.Errorf("%s: %d %q", path, status, stderr)
		}
	}
}

// TestExplainShowsThePolicy asks hooks as a client with a cookie would.
func TestExplainShowsThePolicy(t *testing.T) {
	dir, _ := picture(t)
	scripts := t.TempDir()
	code := `function pre_flight(prefix, identifier, cookie)
		local path = config.imgroot .. '/' .. identifier
		if cookie == 'who=friend' then return 'allow', path end
		if cookie == 'who=guest' then return { type = 'restrict', size = '!30,30' }, path end
		if cookie == 'who=new' then return { type = 'login', cookieUrl = 'https://a/in', tokenUrl = 'https://a/token' }, path end
		if cookie == 'who=bad' then error('broken') end
		if cookie == 'who=lost' then return 'allow', '/etc/hostname' end
		if cookie == 'who=own' then server.sendStatus(418) return end
		return 'deny'
	end`
	if err := os.WriteFile(filepath.Join(scripts, "init.lua"), []byte(code), 0o600); err != nil {
		t.Fatal(err)
	}
	for who, want := range map[string]struct {
		status int
		out    string
	}{
		"friend": {0, "policy    allow"}, "guest": {0, "policy    restrict, size !30,30"}, "new": {0, "policy    login, file " + dir + "/a.png, login https://a/in: 401"},
		"own": {0, "policy    respond: 418"}, "nobody": {0, "policy    deny: 403"}, "bad": {1, "broken"}, "lost": {1, "outside of what may be served"},
	} {
		status, out, errs := invoke(t, nil, "explain", "/iiif/3/a.png/full/max/0/default.jpg", dir, "--header", "Cookie: who="+who, "--script-dir", scripts, "--init-script", "init.lua")
		if status != want.status || !strings.Contains(out+errs, want.out) {
			t.Errorf("%s: %d %s%s", who, status, out, errs)
		}
		if planned := strings.Contains(out, "etag"); planned != (who == "friend" || who == "guest") {
			t.Errorf("%s: %s", who, out)
		}
	}
	status, out, errs := invoke(t, nil, "explain", "--json", "/iiif/3/a.png/full/max/0/default.jpg", dir, "--header=Cookie: who=guest", "--script-dir", scripts, "--init-script", "init.lua")
	var e explanation
	if err := json.Unmarshal([]byte(out), &e); err != nil || status != 0 || e.Policy == nil || e.Policy.Verdict != "restrict" || e.Estimate.Plan.Output != [2]int{30, 20} {
		t.Errorf("%d %v %s%s", status, err, out, errs)
	}
	if status, _, _ := invoke(t, nil, "explain", "/iiif/3/a.png/info.json", dir, "--header"); status != 2 {
		t.Errorf("a header without a value: %d", status)
	}
	if status, _, _ := invoke(t, nil, "explain", "/iiif/3/a.png/info.json", dir, "--header", "nonsense", "--script-dir", scripts, "--init-script", "init.lua"); status != 2 {
		t.Errorf("no header: %d", status)
	}
}

func TestSizeText(t *testing.T) {
	for n, want := range map[int64]string{0: "0 bytes", 1023: "1023 bytes", 1536: "1.5 KiB", 422243: "412.3 KiB", 10 << 30: "10.0 GiB", 5 << 50: "5120.0 TiB"} {
		if got := sizeText(n); got != want {
			t.Errorf("%d is %s, want %s", n, got, want)
		}
	}
}

func TestCacheCommand(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct {
		args   []string
		status int
		says   string
	}{
		{[]string{"stat"}, 0, "0 files"},
		{[]string{"verify"}, 0, "0 damaged"},
		{[]string{"purge", "--all"}, 0, "removed 0 files"},
		{[]string{"purge", "a.tif", "b.tif"}, 0, "removed 0 files"},
		{[]string{"stat"}, 0, dir},
		{[]string{"purge"}, 2, "nothing is selected"},
		{[]string{"purge", "--older-than", "soon"}, 2, "duration"},
		{[]string{"stat", "x"}, 2, "no arguments"},
		{[]string{}, 2, "needs one of"},
	} {
		args := append([]string{"cache", "--cache-dir", dir}, c.args...)
		status, stdout, stderr := invoke(t, nil, args...)
		if status != c.status || !strings.Contains(stdout+stderr, c.says) {
			t.Errorf("%v: %d %q %q", c.args, status, stdout, stderr)
		}
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) > 1 {
		t.Errorf("looking left %v, %v", entries, err)
	}
}
