package render_test

import (
	"strings"
	"testing"

	"example.com/iiifd/decode/plan"
	"example.com/iiifd/iiif"
	"example.com/iiifd/render"
)

// configured is a decoder with settings.
type configured struct {
	*decoder
	options plan.Options
}

func (c *configured) PlanOptions() plan.Options { return c.options }

// An answer's name in the cache outlives the process, so its form must too.
func TestCacheKeyTellsAnswersApart(t *testing.T) {
	d := &configured{decoder: &decoder{}, options: plan.Options{Background: [3]uint8{1, 2, 3}, JPEGQuality: 80, ShortPath: true}}
	r, err := render.New(render.Config{ShapeCacheBytes: 1 << 20}, render.Deps{Decoder: d}, 1)
	if err != nil {
		t.Fatal(err)
	}
	text := func(request string) string {
		t.Helper()
		req, err := iiif.Parse("1000x800/"+request, iiif.V3)
		if err != nil {
			t.Fatal(err)
		}
		job, err := r.Prepare(t.Context(), render.Request{Subject: render.Subject{Source: pictures{}, Identifier: "1000x800"}, Params: req.Params, Policy: "some"})
		if err != nil {
			t.Fatal(err)
		}
		return r.CacheKey(job).Text
	}
	const options = "{{0 0 0}  [1 2 3] 80 0 0 0 0  false 0 {0 0} {  0 0 false} false true false 0}"
	for request, want := range map[string]string{
		"0,256,512,256/256,/0/default.jpg": "1|-1|some|0,256,512,256 256x128 false 0 default.jpg|" + options + "|",
		"full/100,/!22.5/gray.png":         "1|-1|some|0,0,1000,800 100x80 true 22.5 gray.png|" + options + "|",
	} {
		if got := text(request); !strings.HasPrefix(got, want) {
			t.Errorf("%s is\n%s, not\n%s", request, got, want)
		}
	}
	before := text("full/max/0/default.jpg")
	d.options.JPEGQuality = 81
	if text("full/max/0/default.jpg") == before {
		t.Error("answers of other settings have the same name")
	}
	d.options.JPEGQuality = 80
	if text("full/max/0/default.jpg") != before {
		t.Error("the same settings give another name")
	}
}
