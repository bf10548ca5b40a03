package lua

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
)

func contextWithCancel(t *testing.T) (context.Context, context.CancelFunc) {
	t.Helper()
	return context.WithCancel(t.Context())
}

// gauge is a metric's value as text.
func gauge(m prometheus.Metric) string {
	var out dto.Metric
	_ = m.Write(&out)
	return out.String()
}

func TestImages(t *testing.T) {
	b := newBench(t, map[string]string{"a.tif": "x", "b.tif": "y"}, nil)
	code := `
local _, img = SipiImage.new(config.imgroot .. '/a.tif')
img:crop('0,0,100,80') img:scale('50,40') img:rotate(90) img:watermark(config.imgroot .. '/b.tif')
server.sendHeader('Content-Type', 'image/jpeg')
img:write(config.imgroot .. '/out.tif', {pyramid = 'yes'})
img:send('jpg')`
	b.script("image.lua", code)
	resp, body, err := b.serve("image.lua", nil)
	if err != nil || body != "jpg 40x50" || resp.Header.Get("Content-Type") != "image/jpeg" {
		t.Fatalf("%q %v %v", body, resp, err)
	}
	if data, err := os.ReadFile(filepath.Join(b.files, "out.tif")); string(data) != "tif 40x50" || err != nil {
		t.Errorf("file %q %v", data, err)
	}
	if len(b.host.renders) != 2 || b.host.renders[0].Params["pyramid"] != "yes" || len(b.host.steps[0]) != 4 || b.host.steps[0][3].Kind != StepWatermark {
		t.Errorf("renders %+v %+v", b.host.renders, b.host.steps)
	}
	if names, _ := filepath.Glob(filepath.Join(b.files, ".writing*")); len(names) > 0 {
		t.Errorf("left behind: %v", names)
	}
}

func TestRefusedImageLeavesTheScriptAlive(t *testing.T) {
	b := newBench(t, map[string]string{"a.tif": "x"}, nil)
	b.host.budget = 1000
	code := `
local _, img = SipiImage.new(config.imgroot .. '/a.tif')
server.sendHeader('Content-Type', 'image/jpeg')
local ok, why = img:send('jpg')
local ok2, why2 = img:write(config.imgroot .. '/out.jpg')
server.sendStatus(503) server.sendHeader('Content-Type', 'text/plain')
server.print(tostring(ok), ' ', why, ' ', tostring(ok2), ' ', why2)`
	b.script("refused.lua", code)
	resp, body, err := b.serve("refused.lua", nil)
	if err != nil || resp.Status != 503 || body != "false admission_skipped false admission_skipped" || resp.Header.Get("Content-Type") != "text/plain" {
		t.Errorf("%+v %q %v", resp, body, err)
	}
	if names, _ := os.ReadDir(b.files); len(names) != 1 {
		t.Errorf("files %v", names)
	}
}

func TestClientThatLeavesEndsScriptAndImage(t *testing.T) {
	b := newBench(t, map[string]string{"a.tif": "x", "good.lua": "server.print('fine')"}, nil)
	b.host.block = make(chan struct{})
	for name, code := range map[string]string{
		"loop.lua":  "while true do end",
		"image.lua": "local _, i = SipiImage.new(config.imgroot .. '/a.tif') i:send('jpg') while true do end",
		"stuck.lua": "string.rep('x', 1) while true do pcall(function() while true do end end) end",
	} {
		b.script(name, code)
		ctx, cancel := contextWithCancel(t)
		time.AfterFunc(50*time.Millisecond, cancel)
		start := time.Now()
		_, err := b.runtime.Serve(ctx, name, nil)
		var killed *KilledError
		if !errors.As(err, &killed) || killed.Reason != ReasonCancelled {
			t.Errorf("%s: %v", name, err)
		}
		if took := time.Since(start); took > 10*time.Second {
			t.Errorf("%s took %v", name, took)
		}
		if _, body, err := b.serve("good.lua", nil); body != "fine" || err != nil {
			t.Errorf("after %s: %q %v", name, body, err)
		}
	}
}

func TestSlowReaderHoldsNoScript(t *testing.T) {
	b := newBench(t, map[string]string{"big.lua": "for i = 1, 2000 do server.print(string.rep('x', 1000)) end"}, func(c *Config) { c.Slots = 1 })
	resp, err := b.runtime.Serve(t.Context(), "big.lua", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	// Nothing was read, and yet the only slot becomes free.
	other, body, err := b.serve("big.lua", nil)
	if err != nil || len(body) != 2_000_000 {
		t.Errorf("%+v %d %v", other, len(body), err)
	}
	if n, err := io.Copy(io.Discard, resp.Body); n != 2_000_000 || err != nil {
		t.Errorf("%d %v", n, err)
	}
}

func TestCloseOfAnUnreadBodyEndsTheScript(t *testing.T) {
	b := newBench(t, map[string]string{"ever.lua": "while true do server.print(string.rep('x', 1000)) end"}, func(c *Config) { c.Slots = 1; c.Timeout = time.Minute })
	for range 3 {
		resp, err := b.runtime.Serve(t.Context(), "ever.lua", nil)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
	}
}

func TestWorkerDiesWithTheServer(t *testing.T) {
	b := newBench(t, map[string]string{"good.lua": "server.print('fine')"}, nil)
	if _, _, err := b.serve("good.lua", nil); err != nil {
		t.Fatal(err)
	}
	w := b.runtime.scripts.pool.idle[0]
	_ = w.inPipe.Close()
	if err := w.cmd.Wait(); err != nil {
		t.Errorf("worker ended with %v", err)
	}
	if _, body, err := b.serve("good.lua", nil); err != nil || body != "fine" {
		t.Errorf("the next call: %q %v", body, err)
	}
}

func TestWorkerEnvironmentHasNoSecrets(t *testing.T) {
	t.Setenv("IIIFD_JWT_KEY", "secret")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "secret")
	if env := strings.Join(workerEnvironment(), " "); strings.Contains(env, "secret") {
		t.Error(env)
	}
}
