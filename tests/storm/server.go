package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"time"

	"example.com/iiifd/admission"
)

// process is an iiifd in a cgroup.
type process struct {
	cmd      *exec.Cmd
	base     string
	operator string
	logFile  string
	ended    chan error
}

// start runs "iiifd serve" on the corpus and waits until it is ready. The
// clients' addresses and request ids are believed, as behind a proxy.
func (s *stage) start(ctx context.Context, g *group, logFile string, args ...string) (*process, error) {
	args = append([]string{"serve", "--listen", "127.0.0.1:0", "--operator-listen", "127.0.0.1:0", "--trusted-proxies", "127.0.0.1", "--landing=false"}, args...)
	p := &process{cmd: g.command(ctx, s.binary, append(args, s.corpus.dir)...), logFile: logFile, ended: make(chan error, 1)}
	messages, err := os.OpenFile(logFile, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, err
	}
	defer messages.Close()
	p.cmd.Stderr = messages
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	address := regexp.MustCompile(`http://\S+?:\d+`)
	lines := bufio.NewScanner(out)
	for p.base == "" && lines.Scan() {
		p.base = strings.Replace(address.FindString(lines.Text()), "localhost", "127.0.0.1", 1)
	}
	go func() {
		_, _ = io.Copy(io.Discard, out)
		p.ended <- p.cmd.Wait()
	}()
	if p.base == "" {
		return nil, fmt.Errorf("the server did not start: %w; see %s", <-p.ended, logFile)
	}
	if p.operator, err = operatorAddress(logFile); err != nil {
		return nil, err
	}
	return p, nil
}

// serve starts a server with a small cache in a cgroup of its own. The function
// returned ends it, where it still runs, and removes what it leaves.
func (s *stage) serve(ctx context.Context, name string) (*group, *process, func(), error) {
	g, err := newGroup(s.limit)
	if err != nil {
		return nil, nil, nil, err
	}
	dir, remove, err := s.scratch(name)
	if err != nil {
		g.remove()
		return nil, nil, nil, err
	}
	p, err := s.start(ctx, g, filepath.Join(dir, "log"), "--cache-dir", filepath.Join(dir, "cache"), "--cache-bytes", "8Mi")
	if err != nil {
		remove()
		g.remove()
		return nil, nil, nil, err
	}
	return g, p, func() {
		if p.cmd.ProcessState == nil {
			p.kill()
		}
		remove()
		g.remove()
	}, nil
}

// operatorAddress finds the last operator listener in a log.
func operatorAddress(logFile string) (string, error) {
	text, err := os.ReadFile(logFile)
	if err != nil {
		return "", err
	}
	found := regexp.MustCompile(`"operator listener","address":"([^"]+)"`).FindAllSubmatch(text, -1)
	if len(found) == 0 {
		return "", errors.New("the log names no operator listener")
	}
	return "http://" + string(found[len(found)-1][1]), nil
}

// snapshot asks the operator listener.
func (p *process) snapshot(ctx context.Context) (admission.Snapshot, error) {
	var s admission.Snapshot
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	text, err := read(ctx, p.operator+"/admission")
	if err != nil {
		return s, err
	}
	return s, json.Unmarshal(text, &s)
}

// busy names the gauges that are not idle.
func busy(s admission.Snapshot) string {
	var names []string
	for name, n := range map[string]int64{
		"permits": int64(s.Threads.InUse), "fulls": int64(s.Threads.FullInUse),
		"waiting": int64(s.Queue.TileWaiting + s.Queue.FullWaiting), "keys": int64(s.Queue.KeysWaiting),
		"queue bytes": s.Queue.Bytes, "held bytes": s.Queue.HeldBytes,
		"full bytes": s.Budget.InUseBytes, "tile bytes": s.Budget.TileInUseBytes, "headroom": s.Budget.HeadroomInUseBytes,
		"ingest": s.Budget.IngestInUseBytes, "egress": s.Budget.EgressInUseBytes,
	} {
		if n != 0 {
			names = append(names, fmt.Sprintf("%s %d", name, n))
		}
	}
	return strings.Join(names, ", ")
}

// idle waits until every gauge is idle and returns how long that took, and
// what was not in the end.
func (p *process) idle(ctx context.Context, within time.Duration) (time.Duration, string) {
	began := time.Now()
	for {
		s, err := p.snapshot(ctx)
		what := busy(s)
		if err != nil {
			what = err.Error()
		}
		if took := time.Since(began); what == "" || took > within {
			return took, what
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// memory is a figure of the process' status, such as "VmRSS:", in bytes; -1
// where it cannot be read.
func (p *process) memory(name string) int64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	if err != nil {
		return -1
	}
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, name); ok {
			n, err := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
			if err == nil {
				return n << 10
			}
		}
	}
	return -1
}

// terminate ends the server as an orchestrator does and returns how it went.
func (p *process) terminate(within time.Duration) error {
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	select {
	case err := <-p.ended:
		return err
	case <-time.After(within):
		p.kill()
		return fmt.Errorf("it did not end within %v", within)
	}
}

// kill ends the server as a power failure does.
func (p *process) kill() {
	_ = p.cmd.Process.Kill()
	<-p.ended //nolint:errcheck // it was killed
}

// scratch makes a directory for a run's cache and log.
func (s *stage) scratch(name string) (dir string, remove func(), err error) {
	parent := s.log
	if parent != "" {
		dir = filepath.Join(parent, fmt.Sprintf("%s-%s", name, s.limit))
		return dir, func() { _ = os.RemoveAll(filepath.Join(dir, "cache")) }, os.MkdirAll(dir, 0o755)
	}
	dir, err = os.MkdirTemp(filepath.Dir(s.corpus.dir), "storm-run-")
	return dir, func() { _ = os.RemoveAll(dir) }, err
}
