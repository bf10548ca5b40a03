// Package option declares every setting once: the declaration is the flag,
// the environment variable, the configuration file's key, the default, the
// help text and the manual's entry.
//
// A package that has settings owns a Config struct with a method
// Options(*Set) that declares them; cmd/iiifd joins the sets and loads
// defaults < file < environment < flags.
package option

import (
	"fmt"
	"strings"
	"time"
)

// EnvPrefix stands before the environment name of every option.
const EnvPrefix = "IIIFD_"

// Origin tells where an option's value came from.
type Origin string

// The origins, weakest first. OriginAlias is a SIPI_* variable; it ranks as
// environment, below the IIIFD_* one of the same option.
const (
	OriginDefault Origin = "default"
	OriginFile    Origin = "file"
	OriginAlias   Origin = "SIPI environment"
	OriginEnv     Origin = "environment"
	OriginFlag    Origin = "flag"
)

// Option is one declared setting.
type Option struct {
	// Name is the flag's name in kebab case, "queue-max".
	Name string
	// Help is one or more sentences: meaning, what 0 or empty means.
	Help string
	// Kind is the shown type: size, int, number, duration, bool, text, list
	// or the allowed words joined by "|".
	Kind string
	// Default is the default as it would be written.
	Default string
	// Reloadable tells that SIGHUP applies a new value.
	Reloadable bool
	// Group is the manual's heading, set by Set.Group.
	Group string
	// Origin is where the present value came from.
	Origin Origin

	value   value
	aliases []alias
	secret  bool
}

// value is what a declaration knows about its variable.
type value interface {
	set(text string) error
	String() string
}

// alias is another environment name for an option, with its own reading.
type alias struct {
	env  string
	read func(text string) (string, error)
}

// Env returns the option's environment variable, "IIIFD_QUEUE_MAX".
func (o *Option) Env() string {
	return EnvPrefix + strings.ToUpper(strings.ReplaceAll(o.Name, "-", "_"))
}

// Key returns the option's configuration file key, "queue_max".
func (o *Option) Key() string { return strings.ReplaceAll(o.Name, "-", "_") }

// Value returns the present value as it would be written; of a secret only
// whether there is one.
func (o *Option) Value() string {
	text := o.value.String()
	if o.secret && text != "" && !strings.HasPrefix(text, "@") {
		return "***"
	}
	return text
}

// Secret keeps the value out of Value, unless it is @ and the name of a file
// that holds it, and returns the option.
func (o *Option) Secret() *Option {
	o.secret, o.Kind = true, "secret"
	return o
}

// Reload marks the option as one that SIGHUP applies and returns it.
func (o *Option) Reload() *Option {
	o.Reloadable = true
	return o
}

// Alias declares another environment variable for the option, read only
// where the option's own variable is unset. read turns the variable's text
// into the option's; nil takes it as it is.
func (o *Option) Alias(env string, read func(string) (string, error)) *Option {
	if read == nil {
		read = func(s string) (string, error) { return s, nil }
	}
	o.aliases = append(o.aliases, alias{env: env, read: read})
	return o
}

// Set is a collection of options with distinct names.
type Set struct {
	options []*Option
	byName  map[string]*Option
	group   string
}

// NewSet returns an empty set.
func NewSet() *Set { return &Set{byName: make(map[string]*Option)} }

// Group sets the manual's heading for the options declared next.
func (s *Set) Group(name string) { s.group = name }

// All returns the options in the order of declaration.
func (s *Set) All() []*Option { return s.options }

// Lookup returns the option of that name, nil if there is none.
func (s *Set) Lookup(name string) *Option { return s.byName[name] }

// add declares an option; the variable behind v already holds the default.
// Two options of one name are a programming error and panic.
func (s *Set) add(name, kind, help string, v value) *Option {
	if s.byName[name] != nil {
		panic(fmt.Sprintf("option: %s declared twice", name))
	}
	o := &Option{Name: name, Help: help, Kind: kind, Group: s.group, Origin: OriginDefault, value: v}
	o.Default = v.String()
	s.options = append(s.options, o)
	s.byName[name] = o
	return o
}

// Text declares a string option.
func (s *Set) Text(p *string, name, def, help string) *Option {
	*p = def
	return s.add(name, "text", help, textValue{p})
}

// Word declares an option that takes one of words, in any case.
func (s *Set) Word(p *string, name, def string, words []string, help string) *Option {
	*p = def
	return s.add(name, strings.Join(words, "|"), help, wordValue{p, words})
}

// Bool declares an option that is true or false.
func (s *Set) Bool(p *bool, name string, def bool, help string) *Option {
	*p = def
	return s.add(name, "bool", help, boolValue{p})
}

// Int declares a whole number within [low, high].
func (s *Set) Int(p *int, name string, def, low, high int, help string) *Option {
	*p = def
	return s.add(name, "int", help, intValue{p, low, high})
}

// Number declares a finite decimal number within [low, high].
func (s *Set) Number(p *float64, name string, def, low, high float64, help string) *Option {
	*p = def
	return s.add(name, "number", help, numberValue{p, low, high})
}

// Duration declares a span of time within [low, high].
func (s *Set) Duration(p *time.Duration, name string, def, low, high time.Duration, help string) *Option {
	*p = def
	return s.add(name, "duration", help, durationValue{p, low, high})
}

// Size declares a number of bytes within [low, high]; see ParseSize.
func (s *Set) Size(p *int64, name string, def, low, high int64, help string) *Option {
	*p = def
	return s.add(name, "size", help, sizeValue{p, low, high})
}

// List declares a list of texts, separated by commas.
func (s *Set) List(p *[]string, name string, def []string, help string) *Option {
	*p = def
	return s.add(name, "list", help, listValue{p})
}
