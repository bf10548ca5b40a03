package option_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"example.com/iiifd/option"
)

// settings are one option of each kind.
type settings struct {
	name    string
	mode    string
	on      bool
	count   int
	ratio   float64
	wait    time.Duration
	memory  int64
	proxies []string
}

func declare(s *settings) *option.Set {
	set := option.NewSet()
	set.Group("Test")
	set.Text(&s.name, "name", "x", "A name.")
	set.Word(&s.mode, "admission-mode", "advanced", []string{"basic", "advanced"}, "A mode.").
		Alias("SIPI_ADMISSION_MODE", func(text string) (string, error) {
			if !strings.EqualFold(text, "basic") && !strings.EqualFold(text, "advanced") {
				return "", &option.FallbackError{Text: text, Use: "basic"}
			}
			return text, nil
		})
	set.Bool(&s.on, "landing", true, "A switch.")
	set.Int(&s.count, "queue-max", 512, 1, 1000, "A count.")
	set.Number(&s.ratio, "ratio", 0.5, 0, 1, "A ratio.")
	set.Duration(&s.wait, "queue-timeout", 10*time.Second, 0, time.Hour, "A wait.").Reload()
	set.Size(&s.memory, "memory-limit", 0, 0, 1<<40, "A size.")
	set.List(&s.proxies, "trusted-proxies", nil, "A list.")
	return set
}

func TestLaterOriginsWin(t *testing.T) {
	var s settings
	set := declare(&s)
	if err := set.LoadFile(option.Values{"queue_max": "1", "ratio": "0.25", "name": "file"}, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := set.LoadEnv([]string{"IIIFD_QUEUE_MAX=2", "IIIFD_NAME=env", "IIIFD_RATIO=", "PATH=/bin"}); err != nil {
		t.Fatal(err)
	}
	if err := set.LoadFlags(option.Values{"queue-max": "3"}); err != nil {
		t.Fatal(err)
	}
	if s.count != 3 || s.name != "env" || s.ratio != 0.25 || s.mode != "advanced" {
		t.Errorf("got %+v", s)
	}
	for name, want := range map[string]option.Origin{
		"queue-max": option.OriginFlag, "name": option.OriginEnv, "ratio": option.OriginFile, "landing": option.OriginDefault,
	} {
		if got := set.Lookup(name).Origin; got != want {
			t.Errorf("%s came from %s, want %s", name, got, want)
		}
	}
}

func TestValues(t *testing.T) {
	var s settings
	set := declare(&s)
	err := set.LoadFlags(option.Values{
		"admission-mode": "BASIC", "landing": "no", "ratio": ".75", "queue-timeout": "250ms", "memory-limit": "512M", "trusted-proxies": "10.0.0.0/8, ::1,",
	})
	if err != nil {
		t.Fatal(err)
	}
	if s.mode != "basic" || s.on || s.ratio != 0.75 || s.wait != 250*time.Millisecond || s.memory != 512<<20 || len(s.proxies) != 2 || s.proxies[1] != "::1" {
		t.Errorf("got %+v", s)
	}
}

// Every value that is no value is refused, by its key, and changes nothing.
func TestBadValues(t *testing.T) {
	for _, c := range []struct{ key, value, says string }{
		{"admission_mode", "enforce", "basic, advanced"},
		{"landing", "maybe", "neither true nor false"},
		{"queue_max", "0", "outside 1 to 1000"},
		{"queue_max", "1001", "outside"},
		{"queue_max", "1e2", "not a whole number"},
		{"queue_max", "", "not a whole number"},
		{"ratio", "NaN", "not a finite number"},
		{"ratio", "Inf", "not a finite number"},
		{"ratio", "-0.1", "outside"},
		{"queue_timeout", "10", "no unit; write 10s"},
		{"queue_timeout", "-1s", "outside"},
		{"queue_timeout", "soon", "not a duration"},
		{"memory_limit", "512MB", "write MiB"},
		{"memory_limit", "-1", "not a size"},
		{"memory_limit", "1.2.3M", "not a size"},
		{"memory_limit", "9999999T", "too large"},
		{"memory_limit", "M", "not a size"},
		{"queue_maks", "1", "did you mean queue_max?"},
		{"colour", "1", "no such option"},
	} {
		var s settings
		set := declare(&s)
		err := set.LoadFile(option.Values{c.key: c.value}, nil)
		var bad *option.Error
		if !errors.As(err, &bad) || bad.Key != c.key || !strings.Contains(bad.Reason, c.says) {
			t.Errorf("%s = %q: %v, want %q", c.key, c.value, err, c.says)
		}
		if s.count != 512 || s.memory != 0 || s.mode != "advanced" {
			t.Errorf("%s = %q changed %+v", c.key, c.value, s)
		}
	}
}

func TestAllErrorsAreReported(t *testing.T) {
	var s settings
	_, err := declare(&s).LoadEnv([]string{"IIIFD_QUEUE_MAX=x", "IIIFD_RATIO=2", "IIIFD_QEUE_MAX=1"})
	for _, want := range []string{"IIIFD_QUEUE_MAX", "IIIFD_RATIO", "IIIFD_QEUE_MAX: no such option; did you mean IIIFD_QUEUE_MAX?"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v lacks %q", err, want)
		}
	}
}

// What Kubernetes injects for a Service called iiifd is no mistake of ours.
func TestKubernetesNames(t *testing.T) {
	var s settings
	set := declare(&s)
	_, err := set.LoadEnv([]string{
		"IIIFD_SERVICE_HOST=10.0.0.1", "IIIFD_SERVICE_PORT=80", "IIIFD_SERVICE_PORT_HTTP=80", "IIIFD_PORT=tcp://10.0.0.1:80",
		"IIIFD_PORT_80_TCP=tcp://10.0.0.1:80", "IIIFD_PORT_80_TCP_PROTO=tcp", "IIIFD_PORT_80_TCP_PORT=80", "IIIFD_PORT_80_TCP_ADDR=10.0.0.1",
		"IIIFD_INTERNAL_SERVICE_HOST=10.0.0.1", "IIIFD_INTERNAL_PORT_80_TCP=x",
	})
	if err != nil {
		t.Error(err)
	}
	if _, err := set.LoadEnv([]string{"IIIFD_SERVICE_HOSTS=x"}); err == nil {
		t.Error("a name that only resembles Kubernetes' was taken")
	}
}

func TestAlias(t *testing.T) {
	for _, c := range []struct {
		env      []string
		mode     string
		origin   option.Origin
		warnings int
	}{
		{[]string{"SIPI_ADMISSION_MODE=basic"}, "basic", option.OriginAlias, 0},
		{[]string{"SIPI_ADMISSION_MODE=basic", "IIIFD_ADMISSION_MODE=advanced"}, "advanced", option.OriginEnv, 0},
		{[]string{"SIPI_ADMISSION_MODE=monitor"}, "basic", option.OriginAlias, 1},
		{[]string{"SIPI_ADMISSION_MODE="}, "advanced", option.OriginDefault, 0},
	} {
		var s settings
		set := declare(&s)
		w, err := set.LoadEnv(c.env)
		if err != nil || s.mode != c.mode || len(w) != c.warnings || set.Lookup("admission-mode").Origin != c.origin {
			t.Errorf("%v: mode %s, %v, %v", c.env, s.mode, w, err)
		}
	}
	var s settings
	if _, err := declare(&s).LoadEnv([]string{"IIIFD_ADMISSION_MODE=monitor"}); err == nil {
		t.Error("our own variable fell back silently")
	}
}

func TestFlagsStandAnywhere(t *testing.T) {
	var s settings
	set := declare(&s)
	flags, rest, err := set.ParseArgs([]string{"a.tif", "--queue-max=3", "--landing", "-name", "n", "full/max/0/default.jpg", "--", "--odd"})
	if err != nil || flags["queue-max"] != "3" || flags["landing"] != "true" || flags["name"] != "n" || strings.Join(rest, " ") != "a.tif full/max/0/default.jpg --odd" {
		t.Errorf("%v %v %v", flags, rest, err)
	}
	for _, args := range [][]string{{"--queue-maks=1"}, {"--name"}, {"--name=a", "--name=b"}} {
		if _, _, err := set.ParseArgs(args); err == nil {
			t.Errorf("%v was taken", args)
		}
	}
}

func TestSizesRoundTrip(t *testing.T) {
	for text, want := range map[string]int64{
		"0": 0, "1": 1, "1k": 1 << 10, "1Ki": 1 << 10, "64KiB": 64 << 10, "1.5G": 3 << 29, "8 MiB": 8 << 20, "2T": 2 << 40, "33554432": 32 << 20,
	} {
		got, err := option.ParseSize(text)
		if err != nil || got != want {
			t.Errorf("ParseSize(%q) = %d, %v, want %d", text, got, err, want)
		}
		if again, err := option.ParseSize(option.FormatSize(got)); err != nil || again != got {
			t.Errorf("%d was written as %q", got, option.FormatSize(got))
		}
	}
}

func TestManualHasEveryOption(t *testing.T) {
	var s settings
	set := declare(&s)
	var b bytes.Buffer
	if err := set.WriteManual(&b); err != nil {
		t.Fatal(err)
	}
	for _, o := range set.All() {
		for _, want := range []string{"`--" + o.Name + "`", "`" + o.Env() + "`", "`" + o.Key() + "`", o.Help} {
			if !strings.Contains(b.String(), want) {
				t.Errorf("the manual lacks %q", want)
			}
		}
	}
}
