package main

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync/atomic"
)

const (
	// mostSlack is how much garbage may gather before the collector runs,
	// in bytes, where less than that lives.
	mostSlack = 16 << 20
	// slackShare bounds it in a small envelope: a 32nd.
	slackShare = 32
	// mostPercent bounds GOGC.
	mostPercent = 800
)

// pace keeps the garbage collector from running all the time. A server that
// keeps no answers in memory has some 4 MiB of live heap, and GOGC=100 would
// collect every 4 MiB, which is every hundred or two hundred tiles: a sixth
// of the processor time of a passed tile. Where much lives, GOGC stays 100,
// so that the heap is never more than a few MiB above what it would be; the
// memory limit holds in any case.
type pace struct {
	slack   int64
	percent int
	stopped atomic.Bool
}

// startPace sets GOGC by the live heap, after each collection anew, until
// stop. An operator's own GOGC is left alone.
func startPace(envelope int64) *pace {
	p := &pace{slack: min(mostSlack, envelope/slackShare), percent: 100}
	if os.Getenv("GOGC") == "" {
		p.adjust()
	}
	return p
}

// stop leaves GOGC at its default.
func (p *pace) stop() {
	if p != nil && p.stopped.CompareAndSwap(false, true) && os.Getenv("GOGC") == "" {
		debug.SetGCPercent(100)
	}
}

// cycle is an object that the next collection finds unused.
type cycle struct{ _ [64]byte }

// adjust sets GOGC for the next collection and asks to be called after it.
func (p *pace) adjust() {
	if p.stopped.Load() {
		return
	}
	// Setting it stops the world: little differences are not worth that.
	if want := pacePercent(liveHeap(), p.slack); want > p.percent+p.percent/4 || want < p.percent-p.percent/4 {
		p.percent = want
		debug.SetGCPercent(want)
	}
	runtime.AddCleanup(new(cycle), (*pace).adjust, p)
}

// pacePercent is the GOGC at which slack bytes gather beside live ones.
func pacePercent(live, slack int64) int {
	return int(min(max(100, 100*slack/max(live, 1)), mostPercent))
}

// liveHeap is what the last collection found in use, in bytes.
func liveHeap() int64 {
	samples := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(samples)
	return int64(samples[0].Value.Uint64())
}
