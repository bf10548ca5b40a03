package lua

import (
	"context"
	"io"
	"net/http"
	"strings"

	"example.com/iiifd/auth"
)

var _ auth.Authorizer = (*Runtime)(nil)

// Authorize asks the hooks of the init script. Without any it allows all.
//
// pre_flight decides about every use of an image, the original file
// included. A file that it grants is then subject to file_pre_flight; where
// that is not defined, a file is refused if pre_flight is, unless
// Config.OpenFiles, and in any case if the image is restricted.
func (r *Runtime) Authorize(ctx context.Context, req auth.Request) (auth.Decision, error) {
	key := decisionKey(req)
	source := "remembered"
	d, ok := r.decisions.get(key)
	if !ok {
		source = "hook"
		var err error
		if d, err = r.decide(ctx, req); err != nil {
			return auth.Decision{}, err
		}
		r.decisions.put(key, d)
	}
	r.metrics.verdicts.WithLabelValues(string(d.Kind), source).Inc()
	return d, nil
}

func (r *Runtime) decide(ctx context.Context, req auth.Request) (auth.Decision, error) {
	d := auth.Allowed()
	if r.hasHook {
		var err error
		if d, err = r.PreFlight(ctx, req); err != nil {
			return auth.Decision{}, err
		}
	}
	if req.Use != auth.UseFile || !d.Granted() {
		return d, nil
	}
	if !r.hasFileHook {
		if d.Restricted() || r.hasHook && !r.config.OpenFiles {
			return auth.Refused(credentials(req)), nil
		}
		return d, nil
	}
	path := d.Path
	if path == "" {
		path = r.defaultPath(req)
	}
	return r.FilePreFlight(ctx, path, req)
}

// defaultPath is where a file lies that no hook has moved.
func (r *Runtime) defaultPath(req auth.Request) string {
	parts := []string{r.config.Facts.ImageRoot}
	if r.config.Facts.PrefixAsPath && req.Prefix != "" {
		parts = append(parts, req.Prefix)
	}
	return strings.Join(append(parts, req.Identifier), "/")
}

// credentials tells whether a request carries any.
func credentials(req auth.Request) bool {
	return req.First("cookie") != "" || req.First("authorization") != ""
}

// PreFlight calls pre_flight(prefix, identifier, cookie).
func (r *Runtime) PreFlight(ctx context.Context, req auth.Request) (auth.Decision, error) {
	return r.hook(ctx, callHook, []string{req.Prefix, req.Identifier, cookies(req)}, req)
}

// FilePreFlight calls file_pre_flight(path, cookie). A restriction cannot be
// applied to a file's bytes and refuses it.
func (r *Runtime) FilePreFlight(ctx context.Context, path string, req auth.Request) (auth.Decision, error) {
	return r.hook(ctx, callFile, []string{path, cookies(req)}, req)
}

// maxHookBody bounds the body of a hook's own answer, in bytes.
const maxHookBody = 1 << 20

func cookies(req auth.Request) string { return strings.Join(req.Header["cookie"], "; ") }

func (r *Runtime) hook(ctx context.Context, kind callKind, args []string, req auth.Request) (auth.Decision, error) {
	s, err := r.call(ctx, r.hooks, &startMessage{Kind: kind, Args: args}, &Request{
		Method: req.Method, URI: req.URI, Host: req.Host, ClientIP: req.ClientIP, Secure: req.Secure, Header: req.Header,
	})
	if err != nil {
		return auth.Decision{}, err
	}
	b := &body{session: s}
	defer b.Close()
	if s.result.Responded {
		content, err := io.ReadAll(io.LimitReader(b, maxHookBody+1))
		if err == nil && len(content) > maxHookBody {
			err = &ScriptError{Script: s.name, Message: "the hook's answer is too large"}
		}
		if err != nil {
			return auth.Decision{}, err
		}
		return auth.Decision{Kind: auth.Respond, Status: s.head.Status, Response: &auth.Response{
			Status: s.head.Status, Header: s.header(), Body: content,
		}}, nil
	}
	if s.result.Verdict == nil {
		return auth.Decision{}, &ScriptError{Script: s.name, Message: "no verdict"}
	}
	v := s.result.Verdict
	if kind == callFile && v.Type == string(auth.Restrict) {
		return auth.Refused(credentials(req)), nil
	}
	d, err := decision(v, credentials(req), r.config.ThumbSize)
	if err != nil {
		return auth.Decision{}, &ScriptError{Script: s.name, Message: err.Error()}
	}
	return d, nil
}

// decision reads a hook's verdict. A restriction that names neither size nor
// watermark is one to the size of thumbnails.
func decision(v *verdict, credentials bool, thumbnail string) (auth.Decision, error) {
	kind, err := auth.ParseKind(v.Type)
	if err != nil {
		return auth.Decision{}, err
	}
	d := auth.Decision{Kind: kind, Path: v.Path}
	switch kind {
	case auth.Deny:
		return auth.Refused(credentials), nil
	case auth.Restrict:
		size := v.Values["size"]
		d.Watermark = v.Values["watermark"]
		if size == "" && d.Watermark == "" {
			size = thumbnail
		}
		if size != "" || d.Watermark == "" {
			if d.Size, err = auth.ParseSize(size); err != nil {
				return auth.Decision{}, err
			}
		}
	case auth.Login, auth.Clickthrough, auth.Kiosk, auth.External:
		d.Status = http.StatusUnauthorized
		if d.Service, err = auth.NewService(v.Values); err != nil {
			return auth.Decision{}, err
		}
	default:
	}
	return d, nil
}
