package decode

// #include <stdlib.h>
// #include "bridge.h"
import "C"

import (
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/davidbyttow/govips/v2/vips"
	"github.com/prometheus/client_golang/prometheus"

	"example.com/iiifd/decode/plan"
	"example.com/iiifd/iiif"
)

// Engine is libvips, started and set up. Its methods may be called from
// several goroutines at once. libvips belongs to the process: there can be
// several engines, but the last one's settings hold for all.
type Engine struct {
	config      Config
	log         *slog.Logger
	metrics     *metrics
	imageOffset uintptr
	warnings    *warnings
	allowed     map[plan.Loader]bool
	formats     []iiif.Format
	active      atomic.Int64
	short       *shorts
	apart       []string // starts a process that draws; nil to draw in this one
	apartActive atomic.Int64
}

// process is what a process has one of: libvips with its message handler,
// which must not be changed while any picture is worked on.
var process struct {
	once     sync.Once
	warnings *warnings
	err      error
}

// startProcess starts libvips; its messages go to log from then on.
func startProcess(log *slog.Logger) (*warnings, error) {
	w := &warnings{log: log, thread: make(map[int][]string)}
	vips.LoggingSettings(w.handle, vips.LogLevelWarning)
	return w, vips.Startup(&vips.Config{ConcurrencyLevel: 1})
}

// Start starts libvips with one thread per image and without its operation
// cache, and switches off every decoder that cfg does not name. reg may be
// nil.
func Start(cfg Config, log *slog.Logger, reg prometheus.Registerer) (*Engine, error) {
	if err := errors.Join(cfg.Validate(), cfg.CheckProfile()); err != nil {
		return nil, err
	}
	offset, err := imageOffset()
	if err != nil {
		return nil, err
	}
	process.once.Do(func() { process.warnings, process.err = startProcess(log) })
	if process.err != nil {
		return nil, fmt.Errorf("decode: starting libvips: %w", process.err)
	}
	e := &Engine{config: cfg, log: log, imageOffset: offset, warnings: process.warnings, allowed: make(map[plan.Loader]bool), short: newShorts()}
	e.metrics = newMetrics(reg, e)
	e.block()
	for _, enc := range encoders() {
		if enc.available() {
			e.formats = append(e.formats, enc.format)
		}
	}
	return e, nil
}

// Close ends the use of e. libvips itself stays: it cannot be started twice
// in a process.
func (e *Engine) Close() { e.short.close() }

// block switches off all decoders but those allowed.
func (e *Engine) block() {
	blockClass("VipsForeignLoad", true)
	for _, name := range e.config.AllowedLoaders {
		l := loaders[plan.Loader(name)]
		if blockClass(l.class, false) {
			e.allowed[plan.Loader(name)] = true
		} else {
			e.log.Info("this libvips cannot read a kind of source", "kind", name)
		}
	}
}

// blockClass blocks or frees a class of operations and tells whether this
// libvips has it.
func blockClass(class string, blocked bool) bool {
	name := C.CString(class)
	defer C.free(unsafe.Pointer(name))
	flag := C.int(0)
	if blocked {
		flag = 1
	}
	return C.iiifd_blocks(name, flag) == 0
}

// Formats returns the formats that can be written here.
func (e *Engine) Formats() []iiif.Format { return slices.Clone(e.formats) }

// Loaders returns the kinds of sources that can be read here, sorted.
func (e *Engine) Loaders() []plan.Loader { return slices.Sorted(maps.Keys(e.allowed)) }

// Readable tells whether sources of kind l are decoded here.
func (e *Engine) Readable(l plan.Loader) bool { return e.allowed[l] }

// Version returns libvips' version as text, "8.14.1".
func (e *Engine) Version() string { return vips.Version }

// VipsVersion returns libvips' version as 10000·major + 100·minor + micro.
func (e *Engine) VipsVersion() int {
	return 10000*vips.MajorVersion + 100*vips.MinorVersion + vips.MicroVersion
}
