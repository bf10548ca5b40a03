package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// sample is one file of the corpus.
type sample struct {
	kind kind
	size size
	path string
	// tiny is a small file of the same kind, to warm a process up with.
	tiny string
	// large tells that it is one of the few kinds made in sizes of hundreds
	// of megapixels.
	large bool
}

// tinySize is that of the files that load code and tables before measuring.
var tinySize = size{96, 64}

// maker makes files in a folder.
type maker struct {
	ctx context.Context //nolint:containedctx // lives as long as one run of makeCorpus
	dir string
}

// makeCorpus makes what is missing in dir and returns the samples. A kind
// that this libvips cannot write is left out with a printed line.
func makeCorpus(ctx context.Context, dir string, all, large []size, filter string) ([]sample, error) {
	if _, err := exec.LookPath("vips"); err != nil {
		return nil, errors.New("the vips command is needed to make the corpus")
	}
	list := slices.DeleteFunc(kinds(), func(k kind) bool { return !wanted(k.name, filter) })
	m := &maker{ctx: ctx, dir: dir}
	var samples []sample
	for _, s := range append([]size{tinySize}, all...) {
		made, err := m.make(list, s)
		if err != nil {
			return nil, err
		}
		if s != tinySize {
			samples = append(samples, made...)
		}
	}
	for _, s := range large {
		made, err := m.makeLarge(list, s)
		if err != nil {
			return nil, err
		}
		samples = append(samples, made...)
	}
	return samples, nil
}

func wanted(name, filter string) bool {
	if filter == "" {
		return true
	}
	for word := range strings.SplitSeq(filter, ",") {
		if strings.Contains(name, word) {
			return true
		}
	}
	return false
}

func (m *maker) make(list []kind, s size) ([]sample, error) {
	var samples []sample
	ready := false
	for _, k := range list {
		out := sample{kind: k, size: s, path: filepath.Join(m.dir, k.file(s)), tiny: filepath.Join(m.dir, k.file(tinySize))}
		if _, err := os.Stat(out.path); err != nil {
			if !ready {
				if err := m.prepare(needs(list), s); err != nil {
					return nil, err
				}
				ready = true
			}
			if err := m.one(k, s, out.path); err != nil {
				if m.ctx.Err() != nil {
					return nil, m.ctx.Err()
				}
				fmt.Printf("left out: %s: %v\n", filepath.Base(out.path), err)
				continue
			}
		}
		samples = append(samples, out)
	}
	m.clean(s)
	return samples, nil
}

// one makes a file under another name first, so that a run that is stopped
// leaves no half of one.
func (m *maker) one(k kind, s size, out string) error {
	temp := strings.TrimSuffix(out, "."+k.ext) + ".part." + k.ext
	defer os.Remove(temp)
	var err error
	if k.make != nil {
		err = k.make(m, s, temp)
	} else {
		err = m.vips("copy", m.prefix(s)+k.from+".v", temp+"["+k.options+"]")
	}
	if err != nil {
		return err
	}
	return os.Rename(temp, out)
}

func (m *maker) prefix(s size) string { return filepath.Join(m.dir, "picture-"+s.String()+"-") }

// prepare makes the pictures that files are saved from.
func (m *maker) prepare(names []string, s size) error {
	ppm := m.prefix(s) + "rgb.ppm"
	if err := writePicture(ppm, s); err != nil {
		return err
	}
	defer os.Remove(ppm)
	if err := m.vips("copy", ppm, m.prefix(s)+"rgb.v"); err != nil {
		return err
	}
	for _, p := range prepared {
		if !slices.Contains(names, p.name) {
			continue
		}
		args := slices.Clone(p.command)
		for i := range args {
			args[i] = strings.ReplaceAll(args[i], "@", m.prefix(s))
		}
		if err := m.vips(args...); err != nil {
			return fmt.Errorf("picture %s: %w", p.name, err)
		}
	}
	return nil
}

func (m *maker) clean(s size) {
	left, _ := filepath.Glob(m.prefix(s) + "*.v")
	for _, f := range left {
		os.Remove(f)
	}
}

func (m *maker) vips(args ...string) error { return m.command("vips", args...) }

func (m *maker) command(name string, args ...string) error {
	cmd := exec.CommandContext(m.ctx, name, args...)
	var text bytes.Buffer
	cmd.Stderr = &text
	if err := cmd.Run(); err != nil {
		first, _, _ := strings.Cut(strings.TrimSpace(text.String()), "\n")
		return fmt.Errorf("%w: %s", err, first)
	}
	return nil
}

// writePicture writes a PPM that compresses about as a photograph does:
// slopes, shapes of several sizes, some noise. It is the same on every run.
func writePicture(path string, s size) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	w := bufio.NewWriterSize(f, 1<<20)
	fmt.Fprintf(w, "P6\n%d %d\n255\n", s.width, s.height)
	r := rand.New(rand.NewPCG(7, uint64(s.width)))
	var waves [512]float64
	for i := range waves {
		waves[i] = 30*math.Sin(float64(i)*2*math.Pi/512) + 18*math.Sin(float64(i)*14*math.Pi/512)
	}
	row := make([]byte, 3*s.width)
	for y := range s.height {
		slope := 60 * float64(y) / float64(s.height)
		for x := range s.width {
			v := 90 + slope + waves[(x+y/3)&511]*0.7 + waves[(y*2+x/5)&511]*0.5
			if (x>>5^y>>6)%7 == 0 && (x*y>>4)&3 == 0 {
				v -= 70
			}
			noise := r.Uint32()
			row[3*x] = clamp(v + float64(noise&15) - 8)
			row[3*x+1] = clamp(v*0.9 + float64(noise>>4&15) - 8)
			row[3*x+2] = clamp(v*0.7 + 20 + float64(noise>>8&15) - 8)
		}
		if _, err := w.Write(row); err != nil {
			return err
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return f.Close()
}

func clamp(v float64) byte { return byte(min(255, max(0, v))) }
