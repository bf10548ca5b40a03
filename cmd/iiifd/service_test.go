package main

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"testing"
)

// running is a service as "iiifd serve" starts it, on free ports.
type running struct {
	*service
	base, operator string
	log            *lines
}

// start runs a service on dir until the test ends or stop is called.
func start(t *testing.T, dir string, args ...string) *running {
	t.Helper()
	return startWith(t, dir, nil, args...)
}

// startWith is start with an environment.
func startWith(t *testing.T, dir string, environ []string, args ...string) *running {
	t.Helper()
	cfg, _, err := loadConfig(append([]string{
		"--listen=127.0.0.1:0", "--operator-listen=127.0.0.1:0", "--cache-dir", t.TempDir(), "--memory-limit=512MiB", "--drain-timeout=5s",
	}, args...), environ)
	if err != nil {
		t.Fatal(err)
	}
	var log lines
	s, err := startService(t.Context(), &program{stdout: &log, stderr: &log}, cfg, dir)
	if err != nil {
		t.Fatal(err)
	}
	r := &running{service: s, base: "http://" + s.server.Address().String(), operator: "http://" + s.operator.Address().String(), log: &log}
	t.Cleanup(func() { r.stop(t) })
	return r
}

func (r *running) stop(t *testing.T) {
	t.Helper()
	if r.service == nil {
		return
	}
	if err := r.close(t.Context()); err != nil {
		t.Error(err)
	}
	r.service = nil
}

// vast is a PNG of 14000×14000 pixels as far as its header goes.
func vast(t *testing.T, dir string) {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewNRGBA(image.Rect(0, 0, 1, 1))); err != nil {
		t.Fatal(err)
	}
	file := b.Bytes()
	// After the signature: length, "IHDR", width, height, five bytes, checksum.
	header := file[12:29]
	binary.BigEndian.PutUint32(header[4:], 14000)
	binary.BigEndian.PutUint32(header[8:], 14000)
	binary.BigEndian.PutUint32(file[29:], crc32.ChecksumIEEE(header))
	if err := os.WriteFile(filepath.Join(dir, "vast.png"), file, 0o600); err != nil {
		t.Fatal(err)
	}
}
