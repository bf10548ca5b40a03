package lua

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestMain lets the test binary be its own worker.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == WorkerCommand {
		if err := WorkerMain(os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// fakeHost renders text instead of images.
type fakeHost struct {
	mu      sync.Mutex
	budget  int64 // bytes a render may cost; 0 means any
	renders []ImageOutput
	steps   [][]Step
	purged  []string
	block   chan struct{} // a render waits for it or for its context
}

func (h *fakeHost) Describe(_ context.Context, src ImageSource) (ImageFacts, error) {
	info, err := os.Stat(src.Path)
	if err != nil || info.IsDir() {
		return ImageFacts{}, errors.New("not an image")
	}
	f := ImageFacts{Width: 400, Height: 300, Orientation: 1, Format: "tif", Pages: 1}
	for _, s := range src.Steps {
		var a, b, c, d int
		switch s.Kind {
		case StepRegion:
			if n, _ := fmt.Sscanf(s.Value, "%d,%d,%d,%d", &a, &b, &c, &d); n != 4 {
				return f, fmt.Errorf("region %q is not valid", s.Value)
			}
			f.Width, f.Height = c, d
		case StepSize:
			if n, _ := fmt.Sscanf(strings.TrimPrefix(s.Value, "!"), "%d,%d", &a, &b); n == 2 {
				f.Width, f.Height = a, b
			} else if !strings.HasPrefix(s.Value, "pct:") {
				return f, fmt.Errorf("size %q is not valid", s.Value)
			}
		case StepRotate:
			if s.Angle == 90 || s.Angle == 270 {
				f.Width, f.Height = f.Height, f.Width
			}
		default:
		}
	}
	return f, nil
}

func (h *fakeHost) Render(ctx context.Context, src ImageSource, out ImageOutput, w io.Writer) error {
	f, err := h.Describe(ctx, src)
	if err != nil {
		return err
	}
	if h.budget > 0 && int64(f.Width*f.Height*3) > h.budget {
		return fmt.Errorf("price: %w", ErrSkipped)
	}
	if h.block != nil {
		select {
		case <-h.block:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	h.mu.Lock()
	h.renders, h.steps = append(h.renders, out), append(h.steps, src.Steps)
	h.mu.Unlock()
	_, err = fmt.Fprintf(w, "%s %dx%d", out.Format, f.Width, f.Height)
	return err
}

func (h *fakeHost) Estimate(_ context.Context, _, request string) (Estimate, error) {
	return Estimate{PeakBytes: int64(len(request)) << 20, Lane: "tile", Width: 256, Height: 256}, nil
}

func (h *fakeHost) Admission(context.Context) (any, error) {
	return map[string]any{"mode": "advanced", "lanes": []string{"tile", "full"}}, nil
}

func (h *fakeHost) Purge(_ context.Context, id string) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.purged = append(h.purged, id)
	return 3, nil
}

// bench is a runtime with a directory of scripts and one of files.
type bench struct {
	t       testing.TB
	runtime *Runtime
	host    *fakeHost
	config  Config
	scripts string
	files   string
	logged  *strings.Builder
	logMu   sync.Mutex
}

func (b *bench) Write(p []byte) (int, error) {
	b.logMu.Lock()
	defer b.logMu.Unlock()
	return b.logged.Write(p)
}

func (b *bench) log() string {
	b.logMu.Lock()
	defer b.logMu.Unlock()
	return b.logged.String()
}

// newBench starts a runtime with the given files: names that end in .lua or
// .elua are scripts, others belong to the image root.
func newBench(tb testing.TB, files map[string]string, change func(*Config)) *bench {
	tb.Helper()
	t := tb
	b := &bench{t: t, host: &fakeHost{}, scripts: t.TempDir(), files: t.TempDir(), logged: &strings.Builder{}}
	for name, text := range files {
		dir := b.files
		if strings.HasSuffix(name, "lua") {
			dir = b.scripts
		}
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	b.config = Config{
		ScriptDir: b.scripts, MemoryLimit: 64 << 20, Timeout: 20 * time.Second, Slots: 2, HookSlots: 2,
		HTTPBody: 16 << 20, ThumbSize: "!128,128", JWTKey: "a key that is long enough for HS256",
		Facts: SIPIConfig{ImageRoot: b.files, TempDir: t.TempDir(), Hostname: "localhost", Port: 8182, JPEGQuality: 80, PrefixAsPath: true},
	}
	if _, ok := files["init.lua"]; ok {
		b.config.InitScript = "init.lua"
	}
	if change != nil {
		change(&b.config)
	}
	r, err := New(t.Context(), b.config, b.host, slog.New(slog.NewTextHandler(b, &slog.HandlerOptions{Level: slog.LevelDebug})), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Close)
	b.runtime = r
	return b
}

// script writes a script.
func (b *bench) script(name, text string) {
	b.t.Helper()
	if err := os.WriteFile(filepath.Join(b.scripts, name), []byte(text), 0o644); err != nil {
		b.t.Fatal(err)
	}
}

// serve runs a script and returns its response with the body read.
func (b *bench) serve(script string, req *Request) (*Response, string, error) {
	b.t.Helper()
	resp, err := b.runtime.Serve(b.t.Context(), script, req)
	if err != nil {
		return nil, "", err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	return resp, string(body), err
}

// eval runs code and returns what it printed; an error is fatal.
func (b *bench) eval(code string, req *Request) string {
	b.t.Helper()
	b.script("eval.lua", code)
	_, body, err := b.serve("eval.lua", req)
	if err != nil {
		b.t.Fatalf("%s\n%v", code, err)
	}
	return body
}

// asKilled is errors.As for a KilledError.
func asKilled(err error, into **KilledError) bool { return errors.As(err, into) }
