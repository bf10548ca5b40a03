package option

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// Error is a setting that cannot be used. It names where the value came from
// and the key as it is written there.
type Error struct {
	// Key is the name in its origin's spelling: a flag with its dashes, an
	// environment variable or a file's key.
	Key string
	// Reason tells what is wrong and, where a name is close, the right one.
	Reason string
	// Line is the key's line in a file, from 1; 0 where it is not known.
	Line int
}

func (e *Error) Error() string {
	if e.Line > 0 {
		return fmt.Sprintf("line %d: %s: %s", e.Line, e.Key, e.Reason)
	}
	return e.Key + ": " + e.Reason
}

// Warning is something that was accepted but should be looked at.
type Warning struct {
	Key, Reason string
	// Fallback tells that an unusable value was replaced by a default.
	Fallback bool
}

// Values are the texts of one origin, by key in that origin's spelling.
type Values map[string]string

// LoadFile sets options from a file's flat keys. line tells on which line a
// key stands, 0 for one that it does not know; it may be nil.
func (s *Set) LoadFile(values Values, line func(key string) int) error {
	byKey := make(map[string]*Option, len(s.options))
	for _, o := range s.options {
		byKey[o.Key()] = o
	}
	var errs []error
	for _, key := range sortedKeys(values) {
		o := byKey[key]
		var err error
		if o == nil {
			err = unknown(key, keysOf(s.options, (*Option).Key))
		} else {
			err = o.assign(key, values[key], OriginFile)
		}
		if e, ok := errors.AsType[*Error](err); ok && line != nil {
			e.Line = line(key)
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// kubernetesName matches what Kubernetes injects for a Service whose name
// begins with "iiifd" (kubernetes.io, "Environment variables" of Services).
var kubernetesName = regexp.MustCompile(
	`^IIIFD_(.*_)?(SERVICE_HOST|SERVICE_PORT(_.*)?|PORT(_[0-9]+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)?)$`)

// LoadEnv sets options from environment entries "NAME=value". An empty value
// counts as unset. Names that start with IIIFD_ and are no option are errors;
// reserved lists further names that are known elsewhere.
func (s *Set) LoadEnv(environ []string, reserved ...string) ([]Warning, error) {
	env := make(Values, len(environ))
	for _, entry := range environ {
		if name, value, ok := strings.Cut(entry, "="); ok && value != "" {
			env[name] = value
		}
	}
	known := make(map[string]bool)
	for _, name := range reserved {
		known[name] = true
	}
	var warnings []Warning
	var errs []error
	for _, o := range s.options {
		known[o.Env()] = true
		if text, ok := env[o.Env()]; ok {
			errs = append(errs, o.assign(o.Env(), text, OriginEnv))
			continue
		}
		w, err := o.loadAliases(env)
		warnings, errs = append(warnings, w...), append(errs, err)
	}
	for _, name := range sortedKeys(env) {
		if strings.HasPrefix(name, EnvPrefix) && !known[name] && !kubernetesName.MatchString(name) {
			errs = append(errs, unknown(name, append(keysOf(s.options, (*Option).Env), reserved...)))
		}
	}
	return warnings, errors.Join(errs...)
}

// loadAliases takes the first alias that is set.
func (o *Option) loadAliases(env Values) ([]Warning, error) {
	for _, a := range o.aliases {
		text, ok := env[a.env]
		if !ok {
			continue
		}
		read, err := a.read(text)
		if w, ok := errors.AsType[*FallbackError](err); ok {
			return []Warning{{Key: a.env, Reason: w.Error(), Fallback: true}}, o.assign(a.env, w.Use, OriginAlias)
		}
		if err != nil {
			return nil, &Error{Key: a.env, Reason: err.Error()}
		}
		return nil, o.assign(a.env, read, OriginAlias)
	}
	return nil, nil
}

// FallbackError is returned by an alias' reader that replaces an unusable
// text by Use; the option is set and a warning is given.
type FallbackError struct{ Text, Use string }

func (e *FallbackError) Error() string {
	return fmt.Sprintf("%q is not known; using %q", e.Text, e.Use)
}

// LoadFlags sets options from the values of flags, by option name.
func (s *Set) LoadFlags(values Values) error {
	var errs []error
	for _, name := range sortedKeys(values) {
		errs = append(errs, s.byName[name].assign("--"+name, values[name], OriginFlag))
	}
	return errors.Join(errs...)
}

// ParseArgs splits a command line into flags of this set and the rest.
// Flags may stand before or after arguments, as --name value or
// --name=value; a bool needs no value; "--" ends the flags.
func (s *Set) ParseArgs(args []string) (flags Values, rest []string, err error) {
	flags = make(Values)
	for i := 0; i < len(args); i++ {
		arg := args[i]
		if arg == "--" {
			return flags, append(rest, args[i+1:]...), nil
		}
		if len(arg) < 2 || arg[0] != '-' {
			rest = append(rest, arg)
			continue
		}
		name, value, has := strings.Cut(strings.TrimLeft(arg, "-"), "=")
		o := s.byName[name]
		if o == nil {
			return nil, nil, unknown("--"+name, keysOf(s.options, func(o *Option) string { return "--" + o.Name }))
		}
		if _, repeated := flags[name]; repeated {
			return nil, nil, &Error{Key: "--" + name, Reason: "given twice"}
		}
		switch {
		case has:
		case o.Kind == "bool":
			value = "true"
		case i+1 == len(args):
			return nil, nil, &Error{Key: "--" + name, Reason: "needs a value"}
		default:
			i++
			value = args[i]
		}
		flags[name] = value
	}
	return flags, rest, nil
}

// assign sets the option and remembers the origin.
func (o *Option) assign(key, text string, from Origin) error {
	if err := o.value.set(text); err != nil {
		return &Error{Key: key, Reason: err.Error()}
	}
	o.Origin = from
	return nil
}

func keysOf(options []*Option, name func(*Option) string) []string {
	keys := make([]string, len(options))
	for i, o := range options {
		keys[i] = name(o)
	}
	return keys
}
