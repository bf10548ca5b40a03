package lua

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync/atomic"
	"time"

	glua "github.com/yuin/gopher-lua"
)

// WorkerCommand is the hidden sub-command under which the program runs
// WorkerMain. It takes no arguments.
const WorkerCommand = "lua-worker"

// maxGoStack bounds the Go stack of a worker's goroutines, in bytes: the
// recursion of our own and gopher-lua's functions.
const maxGoStack = 64 << 20

// slack is what a process may hold beyond a script's limit, in bytes: dead
// objects, and what the runtime keeps of the calls before.
func slack(limit int64) int64 { return max(limit/2, 8<<20) }

// WorkerMain runs scripts for a server that speaks to it through in and out,
// until in ends. It sets limits on the whole process and belongs into one
// that does nothing else; main calls it before anything that costs memory.
// Nothing else may write to out.
func WorkerMain(in io.Reader, out io.Writer) error {
	c := &child{
		in:     bufio.NewReaderSize(in, bodyFrame),
		out:    bufio.NewWriterSize(out, bodyFrame),
		frames: make(chan childFrame),
		chunks: newChunkCache(),
	}
	var buf []byte
	kind, payload, err := readFrame(c.in, &buf)
	if err != nil || kind != frameSettings {
		return errors.Join(errors.New("lua: worker started without settings"), err)
	}
	if err := json.Unmarshal(payload, &c.settings); err != nil {
		return fmt.Errorf("lua: settings: %w", err)
	}
	if c.jail, err = newJail(c.settings.Roots); err != nil {
		return err
	}
	c.confine()
	if err := sendJSON(c.out, frameReady, readyMessage{HeapBase: c.heapBase}); err != nil {
		return err
	}
	go c.read()
	return c.serve()
}

// child is a worker process.
type child struct {
	in       *bufio.Reader
	out      *bufio.Writer
	frames   chan childFrame
	settings settings
	chunks   *chunkCache
	jail     *jail
	heapBase uint64
	current  atomic.Pointer[budget]
}

type childFrame struct {
	kind    frameKind
	payload []byte
}

// confine bounds the process. Array parts of tables grow in one step to the
// largest index given, so that index is bounded as well.
func (c *child) confine() {
	runtime.GOMAXPROCS(1)
	debug.SetMaxStack(maxGoStack)
	glua.MaxArrayIndex = max(1<<16, int(c.settings.MemoryLimit/16))
	runtime.GC()
	debug.FreeOSMemory()
	samples := append(heapSamples(), metrics.Sample{Name: "/memory/classes/total:bytes"},
		metrics.Sample{Name: "/memory/classes/heap/released:bytes"})
	metrics.Read(samples)
	c.heapBase = samples[0].Value.Uint64()
	total := int64(samples[2].Value.Uint64() - samples[3].Value.Uint64())
	debug.SetMemoryLimit(total + c.settings.MemoryLimit)
	confineProcess(c.settings.MemoryLimit)
}

// read hands frames over. When the server is gone, so is the worker, even
// within a script.
func (c *child) read() {
	for {
		var buf []byte
		kind, payload, err := readFrame(c.in, &buf)
		if err != nil {
			os.Exit(0)
		}
		if kind == frameCancel {
			if b := c.current.Load(); b != nil {
				b.cancel()
			}
			continue
		}
		c.frames <- childFrame{kind, payload}
	}
}

// serve runs one call after the other.
func (c *child) serve() error {
	var content []byte
	for f := range c.frames {
		switch f.kind {
		case frameContent:
			content = append(content, f.payload...)
		case frameStart:
			var start startMessage
			if err := json.Unmarshal(f.payload, &start); err != nil {
				return fmt.Errorf("lua: start: %w", err)
			}
			done := c.runCall(&start, content)
			content = nil
			c.tidy()
			if err := sendJSON(c.out, frameDone, done); err != nil {
				return err
			}
		default:
			return fmt.Errorf("lua: unexpected message %q", f.kind)
		}
	}
	return nil
}

func (c *child) runCall(start *startMessage, content []byte) *doneMessage {
	now := time.Now()
	b := newBudget(now.Add(start.Timeout), c.settings.MemoryLimit, c.settings.MaxSteps, c.heapBase)
	c.current.Store(b)
	defer c.current.Store(nil)
	if start.Request == nil {
		start.Request = &wireRequest{}
	}
	run := &call{
		settings: &c.settings, chunks: c.chunks, jail: c.jail, host: c,
		budget: b, started: now,
		request: start.Request, content: content,
		response: &responseWriter{out: c.out, status: 200},
	}
	return run.run(start)
}

// tidy returns a script's memory before the next one comes.
func (c *child) tidy() {
	samples := heapSamples()
	metrics.Read(samples)
	if samples[1].Value.Uint64() > c.heapBase+uint64(slack(c.settings.MemoryLimit)/2) {
		debug.FreeOSMemory()
	}
}

// ask sends a request to the server and waits for its reply.
func (c *child) ask(op string, args any) (json.RawMessage, error) {
	payload, err := json.Marshal(args)
	if err != nil {
		return nil, err
	}
	if err := sendJSON(c.out, frameCall, callMessage{Op: op, Args: payload}); err != nil {
		return nil, err
	}
	f := <-c.frames
	var reply replyMessage
	if f.kind != frameReply {
		return nil, errors.New("unexpected message from the server")
	}
	if err := json.Unmarshal(f.payload, &reply); err != nil {
		return nil, err
	}
	if reply.Error != "" {
		return nil, errors.New(reply.Error)
	}
	return reply.Value, nil
}

// hostLink is how a call reaches the server.
type hostLink interface {
	ask(op string, args any) (json.RawMessage, error)
}
