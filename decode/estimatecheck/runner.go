package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
)

// runCells measures each request in a process of its own.
func runCells(ctx context.Context, cells []request, jobs int, each time.Duration, out string) ([]result, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	var log *os.File
	if out != "" {
		if log, err = os.Create(out); err != nil {
			return nil, err
		}
		defer log.Close()
	}
	var mu sync.Mutex
	var results []result
	var g errgroup.Group
	g.SetLimit(max(1, jobs))
	for _, c := range cells {
		g.Go(func() error {
			if ctx.Err() != nil {
				return nil
			}
			r := runOne(ctx, program, c, each)
			mu.Lock()
			defer mu.Unlock()
			results = append(results, r)
			if log == nil {
				return nil
			}
			return json.NewEncoder(log).Encode(r)
		})
	}
	return results, g.Wait()
}

func runOne(ctx context.Context, program string, c request, each time.Duration) result {
	r := result{}
	ctx, cancel := context.WithTimeout(ctx, each)
	defer cancel()
	cmd := exec.CommandContext(ctx, program)
	cmd.Env = append(os.Environ(), cellVariable+"=1")
	told, err := json.Marshal(c.work)
	if err == nil {
		var answer, text bytes.Buffer
		cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(told), &answer, &text
		if err = cmd.Run(); err == nil {
			err = json.Unmarshal(answer.Bytes(), &r)
		} else if text.Len() > 0 {
			err = fmt.Errorf("%w: %.200s", err, text.String())
		}
	}
	if err != nil {
		r.Refused = err.Error()
	}
	r.Kind, r.File, r.Params, r.Work = c.kind, c.file, c.params, c.work
	return r
}
