package decode

import (
	"errors"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// TestPatiently shows that long work has a lower priority, that its thread is
// used for nothing else afterwards, and that errors and panics come back.
func TestPatiently(t *testing.T) {
	priority := func() int {
		p, err := unix.Getpriority(unix.PRIO_PROCESS, unix.Gettid()) // 20 less the nice value.
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	before, failure := priority(), errors.New("no luck")
	for range 50 {
		during := 0
		if err := patiently(func() error { during = priority(); return failure }); !errors.Is(err, failure) {
			t.Fatalf("error %v", err)
		}
		if want := max(before-patientNice, 1); during > want {
			t.Fatalf("priority %d, want %d", during, want)
		}
		after := make(chan int)
		go func() { after <- priority() }()
		if got := <-after; got != before {
			t.Fatalf("other work has priority %d, had %d", got, before)
		}
	}
	defer func() {
		if v, _ := recover().(string); !strings.HasPrefix(v, "out of cheese\n") {
			t.Errorf("panic %q", v)
		}
	}()
	_ = patiently(func() error { panic("out of cheese") })
}
