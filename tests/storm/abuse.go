package main

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"strings"
	"sync"
	"time"

	"example.com/iiifd/testimages"
)

// crawling is how long the slow clients go on.
const crawling = 20 * time.Second

// abuse lets thousands of clients leave at any moment, while others read or
// send a byte a second, and looks whether anything stays behind.
func (s *stage) abuse(ctx context.Context) error {
	g, p, end, err := s.serve(ctx, "abuse")
	if err != nil {
		return err
	}
	defer end()
	address := strings.TrimPrefix(p.base, "http://")
	slow, end := context.WithCancel(ctx)
	var wg sync.WaitGroup
	for i := range s.crawlers {
		wg.Go(func() { readSlowly(slow, address, i) })
		wg.Go(func() { sendSlowly(slow, address, i) })
	}
	began := time.Now()
	s.quit(ctx, address)
	quitting := time.Since(began)
	tiles := during(ctx, max(crawling-quitting, 5*time.Second), func(ctx context.Context) *outcomes { return view(ctx, p.base) })
	end()
	wg.Wait()
	took, what := p.idle(ctx, 10*time.Second)
	r := s.report
	r.note("**abuse at %s** (load %s): %d clients quit within %s s beside %d readers and %d bodies of 1 byte/s; tiles afterwards, beside the slow ones: %v, p99 %s ms",
		s.limit, load(), s.quitters, ms(quitting/1000), s.crawlers, s.crawlers, tiles, ms(tiles.quantile(0.99)))
	r.check(percent(tiles.counts["200"], len(tiles.latencies)) == 100, "abuse at %s: tiles %v", s.limit, tiles)
	r.check(what == "", "abuse at %s: idle %s s after the end %s", s.limit, ms(took/1000), what)
	r.check(g.kills() == 0 && !ended(p), "abuse at %s: %d OOM kills, peak RSS %d MiB", s.limit, g.kills(), p.memory("VmHWM:")>>20)
	return p.terminate(time.Minute)
}

// anything is a request of any kind.
func anything(random *rand.Rand) string {
	kind := allKinds[random.IntN(len(allKinds))]
	id := "/iiif/3/" + identifier(kind, random.IntN(names))
	switch random.IntN(6) {
	case 0:
		return id + "/full/max/0/default.jpg"
	case 1:
		return id + "/full/1000,/0/default.png"
	case 2:
		return id + "/info.json"
	case 3:
		return id + "/file"
	default:
		return tile(random)
	}
}

func head(method, path, client string) string {
	return method + " " + path + " HTTP/1.1\r\nHost: images.example\r\nX-Forwarded-For: " + client + "\r\n"
}

// quit lets clients come, two hundred at a time, and leave at random: within
// their request, while they wait, or within the answer.
func (s *stage) quit(ctx context.Context, address string) {
	var wg sync.WaitGroup
	places := make(chan struct{}, 200)
	for i := range s.quitters {
		places <- struct{}{}
		wg.Go(func() {
			defer func() { <-places }()
			random := rand.New(rand.NewPCG(uint64(i), 5))
			c, err := new(net.Dialer).DialContext(ctx, "tcp", address)
			if err != nil {
				return
			}
			defer c.Close()
			patience := time.Duration(random.ExpFloat64() * float64(300*time.Millisecond))
			_ = c.SetDeadline(time.Now().Add(patience)) // A TCP connection takes it.
			request := head("GET", anything(random), fmt.Sprintf("10.1.%d.%d", i>>8, i&255)) + "\r\n"
			if random.IntN(5) == 0 {
				request = request[:random.IntN(len(request))]
			}
			if _, err := io.WriteString(c, request); err != nil {
				return
			}
			_, _ = io.CopyN(io.Discard, c, random.Int64N(1<<20))
		})
	}
	wg.Wait()
}

// readSlowly asks for something large and takes a byte a second.
func readSlowly(ctx context.Context, address string, i int) {
	kind := allKinds[i%len(allKinds)]
	path := fmt.Sprintf("/iiif/3/%s/0,0,%d,%d/max/0/default.jpg", identifier(testimages.LargePyramid, i%names), 3000+8*i, 3000)
	if i%2 == 0 {
		path = "/iiif/3/" + identifier(kind, i%names) + "/file"
	}
	c, err := new(net.Dialer).DialContext(ctx, "tcp", address)
	if err != nil {
		return
	}
	defer c.Close()
	if tcp, ok := c.(*net.TCPConn); ok {
		_ = tcp.SetReadBuffer(4 << 10) // The kernel may round it up.
	}
	if _, err := io.WriteString(c, head("GET", path, fmt.Sprintf("10.2.0.%d", i))+"\r\n"); err != nil {
		return
	}
	drip(ctx, func() error {
		_, err := c.Read(make([]byte, 1))
		return err
	})
}

// sendSlowly announces a body and sends a byte of it a second.
func sendSlowly(ctx context.Context, address string, i int) {
	method := []string{"GET", "POST"}[i%2]
	c, err := new(net.Dialer).DialContext(ctx, "tcp", address)
	if err != nil {
		return
	}
	defer c.Close()
	request := head(method, tile(rand.New(rand.NewPCG(uint64(i), 6))), fmt.Sprintf("10.3.0.%d", i))
	if _, err := io.WriteString(c, request+"Content-Length: 1000\r\n\r\n"); err != nil {
		return
	}
	drip(ctx, func() error {
		_, err := c.Write([]byte{'x'})
		return err
	})
}

// drip calls f every second until it fails or ctx ends.
func drip(ctx context.Context, f func() error) {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			if f() != nil {
				return
			}
		}
	}
}
