package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"sort"
	"strconv"
	"strings"

	"github.com/BurntSushi/toml"

	"example.com/iiifd/admission"
	"example.com/iiifd/cache"
	"example.com/iiifd/decode"
	"example.com/iiifd/docroot"
	"example.com/iiifd/iiif"
	"example.com/iiifd/lua"
	"example.com/iiifd/option"
	"example.com/iiifd/render"
	"example.com/iiifd/server"
	"example.com/iiifd/source"
)

// config is the whole configuration: the joined settings of all packages and
// the tables that only the file has.
type config struct {
	set *option.Set

	File      string
	Log       logConfig
	Server    server.Config
	Operator  server.OperatorConfig
	Render    render.Config
	Source    source.Config
	Decode    decode.Config
	Cache     cache.Config
	Admission admission.Config
	Lua       lua.Config
	Docroot   docroot.Config

	Mounts []mountConfig
	// Warnings came up while loading.
	Warnings []option.Warning
}

// mountConfig is a [[mount]] of the file.
type mountConfig struct {
	Path    string
	Public  string
	Version int
	// Dir is a directory, absolute or below the served one.
	Dir string
}

// newConfig declares every option with its default.
func newConfig() *config {
	c := &config{set: option.NewSet()}
	c.set.Group("General")
	c.set.Text(&c.File, "config", "", "TOML configuration file.")
	c.Log.Options(c.set)
	c.Server.Options(c.set)
	c.Operator.Options(c.set)
	c.Source.Options(c.set)
	c.Render.Options(c.set)
	c.Decode.Options(c.set)
	c.Cache.Options(c.set)
	c.Admission.Options(c.set)
	c.Lua.Options(c.set)
	c.Docroot.Options(c.set)
	return c
}

// loadConfig reads defaults < file < environment < flags and returns what is
// left of the arguments. All errors are reported together.
func loadConfig(args, environ []string) (*config, []string, error) {
	c := newConfig()
	flags, rest, err := c.set.ParseArgs(args)
	if err != nil {
		return nil, nil, err
	}
	if err := c.load(flags, environ); err != nil {
		return nil, nil, err
	}
	return c, rest, nil
}

// load applies all origins. The file's own name may come from a flag or the
// environment, so these are read first and once more after the file.
func (c *config) load(flags option.Values, environ []string) error {
	warnings, envErr := c.set.LoadEnv(environ)
	flagErr := c.set.LoadFlags(flags)
	if err := errors.Join(envErr, flagErr); err != nil {
		return err
	}
	if c.File != "" {
		if err := c.loadFile(c.File); err != nil {
			return err
		}
		if _, err := c.set.LoadEnv(environ); err != nil {
			return err
		}
		if err := c.set.LoadFlags(flags); err != nil {
			return err
		}
	}
	c.Warnings = warnings
	return c.validate()
}

func (c *config) validate() error {
	c.Admission.RequestTimeout, c.Admission.BodyReadTimeout = c.Server.RequestTimeout, c.Server.BodyReadTimeout
	return errors.Join(c.Server.Validate(), c.Render.Validate(), c.Decode.Validate(), c.Cache.Validate(), c.Admission.Validate(),
		c.Lua.Validate(), c.Docroot.Validate())
}

// scripts tells whether anything is configured that may run scripts.
func (c *config) scripts() bool {
	return c.Lua.InitScript != "" || len(c.Lua.Routes) > 0 || c.Docroot.Docroot != ""
}

// maxConfigBytes is more than any configuration file has.
const maxConfigBytes = 1 << 20

// readBounded reads a file that may turn out to be a device without an end.
func readBounded(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxConfigBytes+1))
	if err == nil && len(text) > maxConfigBytes {
		err = fmt.Errorf("%s is longer than %d bytes", name, maxConfigBytes)
	}
	return text, err
}

// loadFile reads a TOML file: flat keys are options, [[mount]] are mounts,
// [[route]] (SIPI's [[routes]]) are Lua routes.
func (c *config) loadFile(name string) error {
	text, err := readBounded(name)
	if err != nil {
		return fmt.Errorf("config: %w", err)
	}
	var raw map[string]any
	if _, err := toml.Decode(string(text), &raw); err != nil {
		return fmt.Errorf("config %s: %w", name, err)
	}
	values := make(option.Values)
	lines := readLines(string(text))
	var errs []error
	for _, key := range sortedKeys(raw) {
		if key == "mount" {
			mounts, err := c.readMounts(raw[key], lines)
			c.Mounts, errs = mounts, append(errs, err)
			continue
		}
		if key == "route" || key == "routes" {
			routes, err := readRoutes(key, raw[key], lines)
			c.Lua.Routes, errs = append(c.Lua.Routes, routes...), append(errs, err)
			continue
		}
		text, err := flat(raw[key])
		if err != nil {
			errs = append(errs, misplaced(key, err, lines))
			continue
		}
		values[key] = text
	}
	if err := errors.Join(append(errs, c.set.LoadFile(values, lines.of))...); err != nil {
		return fmt.Errorf("config %s:\n%w", name, err)
	}
	return nil
}

// flat turns a TOML value into the text of an option.
func flat(value any) (string, error) {
	switch v := value.(type) {
	case string:
		return v, nil
	case bool:
		return strconv.FormatBool(v), nil
	case int64:
		return strconv.FormatInt(v, 10), nil
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64), nil
	case []any:
		texts := make([]string, 0, len(v))
		for _, item := range v {
			s, ok := item.(string)
			if !ok {
				return "", errors.New("a list holds texts only")
			}
			texts = append(texts, s)
		}
		return strings.Join(texts, ","), nil
	case map[string]any, []map[string]any:
		return "", errors.New("no such table; options are flat keys")
	}
	return "", fmt.Errorf("a value of this kind (%T) is not used here", value)
}

// readMounts reads the [[mount]] tables, which must hold known keys only.
func (c *config) readMounts(value any, lines keyLines) ([]mountConfig, error) {
	tables, ok := value.([]map[string]any)
	if !ok {
		return nil, &option.Error{Key: "mount", Reason: "write [[mount]] with two brackets", Line: lines.of("mount")}
	}
	var mounts []mountConfig
	var errs []error
	for i, table := range tables {
		name := fmt.Sprintf("mount %d", i+1)
		m, err := c.readMount(table, name, lines)
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", name, err))
		}
		mounts = append(mounts, m)
	}
	return mounts, errors.Join(errs...)
}

func (c *config) readMount(table map[string]any, name string, lines keyLines) (mountConfig, error) {
	m := mountConfig{Version: int(iiif.V3)}
	var errs []error
	for _, key := range sortedKeys(table) {
		text, isText := table[key].(string)
		number, isNumber := table[key].(int64)
		switch {
		case key == "path" && isText:
			m.Path = text
		case key == "public" && isText:
			m.Public = text
		case key == "dir" && isText:
			m.Dir = text
		case key == "version" && isNumber && (number == 2 || number == 3):
			m.Version = int(number)
		case key == "version":
			errs = append(errs, lines.fault(name, key, fmt.Sprintf("must be 2 or 3, not %v", table[key])))
		case key == "path" || key == "public" || key == "dir":
			errs = append(errs, lines.fault(name, key, "needs a text"))
		default:
			errs = append(errs, lines.fault(name, key, c.notOfMount(key)))
		}
	}
	if m.Path == "" {
		errs = append(errs, lines.fault(name, "path", "is required"))
	}
	return m, errors.Join(errs...)
}

// notOfMount tells why a key cannot stand in a [[mount]]. In TOML a table goes
// on to the next one, so options written after it end up here.
func (c *config) notOfMount(key string) string {
	if best := option.Nearest(key, []string{"path", "public", "dir", "version"}); best != "" {
		return "no such key; did you mean " + best + "?"
	}
	for _, o := range c.set.All() {
		if o.Key() == key {
			return "is no key of a mount; write options above the first [[mount]]"
		}
	}
	return "no such key of a mount; options stand above the first [[mount]]"
}

// misplaced is a value of a kind that no option takes.
func misplaced(key string, err error, lines keyLines) error {
	reason := err.Error()
	if best := option.Nearest(key, []string{"mount"}); best != "" {
		reason += "; did you mean [[" + best + "]]?"
	}
	return &option.Error{Key: key, Reason: reason, Line: lines.of(key)}
}

func sortedKeys(m map[string]any) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}
