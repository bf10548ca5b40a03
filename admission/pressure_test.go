package admission

import (
	"fmt"
	"io/fs"
	"log/slog"
	"sync"
	"testing"
	"testing/fstest"
	"time"
)

// machine is a file system whose files a test rewrites.
type machine struct {
	mu    sync.Mutex
	files fstest.MapFS
}

// Open implements fs.FS.
func (m *machine) Open(name string) (fs.File, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.files.Open(name)
}

func (m *machine) set(name, content string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.files[name] = text(content)
}

func (m *machine) remove(name string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.files, name)
}

const own = "sys/fs/cgroup/app/"

// newMachine is a cgroup v2 group with a limit of 1000 MiB, idle.
func newMachine() *machine {
	return &machine{files: fstest.MapFS{
		"proc/self/cgroup": text("0::/app\n"), "proc/self/mountinfo": text(mountV2), "proc/meminfo": text(hostMem),
		"proc/pressure/memory": text(stall(0, 0)),
		own + "cgroup.events":  text("populated 1\n"),
		own + "memory.current": text("104857600\n"), own + "memory.max": text("1048576000\n"), own + "memory.high": text("max\n"),
		own + "memory.stat": text("anon 1\n"), own + "memory.events": text("low 0\nhigh 0\nmax 0\noom 0\noom_kill 0\n"),
		own + "memory.pressure": text(stall(0, 0)),
	}}
}

func stall(some, full float64) string {
	return fmt.Sprintf("some avg10=%.2f avg60=0.00 avg300=0.00 total=0\nfull avg10=%.2f avg60=0.00 avg300=0.00 total=0\n", some, full)
}

// use sets the group's working set and page cache, in percent of the limit.
func (m *machine) use(workingSet, cache float64) {
	const limit = 1048576000
	m.set(own+"memory.current", fmt.Sprintln(int64((workingSet+cache)/100*limit)))
	m.set(own+"memory.stat", fmt.Sprintf("anon 1\nfile %d\ninactive_file %d\nactive_file %d\n",
		int64(cache/100*limit), int64(cache/200*limit), int64(cache/200*limit)))
}

// tracker samples a machine once a second.
type tracker struct {
	*pressure
	now time.Duration
}

func newTracker(m *machine, change func(*Config, *Facts)) *tracker {
	cfg := defaults()
	facts := Facts{Root: m}
	if change != nil {
		change(&cfg, &facts)
	}
	facts = facts.withDefaults()
	size, source, err := envelope(cfg.MemoryLimit, *facts.Memory)
	if err != nil {
		panic(err)
	}
	facts.Since = func() time.Duration { return 0 }
	books := Books{Envelope: size, Source: source, GoMemLimit: 100 * mib}
	return &tracker{pressure: newPressure(&cfg, &facts, books, slog.New(slog.DiscardHandler), newMetrics(nil, 1))}
}

func (p *tracker) sample(n int) Severity {
	for range n {
		p.now += sampleEvery
		p.update(p.now, p.sampler.read())
	}
	return p.severity(p.now)
}

func (p *tracker) values() map[string]float64 {
	out := map[string]float64{}
	for _, s := range p.snapshot(p.now).signals {
		out[s.name] = s.value
	}
	return out
}

func TestPageCacheIsNoPressure(t *testing.T) {
	t.Parallel()
	m := newMachine()
	p := newTracker(m, nil)
	m.use(38, 61.8)
	if got := p.sample(5); got != SeverityNormal {
		t.Errorf("severity %v at %v", got, p.values())
	}
	if got := p.values()[signalCgroup]; got < 0.379 || got > 0.381 {
		t.Errorf("working set %v", got)
	}
	// tmpfs stands in "file" but not in the two lists: it is no cache.
	m.set(own+"memory.stat", "file 648019968\ninactive_file 0\nactive_file 0\n")
	if got := p.sample(2); got != SeverityCritical {
		t.Errorf("severity %v at %v", got, p.values())
	}
}

func TestHostStallDoesNotCountBesideTheCgroups(t *testing.T) {
	t.Parallel()
	m := newMachine()
	p := newTracker(m, nil)
	m.set("proc/pressure/memory", stall(90, 90))
	if got := p.sample(5); got != SeverityNormal {
		t.Errorf("severity %v", got)
	}
	m.remove(own + "memory.pressure")
	if got := p.sample(5); got != SeverityNormal {
		t.Errorf("the host's stands in although the cgroup has a limit: %v", got)
	}
	if _, ok := p.values()[signalPSISome]; ok {
		t.Error("an unreadable signal is present")
	}
	m.set(own+"memory.max", "max\n")
	p = newTracker(m, nil)
	if got := p.sample(2); got != SeverityCritical {
		t.Errorf("without a limit the host's counts: %v", got)
	}
	p = newTracker(m, func(c *Config, _ *Facts) { c.PressurePSI = PSICgroup })
	if got := p.sample(5); got != SeverityNormal {
		t.Errorf("cgroup only: %v", got)
	}
	m.set(own+"memory.pressure", stall(90, 90))
	p = newTracker(m, func(c *Config, _ *Facts) { c.PressurePSI = PSIOff })
	if got := p.sample(5); got != SeverityNormal {
		t.Errorf("off: %v", got)
	}
}

func TestOOMEventIsCriticalAtOnceAndHolds(t *testing.T) {
	t.Parallel()
	m := newMachine()
	m.set(own+"memory.events", "oom 7\noom_kill 3\n")
	p := newTracker(m, nil)
	if got := p.sample(2); got != SeverityNormal {
		t.Errorf("the first sample is the baseline: %v", got)
	}
	m.set(own+"memory.events", "oom 8\noom_kill 3\n")
	if got := p.sample(1); got != SeverityCritical || p.snapshot(p.now).reason != reasonOOM {
		t.Errorf("after the event: %v", got)
	}
	for range 4 {
		if _, oom := p.gate(p.now); !oom {
			t.Errorf("no hold at %v", p.now)
		}
		if got := p.sample(1); got != SeverityCritical {
			t.Errorf("left critical at %v", p.now)
		}
	}
	if got := p.sample(1); got != SeverityNormal {
		t.Errorf("after the hold: %v", got)
	}
	m.set(own+"memory.events", "oom 0\noom_kill 0\n")
	if got := p.sample(2); got != SeverityNormal {
		t.Errorf("a reset is no event: %v", got)
	}
}

func TestHysteresis(t *testing.T) {
	t.Parallel()
	m := newMachine()
	p := newTracker(m, nil)
	step := func(workingSet float64, want Severity) {
		t.Helper()
		m.use(workingSet, 0)
		if got := p.sample(1); got != want {
			t.Errorf("at %v %%: %v, want %v", workingSet, got, want)
		}
	}
	step(80, SeverityNormal)
	step(80, SeverityNormal) // between recovery and high: no step
	step(86, SeverityNormal)
	step(80, SeverityNormal) // the run is broken
	step(86, SeverityNormal)
	step(93, SeverityHigh) // two at high or above
	step(93, SeverityCritical)
	step(86, SeverityCritical)
	step(86, SeverityHigh) // two below critical
	step(80, SeverityHigh)
	step(80, SeverityHigh) // not below recovery
	step(74, SeverityNormal)
	step(93, SeverityNormal)
	step(93, SeverityCritical)
	step(80, SeverityCritical)
	step(80, SeverityHigh)
	step(74, SeverityNormal)
	step(95, SeverityNormal)
	step(95, SeverityCritical)
	step(10, SeverityNormal) // everything recovered: at once
}

func TestAlternatingReasonsStillTrip(t *testing.T) {
	t.Parallel()
	m := newMachine()
	p := newTracker(m, nil)
	m.use(95, 0)
	p.sample(1)
	m.use(10, 0)
	m.set(own+"memory.pressure", stall(70, 0))
	if got := p.sample(1); got != SeverityCritical {
		t.Errorf("severity %v", got)
	}
}

func TestSignalsOfV1AndHybrid(t *testing.T) {
	t.Parallel()
	const dir = "sys/fs/cgroup/memory/app/"
	m := &machine{files: fstest.MapFS{
		"proc/self/cgroup": text("4:memory:/app\n0::/u\n"), "proc/self/mountinfo": text(mountV1), "proc/meminfo": text(hostMem),
		dir + "memory.usage_in_bytes": text("950000000\n"), dir + "memory.limit_in_bytes": text("1000000000\n"),
		dir + "memory.stat":                          text("inactive_file 1\ntotal_inactive_file 500000000\ntotal_active_file 50000000\n"),
		dir + "memory.oom_control":                   text("oom_kill_disable 0\nunder_oom 0\noom_kill 1\n"),
		"sys/fs/cgroup/unified/u/cgroup.events":      text("populated 1\n"),
		"sys/fs/cgroup/unified/u/memory.pressure":    text(stall(12, 3)),
		"sys/fs/cgroup/memory/memory.limit_in_bytes": text("9223372036854771712\n"),
	}}
	p := newTracker(m, nil)
	p.sample(1)
	if got := p.values(); got[signalCgroup] != 0.4 || got[signalPSISome] != 12 || got[signalPSIFull] != 3 {
		t.Errorf("signals %v", got)
	}
	m.set(dir+"memory.oom_control", "oom_kill 2\n")
	if got := p.sample(1); got != SeverityCritical {
		t.Errorf("oom_kill: %v", got)
	}
	m.set(dir+"memory.limit_in_bytes", "9223372036854771712\n")
	p = newTracker(m, nil)
	p.sample(1)
	if _, ok := p.values()[signalCgroup]; ok {
		t.Error("no limit, but a ratio")
	}
}

func TestProcessSignals(t *testing.T) {
	t.Parallel()
	m := newMachine()
	m.set("proc/self/status", "Name:\tiiifd\nVmRSS:\t  102400 kB\n")
	p := newTracker(m, func(c *Config, f *Facts) {
		c.MemoryLimit = 200 * mib
		f.Vips = func() (int64, bool) { return 50 * mib, true }
		f.GoHeap = func() (int64, bool) { return 60 * mib, true }
	})
	p.sample(1)
	if got := p.values(); got[signalRSS] != 0.5 || got[signalVips] != 0.25 || got[signalGoHeap] != 0.6 {
		t.Errorf("signals %v", got)
	}
	p = newTracker(m, func(_ *Config, f *Facts) { f.Vips = func() (int64, bool) { return 0, false } })
	p.sample(1)
	got := p.values()
	_, rss := got[signalRSS]
	_, vips := got[signalVips]
	if rss || vips {
		t.Errorf("signals %v", got)
	}
	m.set(own+"memory.high", "524288000\n")
	m.use(20, 40)
	p = newTracker(m, nil)
	p.sample(1)
	if got := p.values()[signalHigh]; got < 1.19 || got > 1.21 {
		t.Errorf("cgroup_high counts everything charged: %v", got)
	}
}

// TestSamplerLosesItsFiles: what was known ages, says normal after half a
// minute and is marked stale; when the files are back so is the tracker.
func TestSamplerLosesItsFiles(t *testing.T) {
	t.Parallel()
	m := newMachine()
	p := newTracker(m, nil)
	m.use(95, 0)
	if got := p.sample(2); got != SeverityCritical {
		t.Fatal(got)
	}
	for _, name := range []string{"memory.current", "memory.events", "memory.pressure", "memory.stat"} {
		m.remove(own + name)
	}
	if got := p.sample(30); got != SeverityCritical {
		t.Errorf("forgot too early: %v", got)
	}
	got := p.sample(1)
	s := p.snapshot(p.now)
	if got != SeverityNormal || !s.stale || len(s.signals) != 0 || !p.healthy(p.now) {
		t.Errorf("after 31 s: %v, %+v", got, s)
	}
	m.use(40, 0)
	if got := p.sample(1); got != SeverityNormal || p.snapshot(p.now).stale {
		t.Errorf("the files are back: %v", got)
	}
}
