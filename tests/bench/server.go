package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// server is a program that answers, ours or another one.
type server struct {
	name  string
	url   string // with {id} and {request}
	kinds []kind
	// commands are the processes started for it; none for servers that run
	// already, whose CPU and memory are not known.
	commands []*command
	ended    atomic.Bool
}

// command is a process that is started again when it ends by itself, as its
// supervisor would.
type command struct {
	name string
	args []string
	log  string

	mu  sync.Mutex
	cmd *exec.Cmd
	// restarts counts how often that was needed.
	restarts int
	done     chan struct{}
}

func (s *server) address(q request) string {
	return strings.NewReplacer("{id}", q.id, "{request}", q.params).Replace(s.url)
}

// stop ends the server's processes and waits for them.
func (s *server) stop() {
	s.ended.Store(true)
	for _, c := range s.commands {
		c.mu.Lock()
		_ = c.cmd.Process.Signal(syscall.SIGTERM)
		c.mu.Unlock()
	}
	for _, c := range s.commands {
		<-c.done
		if c.restarts > 0 {
			fmt.Fprintf(os.Stderr, "%s: %s ended by itself %d times\n", s.name, filepath.Base(c.name), c.restarts)
		}
	}
}

// start starts what is to be compared.
func (c *config) start(ctx context.Context, dir string) ([]*server, error) {
	images := filepath.Join(dir, "images")
	var servers []*server
	for _, v := range []struct {
		name string
		args []string
	}{
		{"iiifd", nil},
		{"iiifd, decoding", []string{"--stored-tiles=false"}},
	} {
		s, err := startOurs(ctx, c.binary, v.name, images, filepath.Join(dir, strconv.Itoa(len(servers))), v.args)
		if s != nil {
			servers = append(servers, s)
		}
		if err != nil {
			return servers, err
		}
	}
	if !c.without {
		s, err := startIIP(ctx, dir, images)
		if s != nil {
			servers = append(servers, s)
		}
		if err != nil {
			return servers, err
		}
	}
	return append(servers, c.others...), nil
}

func startOurs(ctx context.Context, binary, name, images, dir string, args []string) (*server, error) {
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	s := &server{name: name, url: fmt.Sprintf("http://127.0.0.1:%d/iiif/2/{id}/{request}", port), kinds: allKinds}
	args = append([]string{
		"serve", "--listen", fmt.Sprintf("127.0.0.1:%d", port), "--operator-listen=off", "--cache-dir=off", "--memory-cache-bytes=1",
		// Waiting is what is measured, not refusing.
		"--queue-timeout-tile=60s", "--queue-timeout-full=60s", "--request-timeout=200s",
	}, args...)
	if err := s.run(ctx, dir, binary, append(args, images)...); err != nil {
		return s, err
	}
	return s, s.wait(ctx, fmt.Sprintf("http://127.0.0.1:%d/livez", port))
}

const nginxConfig = `daemon off;
worker_processes 1;
pid %[1]s/nginx.pid;
error_log %[1]s/error.log crit;
events { worker_connections 256; }
http {
	access_log off;
	client_body_temp_path %[1]s/body;
	fastcgi_temp_path %[1]s/fastcgi;
	proxy_temp_path %[1]s/proxy;
	uwsgi_temp_path %[1]s/uwsgi;
	scgi_temp_path %[1]s/scgi;
	keepalive_requests 1000000;
	upstream iip { least_conn; %[2]s }
	server {
		listen 127.0.0.1:%[3]d;
		location ~ ^/iiif/(.*)$ {
			fastcgi_pass iip;
			fastcgi_read_timeout 300s;
			fastcgi_buffers 64 64k;
			fastcgi_param QUERY_STRING IIIF=$1;
			fastcgi_param REQUEST_METHOD $request_method;
			fastcgi_param HTTP_HOST $host;
			fastcgi_param REQUEST_URI $request_uri;
		}
	}
}
`

// startIIP starts iipimage-server as its users do: several processes behind
// nginx, two for each core, its own cache of tiles off and without the limit
// on sizes, at our default quality.
func startIIP(ctx context.Context, dir, images string) (*server, error) {
	dir = filepath.Join(dir, "iip")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	s := &server{name: "iipsrv"}
	s.kinds = []kind{pyramid, jp2}
	var upstream strings.Builder
	for range 2 * runtime.NumCPU() {
		port, err := freePort()
		if err != nil {
			return s, err
		}
		address := fmt.Sprintf("127.0.0.1:%d", port)
		fmt.Fprintf(&upstream, "server %s max_fails=0;\n", address)
		err = s.run(ctx, dir, "/usr/bin/env", "FILESYSTEM_PREFIX="+images+"/", "MAX_IMAGE_CACHE_SIZE=0", "MAX_CVT=40000", "JPEG_QUALITY=80",
			"VERBOSITY=0", "LOGFILE="+filepath.Join(dir, "log"), "/usr/lib/iipimage-server/iipsrv.fcgi", "--bind", address, "--backlog", "64")
		if err != nil {
			return s, err
		}
	}
	port, err := freePort()
	if err != nil {
		return s, err
	}
	conf := filepath.Join(dir, "nginx.conf")
	if err := os.WriteFile(conf, fmt.Appendf(nil, nginxConfig, dir, upstream.String(), port), 0o600); err != nil {
		return s, err
	}
	if err := s.run(ctx, dir, "nginx", "-c", conf, "-p", dir, "-e", filepath.Join(dir, "error.log")); err != nil {
		return s, err
	}
	s.url = fmt.Sprintf("http://127.0.0.1:%d/iiif/{id}/{request}", port)
	return s, s.wait(ctx, fmt.Sprintf("http://127.0.0.1:%d/iiif/2000x1500-00.tif/info.json", port))
}

// run starts one of the server's processes.
func (s *server) run(ctx context.Context, dir, name string, args ...string) error {
	c := &command{name: name, args: args, log: filepath.Join(dir, "output"), done: make(chan struct{})}
	if err := c.start(ctx); err != nil {
		return err
	}
	s.commands = append(s.commands, c)
	go func() {
		defer close(c.done)
		for {
			_ = c.cmd.Wait()
			c.mu.Lock()
			if s.ended.Load() || ctx.Err() != nil || c.restarts == 1000 || c.start(ctx) != nil {
				c.mu.Unlock()
				return
			}
			c.restarts++
			c.mu.Unlock()
		}
	}()
	return nil
}

func (c *command) start(ctx context.Context) error {
	cmd := exec.CommandContext(ctx, c.name, c.args...)
	output, err := os.OpenFile(c.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer output.Close()
	cmd.Stdout, cmd.Stderr = output, output
	if err := cmd.Start(); err != nil {
		return err
	}
	c.cmd = cmd
	return nil
}

func (c *command) pid() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.cmd.Process.Pid
}

// wait returns when the server answers.
func (s *server) wait(ctx context.Context, url string) error {
	var last error
	for range 200 {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
		if err != nil {
			return err
		}
		resp, err := http.DefaultClient.Do(req)
		if err == nil {
			resp.Body.Close()
			if resp.StatusCode == http.StatusOK {
				return nil
			}
			err = fmt.Errorf("status %d", resp.StatusCode)
		}
		last = err
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(50 * time.Millisecond):
		}
	}
	return fmt.Errorf("%s does not answer: %w", s.name, last)
}

func freePort() (int, error) {
	l, err := net.ListenTCP("tcp", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		return 0, err
	}
	defer l.Close()
	address, _ := l.Addr().(*net.TCPAddr)
	return address.Port, nil
}
