package source

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
)

// counted is a source whose open objects are counted.
type counted struct {
	Source
	mu           sync.Mutex
	opened, open int
}

type countedObject struct {
	Object
	c *counted
}

func (c *counted) Open(ctx context.Context, id string) (Object, error) {
	o, err := c.Source.Open(ctx, id)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.opened++
	c.open++
	return countedObject{o, c}, nil
}

func (o countedObject) Close() error {
	o.c.mu.Lock()
	defer o.c.mu.Unlock()
	o.c.open--
	return o.Object.Close()
}

func pooledDirectory(t *testing.T, limit int) (dir string, c *counted, p *Pool) {
	t.Helper()
	dir = t.TempDir()
	d, err := NewDirectory(dir, Config{})
	if err != nil {
		t.Fatal(err)
	}
	p = NewPool(limit)
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
		d.Close()
	})
	return dir, &counted{Source: d}, p
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name+".new"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(dir, name+".new"), filepath.Join(dir, name)); err != nil {
		t.Fatal(err)
	}
}

func openPooled(t *testing.T, c *counted, p *Pool, id string) Object {
	t.Helper()
	info, err := c.Stat(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	o, err := p.Open(t.Context(), c, id, info)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func readAll(t *testing.T, o Object) string {
	t.Helper()
	b := make([]byte, o.Info().Size)
	if _, err := o.ReadAt(b, 0); err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestPoolOpensOnceAndNeverServesAReplacedFile(t *testing.T) {
	dir, c, p := pooledDirectory(t, 4)
	write(t, dir, "a", "first")
	old := openPooled(t, c, p, "a")
	openPooled(t, c, p, "a").Close()
	if c.opened != 1 {
		t.Errorf("opened %d times", c.opened)
	}
	write(t, dir, "a", "other") // as long as the first
	fresh := openPooled(t, c, p, "a")
	if got := readAll(t, fresh); got != "other" {
		t.Errorf("after the file was replaced: %q", got)
	}
	if got := readAll(t, old); got != "first" {
		t.Errorf("the object that was open before reads %q", got)
	}
	old.Close()
	old.Close() // closing twice must not take another's use away
	fresh.Close()
	if got := readAll(t, openPooled(t, c, p, "a")); got != "other" {
		t.Errorf("from the pool: %q", got)
	}
}

func TestPoolIsBounded(t *testing.T) {
	dir, c, p := pooledDirectory(t, 3)
	var used []Object
	for i := range 10 {
		name := strconv.Itoa(i)
		write(t, dir, name, name)
		o := openPooled(t, c, p, name)
		if i < 5 {
			used = append(used, o)
			continue
		}
		o.Close()
	}
	for i, o := range used { // some have left the pool by now
		if got := readAll(t, o); got != strconv.Itoa(i) {
			t.Errorf("object %d reads %q", i, got)
		}
		o.Close()
	}
	if c.open != 3 {
		t.Errorf("%d objects are open, want 3", c.open)
	}
	if err := p.Close(); err != nil || c.open != 0 {
		t.Errorf("%d objects are open after Close: %v", c.open, err)
	}
	openPooled(t, c, p, "1").Close()
	if c.open != 0 {
		t.Error("a closed pool keeps an object")
	}
}

func TestPoolWithManyUsers(t *testing.T) {
	dir, c, p := pooledDirectory(t, 2)
	for i := range 6 {
		write(t, dir, strconv.Itoa(i), strconv.Itoa(i))
	}
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for n := range 200 {
				name := strconv.Itoa((i*n + n) % 6)
				o := openPooled(t, c, p, name)
				if got := readAll(t, o); got != name {
					t.Errorf("object %s reads %q", name, got)
				}
				o.Close()
			}
		})
	}
	wg.Wait()
	if c.open > 2 {
		t.Errorf("%d objects are open", c.open)
	}
}
