package lua

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
)

// serve answers one request of a worker.
func (s *session) serve(ctx context.Context, call callMessage) replyMessage {
	value, err := s.perform(ctx, call)
	if err != nil {
		return replyMessage{Error: message(err)}
	}
	payload, err := json.Marshal(value)
	if err != nil {
		return replyMessage{Error: err.Error()}
	}
	return replyMessage{Value: payload}
}

func (s *session) perform(ctx context.Context, call callMessage) (any, error) {
	host := s.runtime.host
	switch call.Op {
	case opLog:
		var m logMessage
		if err := json.Unmarshal(call.Args, &m); err != nil {
			return nil, err
		}
		s.log(ctx, m)
		return nil, nil //nolint:nilnil // nothing to say
	case opDescribe, opWrite, opSend:
		var m imageMessage
		if err := json.Unmarshal(call.Args, &m); err != nil {
			return nil, err
		}
		return s.image(ctx, call.Op, m)
	case opEstimate:
		var m estimateMessage
		if err := json.Unmarshal(call.Args, &m); err != nil {
			return nil, err
		}
		if err := s.permitted(m.Path); err != nil {
			return nil, err
		}
		return host.Estimate(ctx, m.Path, m.Request)
	case opAdmission:
		return host.Admission(ctx)
	case opPurge:
		var id string
		if err := json.Unmarshal(call.Args, &id); err != nil {
			return nil, err
		}
		return host.Purge(ctx, id)
	}
	return nil, fmt.Errorf("unknown operation %q", call.Op)
}

// permitted checks again, on this side, that a path may be touched.
func (s *session) permitted(path string) error {
	if s.request.isUpload(path) {
		return nil
	}
	_, err := s.runtime.jail.path(path, false)
	return err
}

func (s *session) image(ctx context.Context, op string, m imageMessage) (any, error) {
	if err := s.permitted(m.Source.Path); err != nil {
		return nil, err
	}
	for _, step := range m.Source.Steps {
		if step.Kind == StepWatermark {
			if err := s.permitted(step.Value); err != nil {
				return nil, err
			}
		}
	}
	if op == opDescribe {
		return s.runtime.host.Describe(ctx, m.Source)
	}
	var err error
	if op == opWrite {
		err = s.writeImage(ctx, m)
	} else {
		err = s.sendImage(ctx, m)
	}
	result := "ok"
	if errors.Is(err, ErrSkipped) {
		result, err = "skipped", ErrSkipped
	} else if err != nil {
		result = "error"
	}
	s.runtime.metrics.images.WithLabelValues(result).Inc()
	return nil, err
}

// sendImage renders into the response. The head becomes final with the first
// byte.
func (s *session) sendImage(ctx context.Context, m imageMessage) error {
	before := s.spool.written()
	kept := s.head
	if m.Head != nil {
		s.setHead(*m.Head)
	}
	err := s.runtime.host.Render(ctx, m.Source, m.Output, s)
	switch {
	case err == nil:
		return nil
	case s.spool.written() != before:
		s.cancel() // the client has part of an image: reset
	default:
		s.head = kept
	}
	return err
}

// writeImage renders into a file beside the target and renames it, so that
// nobody meets half an image.
func (s *session) writeImage(ctx context.Context, m imageMessage) error {
	path, err := s.runtime.jail.path(m.Path, true)
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".writing-*"+filepath.Ext(path))
	if err != nil {
		return err
	}
	err = s.runtime.host.Render(ctx, m.Source, m.Output, f)
	if err == nil {
		err = f.Chmod(0o644)
	}
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
	return err
}

// log writes a script's log line.
func (s *session) log(ctx context.Context, m logMessage) {
	if m.Level < 0 || m.Level >= len(logLevels) {
		return
	}
	attrs := []slog.Attr{slog.String("script", s.name), slog.String("text", m.Text)}
	names := sortedKeys(m.Fields)
	if len(names) > 0 {
		fields := make([]any, 0, len(names))
		for _, k := range names {
			fields = append(fields, slog.Any(k, m.Fields[k]))
		}
		attrs = append(attrs, slog.Group("fields", slices.Clip(fields)...))
	}
	s.runtime.log.LogAttrs(ctx, logLevels[m.Level].slog, "script message", attrs...)
}
