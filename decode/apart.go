package decode

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"

	"example.com/iiifd/decode/plan"
	"example.com/iiifd/source"
)

// apartOrder is what a process is told that makes one drawing.
type apartOrder struct {
	Config Config
	Plan   plan.Plan
	// File is where a pyramid is written, "" for a stream to the standard output.
	File string
}

// apartFailure is what it says on its standard error where it fails.
type apartFailure struct {
	Kind   ErrorKind
	Detail string
}

// apartSource is the descriptor under which it finds the source: the first of
// exec.Cmd's ExtraFiles.
const apartSource = 3

// DrawApart makes e carry out plans for drawings (PDF, SVG) in a process of
// its own for each, which command starts and which runs DrawMain. The
// libraries that draw look at nothing while they work, so that ending their
// process is the only way to end them. Call it before the first Render.
func (e *Engine) DrawApart(command []string) { e.apart = command }

// drawing tells that sources of a kind are drawn, not decoded.
func drawing(l plan.Loader) bool { return l == plan.LoaderPDF || l == plan.LoaderSVG }

// renderApart is Render by a process of its own. It returns only when that
// process has ended.
func (e *Engine) renderApart(ctx context.Context, obj source.Object, p plan.Plan, w io.Writer) error {
	e.apartActive.Add(1)
	defer e.apartActive.Add(-1)
	in := &input{at: obj, size: obj.Info().Size}
	out, said := &output{w: w}, &tail{}
	cmd, err := e.apartCommand(ctx, p, w)
	if err != nil {
		return err
	}
	cmd.Stdout, cmd.Stderr = out, said
	feed, err := lend(cmd, obj, in)
	if err != nil {
		return newError(Internal, err.Error(), err)
	}
	err = cmd.Start()
	for _, f := range cmd.ExtraFiles {
		_ = f.Close() // The process has its own.
	}
	var feeding sync.WaitGroup
	feeding.Go(feed)
	if err == nil {
		err = cmd.Wait()
	}
	feeding.Wait()
	outcome, err := apartOutcome(ctx, err, in, out, said.String())
	e.metrics.apart.WithLabelValues(outcome).Inc()
	return err
}

// apartCommand prepares the process.
func (e *Engine) apartCommand(ctx context.Context, p plan.Plan, w io.Writer) (*exec.Cmd, error) {
	order := apartOrder{Config: e.config, Plan: p}
	if f, ok := w.(*os.File); ok && p.Encoder.Pyramid {
		order.File = f.Name()
	}
	text, err := json.Marshal(order)
	if err != nil {
		return nil, newError(Internal, err.Error(), err)
	}
	cmd := exec.CommandContext(ctx, e.apart[0], e.apart[1:]...)
	cmd.Env = apartEnvironment(os.Environ())
	cmd.SysProcAttr = apartAttributes()
	cmd.Stdin = bytes.NewReader(text)
	return cmd, nil
}

// lend gives cmd the source: the file itself, or where it is none a pipe,
// which the function returned fills.
func lend(cmd *exec.Cmd, obj source.Object, in *input) (feed func(), err error) {
	if path := obj.Path(); path != "" {
		f, err := os.Open(path)
		if err != nil {
			return nil, err
		}
		cmd.ExtraFiles = []*os.File{f}
		return func() {}, nil
	}
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	cmd.ExtraFiles = []*os.File{r}
	return func() {
		defer w.Close()
		buf := make([]byte, 64<<10)
		for {
			n := in.read(buf)
			if n <= 0 {
				return
			}
			if _, err := w.Write(buf[:n]); err != nil {
				return // The process has ended; what it says counts.
			}
		}
	}, nil
}

// The outcomes of processes.
const (
	apartDone    = "done"
	apartFailed  = "failed"
	apartKilled  = "killed"
	apartCrashed = "crashed"
)

// apartOutcome turns the end of a process into Render's error and a word for
// the metrics.
func apartOutcome(ctx context.Context, err error, in *input, out *output, said string) (string, error) {
	if cause := context.Cause(ctx); cause != nil && err != nil {
		return apartKilled, newError(Killed, "", cause)
	}
	if w := out.failure(); w != nil {
		return apartFailed, newError(Internal, "", w)
	}
	if r := in.failure(); r != nil {
		return apartFailed, newError(Corrupt, "", r)
	}
	if err == nil {
		return apartDone, nil
	}
	exit, ended := errors.AsType[*exec.ExitError](err)
	if !ended {
		return apartFailed, newError(Internal, err.Error(), err)
	}
	var failed apartFailure
	if json.Unmarshal([]byte(said), &failed) == nil && failed.Kind != "" {
		return apartFailed, newError(failed.Kind, failed.Detail, nil)
	}
	first, _, _ := strings.Cut(said, "\n")
	detail := "the drawing's process ended: " + exit.Error() + " " + first
	if status, ok := exit.Sys().(syscall.WaitStatus); ok && status.Signaled() && status.Signal() == syscall.SIGKILL {
		return apartCrashed, newError(Killed, detail, nil) // By the system, which was short of memory.
	}
	return apartCrashed, newError(Unsupported, detail, nil)
}

// apartEnvironment keeps what fonts, libvips and the allocator look at, and no
// secrets.
func apartEnvironment(all []string) []string {
	kept := []string{}
	for _, v := range all {
		name, _, _ := strings.Cut(v, "=")
		switch name {
		case "HOME", "LANG", "TZ", "TMPDIR", "LD_LIBRARY_PATH", "MALLOC_CONF", "GOCOVERDIR":
			kept = append(kept, v)
			continue
		}
		for _, prefix := range []string{"FONTCONFIG_", "XDG_", "LC_", "VIPS_"} {
			if strings.HasPrefix(name, prefix) {
				kept = append(kept, v)
			}
		}
	}
	return kept
}

// tail keeps the beginning of what a process says: a crash names its cause
// first.
type tail struct{ buf bytes.Buffer }

func (t *tail) Write(p []byte) (int, error) {
	t.buf.Write(p[:min(len(p), max(0, 8<<10-t.buf.Len()))])
	return len(p), nil
}

func (t *tail) String() string { return strings.TrimSpace(t.buf.String()) }
