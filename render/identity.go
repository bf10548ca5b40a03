package render

import (
	"fmt"
	"strconv"

	"example.com/iiifd/decode/plan"
	"example.com/iiifd/iiif"
)

// optionsText is plan options as identities have them. All requests but
// restricted ones have the same.
type optionsText struct {
	options plan.Options
	text    string
}

// identity is everything that decides an answer's bytes, apart from the
// object's place: equal on all replicas that have the same file, settings
// and libvips.
func (r *Renderer) identity(job *Job) string {
	t := &job.Plan.Transform
	b := make([]byte, 0, 256)
	b = append(append(b, job.Info.Version...), '|')
	b = append(strconv.AppendInt(b, int64(job.Info.Page), 10), '|')
	b = append(append(b, job.Request.Policy...), '|')
	for _, n := range [...]int{t.Region.X, t.Region.Y, t.Region.Width, t.Region.Height} {
		b = append(strconv.AppendInt(b, int64(n), 10), ',')
	}
	b[len(b)-1] = ' '
	b = append(strconv.AppendInt(b, int64(t.Width), 10), 'x')
	b = append(strconv.AppendInt(b, int64(t.Height), 10), ' ')
	b = append(strconv.AppendBool(b, t.Mirror), ' ')
	b = append(strconv.AppendFloat(b, t.Angle, 'g', -1, 64), ' ')
	b = append(append(b, t.Quality...), '.')
	b = append(append(b, t.Format...), '|')
	b = append(append(b, r.optionsText(job.Plan.Options)...), '|')
	return string(append(b, r.decoder.Version()...))
}

// optionsText is what options say about an answer's bytes.
func (r *Renderer) optionsText(options plan.Options) string {
	options.Limits = iiif.Limits{} // They have shaped the transform already.
	options.Mark.Path = ""         // Its version and Policy tell marks apart.
	last := r.options.Load()
	if last == nil || last.options != options {
		last = &optionsText{options: options, text: fmt.Sprint(options)}
		r.options.Store(last)
	}
	return last.text
}
