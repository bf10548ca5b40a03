package admission

import (
	"log/slog"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"pgregory.net/rapid"
)

func text(s string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(s)} }

const (
	mountV2 = "30 23 0:26 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw\n"
	mountV1 = "31 23 0:27 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n" +
		"32 23 0:28 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n"
	hostMem = "MemTotal:       33554432 kB\nMemFree:  1 kB\nMemAvailable:   16777216 kB\n"
)

func TestReadMemory(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		root fstest.MapFS
		want Memory
	}{
		"v2, own limit": {fstest.MapFS{
			"proc/self/cgroup": text("0::/app\n"), "proc/self/mountinfo": text(mountV2), "proc/meminfo": text(hostMem),
			"sys/fs/cgroup/app/memory.current": text("1\n"), "sys/fs/cgroup/app/memory.max": text("536870912\n"),
		}, Memory{512 * mib, SourceCgroupV2, 32 * gib, 16 * gib}},
		"v2, the parent has the tighter limit": {fstest.MapFS{
			"proc/self/cgroup": text("0::/a/b\n"), "proc/self/mountinfo": text(mountV2), "proc/meminfo": text(hostMem),
			"sys/fs/cgroup/a/b/memory.current": text("1\n"), "sys/fs/cgroup/a/b/memory.max": text("2147483648\n"),
			"sys/fs/cgroup/a/memory.max": text("1073741824\n"),
		}, Memory{gib, SourceCgroupV2, 32 * gib, 16 * gib}},
		"v2, max is no limit": {fstest.MapFS{
			"proc/self/cgroup": text("0::/app\n"), "proc/self/mountinfo": text(mountV2), "proc/meminfo": text(hostMem),
			"sys/fs/cgroup/app/memory.current": text("1\n"), "sys/fs/cgroup/app/memory.max": text("max\n"),
		}, Memory{0, "", 32 * gib, 16 * gib}},
		"v2, in a container whose path is not visible": {fstest.MapFS{
			"proc/self/cgroup": text("0::/../../pod/x\n"), "proc/self/mountinfo": text(mountV2),
			"sys/fs/cgroup/memory.current": text("1\n"), "sys/fs/cgroup/memory.max": text("1073741824\n"),
		}, Memory{gib, SourceCgroupV2, 0, 0}},
		"v2, mount root is the group": {fstest.MapFS{
			"proc/self/cgroup":             text("0::/docker/abc\n"),
			"proc/self/mountinfo":          text("30 23 0:26 /docker/abc /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n"),
			"sys/fs/cgroup/memory.current": text("1\n"), "sys/fs/cgroup/memory.max": text("1073741824\n"),
		}, Memory{gib, SourceCgroupV2, 0, 0}},
		"v1": {fstest.MapFS{
			"proc/self/cgroup": text("4:cpu,memory:/app\n0::/\n"), "proc/self/mountinfo": text(mountV1),
			"sys/fs/cgroup/memory/app/memory.usage_in_bytes": text("1\n"), "sys/fs/cgroup/memory/app/memory.limit_in_bytes": text("1073741824\n"),
			"sys/fs/cgroup/memory/memory.limit_in_bytes": text("9223372036854771712\n"),
		}, Memory{gib, SourceCgroupV1, 0, 0}},
		"v1, no limit": {fstest.MapFS{
			"proc/self/cgroup": text("4:memory:/app\n0::/\n"), "proc/self/mountinfo": text(mountV1), "proc/meminfo": text(hostMem),
			"sys/fs/cgroup/memory/app/memory.usage_in_bytes": text("1\n"), "sys/fs/cgroup/memory/app/memory.limit_in_bytes": text("9223372036854771712\n"),
		}, Memory{0, "", 32 * gib, 16 * gib}},
		"nothing readable": {fstest.MapFS{}, Memory{}},
	} {
		if got := ReadMemory(c.root); got != c.want {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}

func TestMountPointsWithSpaces(t *testing.T) {
	t.Parallel()
	table := parseMounts(`30 23 0:26 / /sys/fs/my\040cgroup rw - cgroup2 cgroup2 rw` + "\nshort\n")
	if len(table) != 1 || table[0].point != "sys/fs/my cgroup" {
		t.Errorf("%+v", table)
	}
}

func TestEnvelope(t *testing.T) {
	t.Parallel()
	machine := Memory{CgroupLimit: 2 * gib, CgroupSource: SourceCgroupV1, HostTotal: 8 * gib, HostAvailable: 4 * gib}
	host := Memory{HostTotal: 8 * gib, HostAvailable: 4 * gib}
	for _, c := range []struct {
		name     string
		override int64
		memory   Memory
		want     int64
		source   EnvelopeSource
		fault    string
	}{
		{"cgroup", 0, machine, 2 * gib, SourceCgroupV1, ""},
		{"host", 0, host, 4 * gib, SourceHost, ""},
		{"host has less than the cgroup allows", 0, Memory{CgroupLimit: 6 * gib, CgroupSource: SourceCgroupV2, HostTotal: 8 * gib, HostAvailable: gib}, gib, SourceHost, ""},
		{"override", gib, machine, gib, SourceOverride, ""},
		{"override above what is available but not above the host", 6 * gib, host, 6 * gib, SourceOverride, ""},
		{"override above the cgroup", 3 * gib, machine, 0, "", "cgroup"},
		{"override above the host", 9 * gib, host, 0, "", "host"},
		{"unknown", 0, Memory{}, 0, "", "memory-limit"},
		{"override on an unknown machine", gib, Memory{}, gib, SourceOverride, ""},
	} {
		got, source, err := envelope(c.override, c.memory)
		if got != c.want || source != c.source || (err == nil) != (c.fault == "") || (err != nil && !strings.Contains(err.Error(), c.fault)) {
			t.Errorf("%s: %d, %s, %v", c.name, got, source, err)
		}
	}
}

// typical is what a server with scripts needs.
func typical(tileMin, fullMax int) needs {
	return needs{
		idle: 60 * mib, goIdle: 20 * mib, scriptMemory: 64 * mib, threshold: 32 * mib,
		tileMin: tileMin, fullMax: fullMax, tilesMemoryRatio: 0.25,
	}
}

func TestBooksNeedNoTuning(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name             string
		envelope         int64
		n                needs
		full, cache, out int64
		slots            int
	}{
		{"256 MiB, 2 processors", 256 * mib, typical(1, 1), 38587596, 0, 4 * mib, 1},
		{"512 MiB, 2 processors", 512 * mib, typical(1, 1), 253335961, 0, 4 * mib, 1},
		{"512 MiB, 64 processors", 512 * mib, typical(32, 32), 219781529, 0, 4 * mib, 1},
		{"4 GiB, 8 processors", 4 * gib, typical(4, 4), 2433535180, 128 * mib, 256 * mib, 4},
		{"32 GiB, 8 processors", 32 * gib, typical(4, 4), 25411610214, 256 * mib, 256 * mib, 4},
		{"64 GiB, 16 processors", 64 * gib, typical(8, 8), 51423005900, 256 * mib, 256 * mib, 8},
	} {
		b, err := closeBooks(c.envelope, SourceCgroupV2, c.n)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if b.over() > 0 {
			t.Errorf("%s: %d bytes over: %+v", c.name, b.over(), b)
		}
		if b.FullBudget != c.full || b.MemoryCache != c.cache || b.Egress != c.out || b.ScriptSlots != c.slots {
			t.Errorf("%s: %+v", c.name, b)
		}
		if want := (c.n.goIdle+b.MemoryCache+b.Egress+b.Ingest+b.Scripts)*5/4 + min((b.Envelope-b.Usable)/2, 256*mib); b.GoMemLimit < want-4 || b.GoMemLimit > want {
			t.Errorf("%s: GOMEMLIMIT %d, want %d", c.name, b.GoMemLimit, want)
		}
	}
}

// TestHooksAreBooked: as many as are wanted where memory suffices, two where it
// is short, and one before the start fails.
func TestHooksAreBooked(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		envelope      int64
		slots, hooks  int
		hookBytes     int64
		scriptsAtHand int
	}{
		{4 * gib, 8, 8, 128 * mib, 1}, {512 * mib, 8, 2, 32 * mib, 1}, {192 * mib, 8, 1, 16 * mib, 1},
	} {
		n := typical(1, 1)
		n.hookMemory, n.hookSlots = 16*mib, c.slots
		if c.envelope < 256*mib {
			n.idle, n.scriptMemory = 40*mib, 16*mib
		}
		b, err := closeBooks(c.envelope, SourceCgroupV2, n)
		if err != nil || b.HookSlots != c.hooks || b.Hooks != c.hookBytes || b.ScriptSlots != c.scriptsAtHand || b.over() > 0 {
			t.Errorf("%d MiB: %+v %v", c.envelope/mib, b, err)
		}
	}
}

// TestBooksAlwaysClose: whatever the needs, the sum of the lines is usable, or
// the limit that the error names works and the one below it does not.
func TestBooksAlwaysClose(t *testing.T) {
	t.Parallel()
	least := regexp.MustCompile(`least that works is (\d+)MiB`)
	rapid.Check(t, func(t *rapid.T) {
		size := func(name string, most int64) int64 { return rapid.Int64Range(0, most).Draw(t, name) }
		n := needs{
			idle: size("idle", gib), goIdle: size("go", 100*mib), scriptMemory: size("script", 256*mib),
			hookMemory: size("hook", 64*mib), hookSlots: 1 + int(size("hooks", 256)), threshold: 1 + size("threshold", 256*mib),
			tileMin: 1 + int(size("tiles", 64)), fullMax: 1 + int(size("fulls", 64)), tilesMemoryRatio: rapid.Float64Range(0, 1).Draw(t, "ratio"),
			cache: size("cache", 64*mib), egress: size("egress", 64*mib), ingest: rapid.SampledFrom([]int64{0, 8 * mib, 64 * mib}).Draw(t, "ingest"),
		}
		b, err := closeBooks(1+size("envelope", 4*gib), SourceHost, n)
		if err == nil {
			if b.Hooks != int64(b.HookSlots)*n.hookMemory || n.hookMemory > 0 && (b.HookSlots < 1 || b.HookSlots > n.hookSlots) {
				t.Fatalf("hooks: %+v of %+v", b, n)
			}
			if b.over() > 0 || b.FullBudget < 0 || b.FullBudget > b.FullMost || b.TileReserve < n.threshold || b.Ingest < minIngest {
				t.Fatalf("%+v over by %d", b, b.over())
			}
			return
		}
		m := least.FindStringSubmatch(err.Error())
		if m == nil {
			t.Fatal(err)
		}
		mibs, _ := strconv.ParseInt(m[1], 10, 64)
		if !n.fitsIn(mibs*mib) || n.fitsIn((mibs-1)*mib) {
			t.Fatalf("%v: fits there %v, below %v", err, n.fitsIn(mibs*mib), n.fitsIn((mibs-1)*mib))
		}
	})
}

func TestOverrideTooSmallFailsStart(t *testing.T) {
	t.Parallel()
	cfg := defaults()
	cfg.MemoryLimit = 1
	_, err := New(cfg, Facts{Memory: &Memory{}, Manual: true, IdleFloor: 50 * mib}, slog.New(slog.DiscardHandler), nil)
	if err == nil || !strings.Contains(err.Error(), "memory-limit") || !strings.Contains(err.Error(), "least that works") {
		t.Errorf("got %v", err)
	}
}

func TestIdleGrowthShrinksTheFullBudget(t *testing.T) {
	t.Parallel()
	rss := 60 * mib
	r := newRig(t, func(_ *Config, f *Facts) {
		f.IdleFloor, f.RSS = 60*mib, func() (int64, bool) { return rss, true }
	})
	before := r.Snapshot().Budget.LimitBytes
	rss = 200 * mib
	for range idleSamples - 1 {
		r.Tick()
	}
	if got := r.Snapshot().Budget.LimitBytes; got != before {
		t.Errorf("shrank too early: %d", got)
	}
	r.Tick()
	if got := r.Snapshot().Budget.LimitBytes; got != before-140*mib {
		t.Errorf("budget %d, want %d", got, before-140*mib)
	}
	a := full("a")
	a.Peak = before
	if got := r.refused(t.Context(), a); got.Code != CodeExceedsBudget {
		t.Errorf("got %+v", got)
	}
	rss = 60 * mib
	for range idleSamples {
		r.Tick()
	}
	if got := r.Snapshot().Budget.LimitBytes; got != before {
		t.Errorf("budget %d after the idle process is small again, want %d", got, before)
	}
}

func TestThreads(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		n, cpus, most, fullMax int
		ratio                  float64
		want                   threads
	}{
		{0, 1, 0, 0, 0.5, threads{2, 1, 1, false}},
		{0, 8, 0, 0, 0.5, threads{8, 4, 4, false}},
		{0, 7, 0, 0, 0.5, threads{7, 4, 3, false}},
		{8, 2, 0, 0, 0, threads{8, 1, 7, false}},
		{8, 2, 0, 0, 1, threads{8, 7, 1, false}},
		{1, 8, 0, 0, 0.5, threads{1, 1, 1, false}},
		{8, 8, 4, 0, 0.5, threads{4, 2, 2, false}},
		{8, 8, 0, 2, 0.5, threads{8, 4, 2, true}},
		{8, 8, 0, 6, 0.5, threads{8, 4, 4, false}},
	} {
		cfg := Config{Threads: c.n, TilesThreadRatio: c.ratio, FullMax: c.fullMax}
		if got := deriveThreads(&cfg, c.cpus, c.most); got != c.want {
			t.Errorf("%+v: %+v", c, got)
		}
	}
}
