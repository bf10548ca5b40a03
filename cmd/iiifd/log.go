package main

import (
	"io"
	"log/slog"
	"os"

	"golang.org/x/sys/unix"

	"example.com/iiifd/option"
)

// logConfig are the settings of the log.
type logConfig struct{ Level, Format string }

// Options declares the settings.
func (c *logConfig) Options(s *option.Set) {
	s.Word(&c.Level, "log-level", "info", []string{"debug", "info", "warn", "error"}, "Least level that is logged; the access log is at info.").Reload()
	s.Word(&c.Format, "log-format", "auto", []string{"auto", "json", "text"}, "Form of the log on standard error; auto is text on a terminal and json elsewhere.")
}

// newLogger makes the log; level may be changed later.
func newLogger(w io.Writer, c logConfig, level *slog.LevelVar) *slog.Logger {
	setLevel(level, c.Level)
	o := &slog.HandlerOptions{Level: level}
	if c.Format == "text" || (c.Format == "auto" && isTerminal(w)) {
		return slog.New(slog.NewTextHandler(w, o))
	}
	return slog.New(slog.NewJSONHandler(w, o))
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	_, err := unix.IoctlGetTermios(int(f.Fd()), unix.TCGETS)
	return err == nil
}

func setLevel(v *slog.LevelVar, name string) {
	var l slog.Level
	if l.UnmarshalText([]byte(name)) == nil {
		v.Set(l)
	}
}
