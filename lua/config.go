package lua

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"example.com/iiifd/auth"
	"example.com/iiifd/option"
)

// Config are the settings of scripts.
type Config struct {
	ScriptDir  string
	InitScript string
	// MemoryLimit bounds what one script may hold, in bytes.
	MemoryLimit int64
	// HookMemory is the same for a hook; where it is more than MemoryLimit,
	// that holds.
	HookMemory int64
	Timeout    time.Duration
	// Instructions bounds the machine instructions of one call, in millions;
	// 0 means no limit.
	Instructions int
	// Slots and HookSlots bound the scripts and the hooks that run at once.
	Slots, HookSlots int
	Roots            []string
	Env              []string
	HTTPAllow        []string
	HTTPBody         int64
	JWTKey           string
	// CacheTTL is how long a hook's verdict is used again; 0 asks each time.
	CacheTTL   time.Duration
	CacheSlots int
	// OpenFiles lets raw files through where pre_flight exists and
	// file_pre_flight does not.
	OpenFiles bool

	// ThumbSize is config.thumb_size, and the size as which an image is shown
	// that a hook restricts without saying how.
	ThumbSize string

	// What follows is set by the program, not by options.

	// Routes are the routes of the configuration file.
	Routes []Route
	// Facts is the table config of scripts; its directories ImageRoot and
	// TempDir are permitted.
	Facts SIPIConfig
	// Command starts a worker: this program with WorkerCommand if empty.
	Command []string
}

// Options declares the settings.
func (c *Config) Options(s *option.Set) {
	s.Group("Lua scripts")
	s.Text(&c.ScriptDir, "script-dir", "scripts", "Directory of the scripts of routes and of what they require.").Alias("SIPI_SCRIPTDIR", nil)
	s.Text(&c.InitScript, "init-script", "", "Script that runs before every hook and route and defines pre_flight, file_pre_flight and routes; relative to script-dir. Empty means none.").Alias("SIPI_INITSCRIPT", sipiInitScript)
	s.Size(&c.MemoryLimit, "lua-memory-limit", 64<<20, 4<<20, 4<<30, "Memory that one script may hold. A script that needs more is ended.").Alias("SIPI_LUA_MEMORY_LIMIT", nil)
	s.Size(&c.HookMemory, "hook-memory-limit", 16<<20, 4<<20, 4<<30, "Memory that one pre-flight hook may hold, never more than lua-memory-limit.")
	s.Duration(&c.Timeout, "lua-timeout", 5*time.Second, 10*time.Millisecond, 10*time.Minute, "Time that one script may take, images included.").Alias("SIPI_LUA_TIMEOUT_MS", milliseconds)
	s.Int(&c.Instructions, "lua-instructions", 0, 0, 1_000_000, "Millions of machine instructions that one script may take. 0 means no limit but the time.")
	s.Int(&c.Slots, "lua-slots", 0, 0, 1024, "Scripts that run at once, each in a process of its own. 0 means one for each CPU that this process may use.")
	s.Int(&c.HookSlots, "hook-slots", 0, 0, 1024, "Pre-flight hooks that run at once, each in a process of its own. 0 means four for each CPU that this process may use. Fewer run where memory is too short for all of them to take hook-memory-limit.")
	s.List(&c.Roots, "lua-roots", nil, "Further directories whose files scripts may read and write, beside the image root and the temporary directory.")
	s.List(&c.Env, "lua-env", nil, "Environment variables that os.getenv shows to scripts.")
	s.List(&c.HTTPAllow, "lua-http-allow", nil, "Loopback, private and other special addresses or prefixes that server.http may reach.")
	s.Size(&c.HTTPBody, "lua-http-body", 16<<20, 1, 1<<30, "Largest answer that server.http takes; never more than a quarter of lua-memory-limit.")
	s.Text(&c.JWTKey, "jwt-key", "", "Key of the tokens that scripts make and check, or @FILE to read it from a file.").Secret().Alias("SIPI_JWTKEY", nil)
	s.Text(&c.ThumbSize, "thumb-size", "!128,128", "Size of thumbnails as an IIIF size: config.thumb_size of scripts, and the size as which an image is shown that a hook restricts without saying how.").Alias("SIPI_THUMBSIZE", nil)
	s.Duration(&c.CacheTTL, "preflight-cache-ttl", 0, 0, 24*time.Hour, "Time for which a hook's verdict is used again for the same image, cookies and credentials. 0 asks the hook each time.").Alias("SIPI_PREFLIGHT_CACHE_TTL", seconds)
	s.Int(&c.CacheSlots, "preflight-cache-slots", 4096, 1, 1<<20, "Verdicts that are kept.").Alias("SIPI_PREFLIGHT_CACHE_SLOTS", nil)
	s.Bool(&c.OpenFiles, "lua-open-files", false, "Serve original files where pre_flight is defined and file_pre_flight is not. Otherwise they are refused.")
}

// hookMemory is what one hook may hold, in bytes; MemoryLimit where nothing
// was said.
func (c *Config) hookMemory() int64 {
	if c.HookMemory <= 0 {
		return c.MemoryLimit
	}
	return min(c.HookMemory, c.MemoryLimit)
}

// SlotCounts returns how many scripts and how many hooks run at once. Each
// may hold its memory limit, and twice that for a moment.
func (c *Config) SlotCounts() (scripts, hooks int) {
	scripts, hooks = c.Slots, c.HookSlots
	if scripts <= 0 {
		scripts = runtime.GOMAXPROCS(0)
	}
	if hooks <= 0 {
		hooks = 4 * runtime.GOMAXPROCS(0)
	}
	return scripts, hooks
}

func milliseconds(text string) (string, error) {
	if _, err := strconv.ParseUint(text, 10, 32); err != nil {
		return "", fmt.Errorf("%q is not a number of milliseconds", text)
	}
	return text + "ms", nil
}

func seconds(text string) (string, error) {
	if _, err := strconv.ParseUint(text, 10, 32); err != nil {
		return "", fmt.Errorf("%q is not a number of seconds", text)
	}
	return text + "s", nil
}

// sipiInitScript reads SIPI's ".", which means none.
func sipiInitScript(text string) (string, error) {
	if text == "." {
		return "", nil
	}
	return text, nil
}

// Validate checks what options alone cannot.
func (c *Config) Validate() error {
	var errs []error
	if _, err := parseNetworks(c.HTTPAllow); err != nil {
		errs = append(errs, fmt.Errorf("lua-http-allow: %w", err))
	}
	if c.InitScript != "" {
		if info, err := os.Stat(c.initPath()); err != nil || !info.Mode().IsRegular() {
			errs = append(errs, fmt.Errorf("init-script: %s is not a file", c.InitScript))
		}
	}
	if file, ok := strings.CutPrefix(c.JWTKey, "@"); ok {
		if _, err := os.Stat(file); err != nil {
			errs = append(errs, fmt.Errorf("jwt-key: %w", err))
		}
	}
	if size, err := auth.ParseSize(c.ThumbSize); err != nil || size.IsZero() {
		errs = append(errs, fmt.Errorf("thumb-size: %q is no size such as !128,128", c.ThumbSize))
	}
	if err := CheckRoutes(c.Routes); err != nil {
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// initPath is the init script's place: below the script directory, or where
// it stands relative to the working directory, as SIPI has it.
func (c *Config) initPath() string {
	if filepath.IsAbs(c.InitScript) {
		return c.InitScript
	}
	below := filepath.Join(c.ScriptDir, c.InitScript)
	if _, err := os.Stat(below); err == nil {
		return below
	}
	return c.InitScript
}

// settings is what workers get to know.
func (c *Config) settings() (*settings, error) {
	s := &settings{
		MemoryLimit: c.MemoryLimit,
		MaxSteps:    int64(c.Instructions) * 1_000_000,
		HTTPAllow:   c.HTTPAllow,
		HTTPBody:    c.HTTPBody,
		JWTKey:      c.JWTKey,
		Env:         map[string]string{},
		Config:      c.Facts,
	}
	s.Config.ThumbSize = c.ThumbSize
	if file, ok := strings.CutPrefix(c.JWTKey, "@"); ok {
		key, err := os.ReadFile(file)
		if err != nil {
			return nil, fmt.Errorf("lua: jwt-key: %w", err)
		}
		s.JWTKey = strings.TrimSpace(string(key))
	}
	for _, name := range c.Env {
		if v, ok := os.LookupEnv(name); ok {
			s.Env[name] = v
		}
	}
	var err error
	if s.ScriptDir, err = filepath.Abs(c.ScriptDir); err != nil {
		return nil, err
	}
	if c.InitScript != "" {
		if s.InitScript, err = filepath.Abs(c.initPath()); err != nil {
			return nil, err
		}
	}
	for _, dir := range append([]string{c.Facts.ImageRoot, c.Facts.TempDir}, c.Roots...) {
		if dir != "" {
			s.Roots = append(s.Roots, dir)
		}
	}
	return s, nil
}
