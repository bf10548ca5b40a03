package source

import "example.com/iiifd/option"

// Config are the settings of sources.
type Config struct {
	// Extensions are tried in order for identifiers that name no file.
	Extensions []string
}

// Options declares the settings.
func (c *Config) Options(s *option.Set) {
	s.Group("Source")
	s.List(&c.Extensions, "source-extensions", nil,
		"Extensions tried in this order for identifiers without one, such as tif,jp2; a file of exactly that name wins.")
}
