package main

import (
	"context"
	"fmt"
	"net/http"
	"net/textproto"
	"strings"

	"example.com/iiifd/auth"
	"example.com/iiifd/iiif"
	"example.com/iiifd/server"
)

// policyFacts are what the hooks of the init script say about a request.
type policyFacts struct {
	// Verdict is the permission, or "none" where there is no hook.
	Verdict string `json:"verdict"`
	// Status is that of the refusal or of the hook's own answer.
	Status    int    `json:"status,omitempty"`
	Path      string `json:"path,omitempty"`
	Size      string `json:"size,omitempty"`
	Watermark string `json:"watermark,omitempty"`
	// Login is where the client may gain access.
	Login string `json:"login,omitempty"`
}

func (p *policyFacts) String() string {
	var b strings.Builder
	b.WriteString(p.Verdict)
	for _, part := range []struct{ name, value string }{{"size", p.Size}, {"watermark", p.Watermark}, {"file", p.Path}, {"login", p.Login}} {
		if part.value != "" {
			fmt.Fprintf(&b, ", %s %s", part.name, part.value)
		}
	}
	if p.Status != 0 {
		fmt.Fprintf(&b, ": %d", p.Status)
	}
	return b.String()
}

func newPolicyFacts(d auth.Decision) *policyFacts {
	p := &policyFacts{Verdict: string(d.Kind), Status: d.Status, Path: d.Path, Size: d.Size.String(), Watermark: d.Watermark}
	if d.Service != nil {
		p.Login = d.Service.CookieURL
	}
	return p
}

// uses are what requests want of an image.
var uses = map[iiif.Kind]auth.Use{
	iiif.KindInfo: auth.UseInfo, iiif.KindFile: auth.UseFile, iiif.KindKnora: auth.UseKnora, iiif.KindImage: auth.UseImage,
}

// judge asks the hooks, as the server would. refused tells that the client
// gets nothing of the image.
func (e *explanation) judge(ctx context.Context, s *service, dir string, m server.Mount, req iiif.Request, headers []string) (shown server.Shown, refused bool, err error) {
	header, err := parseHeaders(headers)
	if err != nil {
		return shown, false, err
	}
	if err := s.openRenderer(); err != nil {
		return shown, false, err
	}
	if err := s.openTrees(dir); err != nil {
		return shown, false, err
	}
	if err := s.openScripts(ctx, dir, nil); err != nil {
		return shown, false, err
	}
	if image, file := s.scripts.Hooks(); !image && !file {
		e.Policy = &policyFacts{Verdict: "none"}
		return server.Shown{Source: m.Source, Identifier: req.Identifier}, false, nil
	}
	host := "localhost"
	if h := header["host"]; len(h) > 0 {
		host = h[0]
	}
	d, err := s.scripts.Authorize(ctx, auth.Request{
		Use: uses[req.Kind], Prefix: strings.TrimPrefix(m.Path, "/"), Identifier: req.Identifier,
		Header: header, Method: http.MethodGet, URI: e.Path, Host: host, ClientIP: "127.0.0.1",
	})
	if err != nil {
		return shown, false, err
	}
	e.Policy = newPolicyFacts(d)
	if !d.Granted() {
		return shown, true, nil
	}
	shown, err = server.Show(s.roots, m, req.Identifier, d)
	return shown, false, err
}

// parseHeaders reads "Name: value" fields under lower-case names.
func parseHeaders(fields []string) (map[string][]string, error) {
	out := map[string][]string{}
	for _, f := range fields {
		name, value, ok := strings.Cut(f, ":")
		name = strings.ToLower(textproto.TrimString(name))
		if !ok || name == "" {
			return nil, usagef("--header: %q is not \"Name: value\"", f)
		}
		out[name] = append(out[name], textproto.TrimString(value))
	}
	return out, nil
}
