package decode

import (
	"log/slog"
	"strings"
	"sync"

	"github.com/davidbyttow/govips/v2/vips"
	"golang.org/x/sys/unix"
)

// warnings collects what decoders say while they go on with damaged data.
// libvips tells it through a handler of the whole process, called on the
// thread that works; a job keeps its thread, which is how its warnings are
// told from others'.
type warnings struct {
	log *slog.Logger

	mu     sync.Mutex
	thread map[int][]string
}

// handle takes a message of libvips or of a library below it.
func (w *warnings) handle(domain string, level vips.LogLevel, message string) {
	w.log.Debug("libvips message", "domain", domain, "level", int(level), "message", message)
	w.mu.Lock()
	defer w.mu.Unlock()
	id := unix.Gettid()
	if list, listening := w.thread[id]; listening && len(list) < 16 {
		w.thread[id] = append(list, message)
	}
}

// listen starts to collect the present thread's warnings, which the caller
// has locked, and returns a function that ends it and returns them.
func (w *warnings) listen() (stop func() []string) {
	id := unix.Gettid()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.thread[id] = nil
	return func() []string {
		w.mu.Lock()
		defer w.mu.Unlock()
		list := w.thread[id]
		delete(w.thread, id)
		return list
	}
}

// losses are what libjpeg says where a part of a picture is missing and it
// makes something up (jerror.h). Its other warnings are about tidiness.
var losses = []string{
	"premature end of data segment",
	"bad Huffman code",
	"bad arithmetic code",
	"Premature end of JPEG file",
	"Inconsistent progression sequence",
	"restart marker", // found a marker instead of the right restart marker
}

// loss returns the first warning that tells of missing data, "" without one.
// libvips words only a picture's first warning, so that several count as one
// of the worse sort.
func loss(list []string) string {
	for _, m := range list {
		if strings.HasPrefix(m, "read gave ") && !strings.HasPrefix(m, "read gave 1 ") {
			return m
		}
		for _, l := range losses {
			if strings.Contains(m, l) {
				return m
			}
		}
	}
	return ""
}
