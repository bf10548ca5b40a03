package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"strings"
	"time"

	"example.com/iiifd/cache"
	"example.com/iiifd/decode"
	"example.com/iiifd/iiif"
	"example.com/iiifd/render"
	"example.com/iiifd/server"
)

func explainCommand() *command {
	return &command{
		name: "explain", usage: "URL-PATH [DIRECTORY] [--header 'NAME: VALUE']… [--run]", summary: "goes through one request without answering it: mount, policy, object, plan, lane, price, cache",
		long: "URL-PATH is a request's path as a client sends it, or a whole URL, such as /iiif/3/a.tif/full/max/0/default.jpg.\n" +
			"DIRECTORY is the served directory (default: this one). Where an init script defines hooks, they are asked for real;\n" +
			"--header gives the request's header fields, such as 'Cookie: a=b'. --run also carries the request out and adds the times.\n--json prints one JSON document.",
		run:        runExplain,
		configured: true,
	}
}

// explanation is the document of "explain --json".
type explanation struct {
	Path       string       `json:"path"`
	Mount      string       `json:"mount"`
	Version    int          `json:"version"`
	Kind       string       `json:"kind"`
	Identifier string       `json:"identifier"`
	Policy     *policyFacts `json:"policy,omitempty"`
	Object     *objectFacts `json:"object,omitempty"`
	ETag       string       `json:"etag,omitempty"`
	Cached     string       `json:"cached,omitempty"`
	Estimate   *estimate    `json:"estimate,omitempty"`
	Run        *runFacts    `json:"run,omitempty"`
	Error      string       `json:"error,omitempty"`
}

type objectFacts struct {
	Name     string    `json:"name"`
	Bytes    int64     `json:"bytes"`
	Modified time.Time `json:"modified"`
	Version  string    `json:"version"`
	Page     int       `json:"page,omitempty"`
}

// runFacts are the times of the stages, in milliseconds.
type runFacts struct {
	PrepareMS float64 `json:"prepare_ms"`
	RenderMS  float64 `json:"render_ms"`
	Bytes     int64   `json:"bytes"`
}

func runExplain(ctx context.Context, p *program, args []string) error {
	asJSON, args := cutJSON(args)
	run, args := cutFlag(args, "--run")
	headers, args, err := cutValues(args, "--header")
	if err != nil {
		return err
	}
	cfg, rest, err := loadConfig(args, p.environ)
	if err != nil {
		return err
	}
	if len(rest) < 1 || len(rest) > 2 {
		return usagef("needs URL-PATH")
	}
	dir := "."
	if len(rest) == 2 {
		dir = rest[1]
		if fi, err := os.Stat(rest[0]); err == nil && fi.IsDir() {
			return usagef("URL-PATH stands before DIRECTORY")
		}
	}
	e, err := explain(ctx, cfg, dir, rest[0], headers, run)
	if e == nil {
		return err
	}
	if err != nil {
		err = explained(err)
		e.Error = err.Error()
	}
	if asJSON {
		return errors.Join(writeJSON(p.stdout, e), err)
	}
	return errors.Join(e.print(p.stdout), err)
}

func explain(ctx context.Context, cfg *config, dir, target string, headers []string, run bool) (e *explanation, err error) {
	u, err := url.Parse(target)
	if err != nil {
		return nil, usagef("%q is no URL", target)
	}
	u.RawPath = iiif.SentPath(u)
	s := &service{cfg: cfg, log: quiet()}
	mounts, err := s.mounts(dir)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.close(ctx)) }()
	m, ok := mountOf(mounts, u.EscapedPath())
	if !ok {
		return nil, fmt.Errorf("no mount serves %s", u.EscapedPath())
	}
	e = &explanation{Path: u.EscapedPath(), Mount: m.Path, Version: int(m.Version)}
	req, err := iiif.Parse(strings.TrimPrefix(u.EscapedPath(), m.Path+"/"), m.Version)
	if err != nil {
		return e, err
	}
	e.Kind, e.Identifier = kindName(req.Kind), req.Identifier
	shown := server.Shown{Source: m.Source, Identifier: req.Identifier}
	if cfg.Lua.InitScript != "" && req.Kind != iiif.KindBase {
		var refused bool
		if shown, refused, err = e.judge(ctx, s, dir, m, req, headers); err != nil || refused {
			return e, err
		}
	}
	info, err := shown.Source.Stat(ctx, shown.Identifier)
	if err != nil {
		return e, err
	}
	e.Object = &objectFacts{info.Name, info.Size, info.ModTime, info.Version, info.Page + 1}
	if req.Kind != iiif.KindImage {
		return e, nil
	}
	return e, e.price(ctx, s, render.Request{
		Subject: render.Subject{Source: shown.Source, Identifier: shown.Identifier, Scope: m.Scope, Object: req.Identifier},
		Params:  req.Params, Policy: shown.Policy, Restriction: shown.Restriction,
	}, run)
}

// openRenderer starts what plans and makes images, once.
func (s *service) openRenderer() error {
	if s.renderer != nil {
		return nil
	}
	var err error
	if s.engine, err = decode.Start(s.cfg.Decode, quiet(), nil); err != nil {
		return err
	}
	s.renderer, err = render.New(s.cfg.Render, render.Deps{Decoder: s.engine}, 1)
	return err
}

// price plans the request and, with run, carries it out.
func (e *explanation) price(ctx context.Context, s *service, req render.Request, run bool) error {
	if err := s.openRenderer(); err != nil {
		return err
	}
	began := time.Now()
	job, err := s.renderer.Prepare(ctx, req)
	if err != nil {
		return err
	}
	prepared := time.Since(began)
	e.ETag = job.ETag
	e.Estimate = newEstimate(job.Info.Name, req.Params.String(), job, s.cfg.Admission.Threshold)
	e.Cached = cached(s.cfg.Cache, s.renderer.CacheKey(job))
	if !run {
		return nil
	}
	began = time.Now()
	answer, err := s.renderer.Open(ctx, job)
	if err != nil {
		return err
	}
	defer answer.Close()
	n, err := io.Copy(io.Discard, answer)
	e.Run = &runFacts{PrepareMS: milliseconds(prepared), RenderMS: milliseconds(time.Since(began)), Bytes: n}
	return err
}

// cached tells whether the disk has the answer.
func cached(cfg cache.Config, key cache.Key) string {
	dir, err := cache.OpenDir(cfg)
	if err != nil {
		return "off"
	}
	if dir.Has(key) {
		return "disk"
	}
	return "no"
}

func mountOf(mounts []server.Mount, path string) (server.Mount, bool) {
	for _, m := range mounts {
		if strings.HasPrefix(path, m.Path+"/") {
			return m, true
		}
	}
	return server.Mount{}, false
}

func kindName(k iiif.Kind) string {
	switch k {
	case iiif.KindBase:
		return "base"
	case iiif.KindInfo:
		return "info.json"
	case iiif.KindFile:
		return "file"
	case iiif.KindKnora:
		return "knora.json"
	default:
		return "image"
	}
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

func (e *explanation) print(w io.Writer) error {
	fmt.Fprintf(w, "mount     %s (Image API %d)\n", e.Mount, e.Version)
	if e.Identifier != "" {
		fmt.Fprintf(w, "asks for  %s of %q\n", e.Kind, e.Identifier)
	}
	if e.Policy != nil {
		fmt.Fprintf(w, "policy    %s\n", e.Policy)
	}
	if o := e.Object; o != nil {
		fmt.Fprintf(w, "object    %s, %d bytes, changed %s, version %s\n", o.Name, o.Bytes, o.Modified.Format(time.RFC3339), o.Version)
	}
	if e.ETag != "" {
		fmt.Fprintf(w, "etag      %s\ncached    %s\n", e.ETag, e.Cached)
	}
	if e.Estimate != nil {
		if err := e.Estimate.print(w); err != nil {
			return err
		}
	}
	if r := e.Run; r != nil {
		fmt.Fprintf(w, "run       prepared in %.1f ms, rendered in %.1f ms, %d bytes\n", r.PrepareMS, r.RenderMS, r.Bytes)
	}
	return nil
}
