package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"text/tabwriter"

	"example.com/iiifd/admission"
	"example.com/iiifd/decode"
	"example.com/iiifd/decode/plan"
	"example.com/iiifd/iiif"
	"example.com/iiifd/render"
)

func estimateCommand() *command {
	return &command{
		name: "estimate", usage: "FILE REQUEST [--measure]", summary: "tells what a request will cost before it is decoded",
		long: "REQUEST is region/size/rotation/quality.format of Image API 3.0. It prints the header's facts, the plan, the lane by the URL and by\n" +
			"the engine, and the estimated peak memory with its parts. --measure also carries the request out in a fresh process and prints\n" +
			"its measured peak and the ratio. --json prints one JSON document.",
		run:        runEstimate,
		configured: true,
	}
}

// estimate is the document of "estimate --json".
type estimate struct {
	File     string      `json:"file"`
	Request  string      `json:"request"`
	Shape    shapeFacts  `json:"shape"`
	Plan     planFacts   `json:"plan"`
	Lane     laneFacts   `json:"lane"`
	Peak     int64       `json:"peak_bytes"`
	Seconds  float64     `json:"seconds"`
	Parts    []partFacts `json:"parts"`
	Measured *int64      `json:"measured_bytes,omitempty"`
	Ratio    *float64    `json:"ratio,omitempty"`
}

type shapeFacts struct {
	Width       int    `json:"width"`
	Height      int    `json:"height"`
	Loader      string `json:"loader"`
	Bands       int    `json:"bands"`
	Bits        int    `json:"bits_per_sample"`
	Colour      string `json:"colour"`
	Orientation int    `json:"orientation"`
	Compression string `json:"compression,omitempty"`
	Progressive bool   `json:"progressive,omitempty"`
	Pages       int    `json:"pages"`
	Levels      int    `json:"levels"`
	TileWidth   int    `json:"tile_width,omitempty"`
	TileHeight  int    `json:"tile_height,omitempty"`
	FileBytes   int64  `json:"file_bytes"`
}

type planFacts struct {
	Canonical string   `json:"canonical"`
	Level     int      `json:"level"`
	Page      int      `json:"page"`
	Access    string   `json:"access"`
	Shrink    int      `json:"shrink"`
	Loaded    [2]int   `json:"loaded"`
	Crop      [4]int   `json:"crop"`
	Output    [2]int   `json:"output"`
	Steps     []string `json:"steps"`
}

type laneFacts struct {
	URL    string `json:"url"`
	Engine string `json:"engine"`
}

type partFacts struct {
	Stage string `json:"stage"`
	Bytes int64  `json:"bytes"`
	Why   string `json:"why"`
}

func runEstimate(ctx context.Context, p *program, args []string) error {
	asJSON, args := cutJSON(args)
	measure, args := cutFlag(args, "--measure")
	w, err := openWorkbench(args, p.environ)
	if err != nil {
		return err
	}
	defer w.Close()
	job, err := w.prepare(ctx, w.params)
	if err != nil {
		return w.explained(err)
	}
	e := newEstimate(w.file, w.request, job, w.cfg.Admission.Threshold)
	if measure {
		bytes, err := measureInChild(ctx, p, args)
		if err != nil {
			return err
		}
		ratio := float64(e.Peak) / float64(max(bytes, 1))
		e.Measured, e.Ratio = &bytes, &ratio
	}
	if asJSON {
		return writeJSON(p.stdout, e)
	}
	return e.print(p.stdout)
}

func newEstimate(file, request string, job *render.Job, threshold int64) *estimate {
	pl, s := &job.Plan, job.Plan.Shape
	level := s.Levels[pl.Level]
	e := &estimate{
		File: file, Request: request, Peak: pl.Peak(), Seconds: pl.Seconds(),
		Shape: shapeFacts{
			Width: s.Width, Height: s.Height, Loader: string(s.Loader), Bands: s.Bands, Bits: s.BitsPerSample, Colour: string(s.Colour),
			Orientation: s.Orientation, Compression: s.Compression, Progressive: s.Progressive, Pages: s.Pages, Levels: len(s.Levels),
			TileWidth: level.TileWidth, TileHeight: level.TileHeight, FileBytes: s.FileSize,
		},
		Plan: planFacts{
			Canonical: job.Canonical, Level: pl.Level, Page: pl.Page, Access: fmt.Sprint(pl.Access), Shrink: pl.Shrink,
			Loaded: [2]int{pl.LoadedWidth, pl.LoadedHeight}, Crop: [4]int{pl.Crop.X, pl.Crop.Y, pl.Crop.Width, pl.Crop.Height},
			Output: [2]int{pl.OutWidth, pl.OutHeight}, Steps: stepNames(pl),
		},
		Lane: laneFacts{URL: string(admission.Classify(job.Request.Params, threshold)), Engine: string(admission.ClassifyWork(pl.Peak(), pl.Seconds(), threshold))},
	}
	for _, part := range pl.Parts() {
		e.Parts = append(e.Parts, partFacts{string(part.Stage), part.Bytes, part.Why})
	}
	return e
}

func stepNames(p *plan.Plan) []string {
	names := []string{}
	for _, s := range p.Steps {
		names = append(names, fmt.Sprint(s))
	}
	return names
}

func (e *estimate) print(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	s, p := e.Shape, e.Plan
	fmt.Fprintf(w, "source\t%s, %d × %d, %d × %d bit %s, %s, %s\n", s.Loader, s.Width, s.Height, s.Bands, s.Bits, s.Colour,
		counted(s.Levels, "level"), counted(s.Pages, "page"))
	fmt.Fprintf(w, "request\t%s\n", p.Canonical)
	steps := "no further steps"
	if len(p.Steps) > 0 {
		steps = strings.Join(p.Steps, ", ")
	}
	fmt.Fprintf(w, "plan\tlevel %d, %s access, shrink %d, crop %d,%d %d × %d, output %d × %d; %s\n", p.Level, p.Access, p.Shrink,
		p.Crop[0], p.Crop[1], p.Crop[2], p.Crop[3], p.Output[0], p.Output[1], steps)
	fmt.Fprintf(w, "lane\t%s by the URL, %s by the engine\n", e.Lane.URL, e.Lane.Engine)
	fmt.Fprintf(w, "time\tabout %.2f CPU seconds\n", e.Seconds)
	fmt.Fprintf(w, "peak\t%s\n", mebibytes(e.Peak))
	for _, part := range e.Parts {
		fmt.Fprintf(w, "  %s\t%s\t%s\n", part.Stage, mebibytes(part.Bytes), part.Why)
	}
	if e.Measured != nil {
		fmt.Fprintf(w, "measured\t%s, the estimate is %.2f times that\n", mebibytes(*e.Measured), *e.Ratio)
	}
	return w.Flush()
}

func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

func mebibytes(n int64) string { return fmt.Sprintf("%.2f MiB", float64(n)/(1<<20)) }

// cutFlag takes a switch out of the arguments.
func cutFlag(args []string, name string) (bool, []string) {
	var rest []string
	found := false
	for _, a := range args {
		if a == name {
			found = true
			continue
		}
		rest = append(rest, a)
	}
	return found, rest
}

// cutValues takes an argument that may come several times, with its values,
// out of the arguments: "--name value" or "--name=value".
func cutValues(args []string, name string) (values, rest []string, err error) {
	for i := 0; i < len(args); i++ {
		value, joined := strings.CutPrefix(args[i], name+"=")
		switch {
		case joined:
		case args[i] != name:
			rest = append(rest, args[i])
			continue
		case i+1 == len(args):
			return nil, nil, usagef("%s needs a value", name)
		default:
			i++
			value = args[i]
		}
		values = append(values, value)
	}
	return values, rest, nil
}

// measureInChild carries the request out in a fresh process of this program.
func measureInChild(ctx context.Context, p *program, args []string) (int64, error) {
	self, err := os.Executable()
	if err != nil {
		return 0, err
	}
	cmd := exec.CommandContext(ctx, self, append([]string{"measure"}, args...)...)
	cmd.Env = p.environ
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return 0, fmt.Errorf("measuring: %w: %s", err, strings.TrimSpace(stderr.String()))
	}
	var n int64
	if err := json.Unmarshal(stdout.Bytes(), &n); err != nil {
		return 0, fmt.Errorf("measuring: %w", err)
	}
	return n, nil
}

// measureCommand is run by "estimate --measure" in a process of its own; the
// help does not list it.
func measureCommand() *command {
	return &command{name: "measure", run: runMeasure}
}

func runMeasure(ctx context.Context, p *program, args []string) error {
	w, err := openWorkbench(args, p.environ)
	if err != nil {
		return err
	}
	defer w.Close()
	small := w.params
	small.Region, small.Size = iiif.Region{Kind: iiif.RegionPixels, Pixels: iiif.Rect{Width: 16, Height: 16}}, iiif.Size{Kind: iiif.SizeMax}
	if err := w.discard(ctx, small); err != nil {
		return w.explained(err)
	}
	n, err := decode.PeakOf(func() error { return w.discard(ctx, w.params) })
	if err != nil {
		return w.explained(err)
	}
	return json.NewEncoder(p.stdout).Encode(n)
}
