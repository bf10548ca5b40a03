package admission

import (
	"io/fs"
	"path"
	"strconv"
	"strings"
)

// sampler reads the pressure signals. Everything it reads comes from root and
// from the three functions.
type sampler struct {
	root      fs.FS
	group     cgroup
	limitDir  string // the group whose limit is the least
	limit     int64
	envelope  int64
	byCgroup  bool // the envelope is the cgroup's limit
	psi       string
	goLimit   int64
	rss, vips func() (int64, bool)
	goHeap    func() (int64, bool)
}

// sample is one reading of all signals.
type sample struct {
	signals []signal
	// oom counts the kernel's out-of-memory events of the cgroup.
	oom      int64
	oomKnown bool
	// rss is the resident memory, 0 where it could not be read.
	rss int64
}

func newSampler(cfg *Config, facts *Facts, books Books) *sampler {
	s := &sampler{
		root: facts.Root, envelope: books.Envelope, psi: cfg.PressurePSI, goLimit: books.GoMemLimit,
		byCgroup: books.Source == SourceCgroupV1 || books.Source == SourceCgroupV2,
		rss:      facts.RSS, vips: facts.Vips, goHeap: facts.GoHeap,
	}
	if s.root != nil {
		s.group = findCgroup(s.root)
		s.limitDir, s.limit = s.group.leastLimit()
	}
	return s
}

func (s *sampler) read() sample {
	var out sample
	add := func(name string, value float64) { out.signals = append(out.signals, signal{name, value}) }
	if s.group.dir != "" {
		s.readCgroup(&out, add)
	}
	if s.root != nil {
		s.readStall(add)
	}
	s.readProcess(&out, add)
	return out
}

func (s *sampler) readCgroup(out *sample, add func(string, float64)) {
	g := &s.group
	if s.limit > 0 {
		if used, ok := g.workingSet(s.limitDir); ok {
			add(signalCgroup, float64(used)/float64(s.limit))
		}
	}
	if g.v2 {
		high, ok := g.number(g.dir, "memory.high")
		current, readable := g.number(g.dir, "memory.current")
		if ok && readable && high > 0 && high < noLimit {
			add(signalHigh, float64(current)/float64(high))
		}
	}
	out.oom, out.oomKnown = g.oomEvents()
}

// readStall reads the stall percentages of the own cgroup. The host's stand
// in for them only where nothing limits the cgroup: a swapping host must not
// refuse the requests of an idle container.
func (s *sampler) readStall(add func(string, float64)) {
	if s.psi == PSIOff {
		return
	}
	text := ""
	if s.group.unified != "" {
		text = readText(s.root, path.Join(s.group.unified, "memory.pressure"))
	}
	if text == "" && s.psi == PSIAuto && s.limit == 0 {
		text = readText(s.root, "proc/pressure/memory")
	}
	for _, kind := range []struct{ key, name string }{{"some", signalPSISome}, {"full", signalPSIFull}} {
		if v, ok := stallAverage(text, kind.key); ok {
			add(kind.name, v)
		}
	}
}

// stallAverage reads avg10 of "some avg10=0.00 avg60=0.00 …".
func stallAverage(text, key string) (float64, bool) {
	for line := range strings.Lines(text) {
		fields := strings.Fields(line)
		if len(fields) < 2 || fields[0] != key {
			continue
		}
		value, ok := strings.CutPrefix(fields[1], "avg10=")
		v, err := strconv.ParseFloat(value, 64)
		return v, ok && err == nil && upTo(v, 100)
	}
	return 0, false
}

func (s *sampler) readProcess(out *sample, add func(string, float64)) {
	if v, ok := call(s.rss); ok {
		out.rss = v
		if !s.byCgroup && s.envelope > 0 {
			add(signalRSS, float64(v)/float64(s.envelope))
		}
	}
	if v, ok := call(s.vips); ok && s.envelope > 0 {
		add(signalVips, float64(v)/float64(s.envelope))
	}
	if v, ok := call(s.goHeap); ok && s.goLimit > 0 {
		add(signalGoHeap, float64(v)/float64(s.goLimit))
	}
}

func call(f func() (int64, bool)) (int64, bool) {
	if f == nil {
		return 0, false
	}
	return f()
}
