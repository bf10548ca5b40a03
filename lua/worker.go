package lua

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

const (
	// startTimeout bounds the start of a worker.
	startTimeout = 20 * time.Second
	// watchEvery is the time between two looks at a worker's memory.
	watchEvery = 2 * time.Millisecond
	// grace is how long a worker may take to end a script by itself.
	grace = 250 * time.Millisecond
	// recycleAfter is the number of calls after which a worker is replaced.
	recycleAfter = 50_000
)

// worker is a process that runs scripts, one at a time.
type worker struct {
	cmd    *exec.Cmd
	in     *bufio.Writer
	inMu   sync.Mutex
	inPipe io.Closer
	out    *bufio.Reader
	buf    []byte
	stderr *tail
	gauge  *memoryGauge
	base   int64 // anonymous memory of the idle process
	limit  int64 // beyond which it is killed
	tidy   int64 // beyond which it takes no further call
	full   int64 // beyond which a crash is one for want of memory
	seen   atomic.Int64
	calls  int
	killed atomic.Pointer[Reason]
	exited chan struct{}
}

// startWorker starts a process and waits until it is ready.
func startWorker(ctx context.Context, command []string, s *settings) (*worker, error) {
	cmd := exec.Command(command[0], command[1:]...) //nolint:noctx // a worker outlives the request that starts it
	cmd.Env = workerEnvironment()
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	w := &worker{cmd: cmd, stderr: &tail{}, exited: make(chan struct{})}
	cmd.Stderr = w.stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("lua: worker: %w", err)
	}
	w.in, w.inPipe, w.out = bufio.NewWriterSize(in, bodyFrame), in, bufio.NewReaderSize(out, bodyFrame)
	stop := context.AfterFunc(ctx, func() { w.kill(ReasonCancelled) })
	timer := time.AfterFunc(startTimeout, func() { w.kill(ReasonTime) })
	err = w.greet(s)
	timer.Stop()
	if !stop() && err == nil {
		err = ctx.Err()
	}
	if err != nil {
		w.kill(ReasonCrash)
		_, _ = io.Copy(io.Discard, out)
		_ = cmd.Wait()
		return nil, fmt.Errorf("lua: worker did not start: %w %s", err, w.stderr)
	}
	return w, nil
}

// greet sends the settings and takes the measure of the idle process.
func (w *worker) greet(s *settings) error {
	if err := w.send(frameSettings, s); err != nil {
		return err
	}
	kind, payload, err := readFrame(w.out, &w.buf)
	if err != nil {
		return err
	}
	var ready readyMessage
	if kind != frameReady || json.Unmarshal(payload, &ready) != nil {
		return errors.New("unexpected answer")
	}
	if w.gauge, err = newMemoryGauge(w.cmd.Process.Pid); err != nil {
		return err
	}
	w.base = w.gauge.read()
	w.limit = w.base + s.MemoryLimit + slack(s.MemoryLimit)
	w.tidy = w.base + slack(s.MemoryLimit)
	w.full = w.base + s.MemoryLimit/2
	return nil
}

// workerEnvironment is what a worker needs to start, and no secrets.
func workerEnvironment() []string {
	env := []string{}
	for _, name := range []string{"LD_LIBRARY_PATH", "TZ", "SSL_CERT_FILE", "SSL_CERT_DIR", "GOCOVERDIR", "LANG"} {
		if v, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+v)
		}
	}
	return env
}

func (w *worker) send(kind frameKind, v any) error {
	w.inMu.Lock()
	defer w.inMu.Unlock()
	return sendJSON(w.in, kind, v)
}

// sendContent sends a request's body.
func (w *worker) sendContent(r io.Reader) error {
	w.inMu.Lock()
	defer w.inMu.Unlock()
	buf := make([]byte, bodyFrame)
	for {
		n, err := r.Read(buf)
		if n > 0 {
			if err := writeFrame(w.in, frameContent, buf[:n]); err != nil {
				return err
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// kill ends the process at once. The first reason stays.
func (w *worker) kill(reason Reason) {
	w.killed.CompareAndSwap(nil, &reason)
	_ = w.cmd.Process.Kill()
}

// watch ends the call when ctx ends, first by asking and then by force, and
// kills the process when its memory exceeds the limit. It returns when stop
// is closed.
func (w *worker) watch(ctx context.Context, stop <-chan struct{}) {
	timer := time.NewTimer(watchEvery)
	defer timer.Stop()
	ended := ctx.Done()
	var force <-chan time.Time
	reason := ReasonTime
	for {
		select {
		case <-stop:
			return
		case <-ended:
			ended = nil
			if !errors.Is(ctx.Err(), context.DeadlineExceeded) {
				reason = ReasonCancelled
				go func() { _ = w.send(frameCancel, struct{}{}) }()
			}
			t := time.NewTimer(grace)
			defer t.Stop()
			force = t.C
		case <-force:
			w.kill(reason)
			return
		case <-timer.C:
			now := w.gauge.read()
			if now > w.limit {
				w.kill(ReasonMemory)
				return
			}
			if now > 0 {
				w.seen.Store(now)
			}
			timer.Reset(watchEvery)
		}
	}
}

// healthy tells whether the worker may take another call.
func (w *worker) healthy() bool {
	return w.killed.Load() == nil && w.calls < recycleAfter && w.gauge.read() < w.tidy
}

// stop ends the process and waits for it.
func (w *worker) stop() {
	w.kill(ReasonCancelled)
	_ = w.inPipe.Close()
	_, _ = io.Copy(io.Discard, w.out)
	_ = w.cmd.Wait()
	if w.gauge != nil {
		w.gauge.close()
	}
	close(w.exited)
}

// crashReason tells why a dead worker ended: by its last words, or because it
// had much memory when it was last looked at. Go's runtime does not always
// say that it was refused memory; it may just fault.
func (w *worker) crashReason() Reason {
	if r := w.killed.Load(); r != nil {
		return *r
	}
	text := w.stderr.String()
	for _, sign := range []string{"out of memory", "cannot allocate memory", "failed to allocate", "stack exceeds", "failed to reserve"} {
		if bytes.Contains([]byte(text), []byte(sign)) {
			return ReasonMemory
		}
	}
	if w.seen.Load() > w.full {
		return ReasonMemory
	}
	return ReasonCrash
}

// tail keeps the beginning of what a worker writes to its standard error: a
// crash names its cause first.
type tail struct {
	mu  sync.Mutex
	buf []byte
}

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if room := 4096 - len(t.buf); room > 0 {
		t.buf = append(t.buf, p[:min(room, len(p))]...)
	}
	return len(p), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.buf)
}
