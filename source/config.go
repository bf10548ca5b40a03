package source

import "example.com/iiifd/option"

// Config are the settings of sources.
type Config struct {
	// Extensions are tried in order for identifiers that name no file.
	Extensions []string
	// OpenFiles is how many opened files a Pool keeps.
	OpenFiles int
}

// Options declares the settings.
func (c *Config) Options(s *option.Set) {
	s.Group("Source")
	s.List(&c.Extensions, "source-extensions", nil,
		"Extensions tried in this order for identifiers without one, such as tif,jp2; a file of exactly that name wins.")
	s.Int(&c.OpenFiles, "open-files", 128, 0, 1<<20,
		"Source files that are kept open between requests; 0 opens them for each. A file that is replaced or changed is opened anew.")
}
