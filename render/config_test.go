package render_test

import (
	"strings"
	"testing"

	"example.com/iiifd/option"
	"example.com/iiifd/render"
)

func TestConfigNamesWhatItDoesNotKnow(t *testing.T) {
	for _, row := range []struct {
		change func(*render.Config)
		want   string // "" for none
	}{
		{func(*render.Config) {}, ""},
		{func(c *render.Config) { c.SourceFormats = []string{"jpeg", "other"} }, ""},
		{func(c *render.Config) { c.SourceFormats = []string{"jpeg", "jpg"} }, `source-formats: "jpg"`},
		{func(c *render.Config) { c.PreferredFormats = []string{"webp", "jpg"} }, ""},
		{func(c *render.Config) { c.PreferredFormats = []string{"bmp"} }, `preferred-formats: "bmp"`},
		{func(c *render.Config) { c.MaxHeight = 5 }, "max-height needs max-width"},
	} {
		var c render.Config
		c.Options(option.NewSet())
		row.change(&c)
		err := c.Validate()
		if row.want == "" && err != nil || row.want != "" && (err == nil || !strings.Contains(err.Error(), row.want)) {
			t.Errorf("Validate = %v, want %q", err, row.want)
		}
	}
}
