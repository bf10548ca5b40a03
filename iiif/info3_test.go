package iiif

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"
)

// Image API 3.0, section 5: image information.

var exampleFormats = []Format{FormatJPG, FormatPNG, FormatWebP, FormatTIF}

func exampleInfo(v Version) Info {
	id := "https://example.org/iiif/3/I"
	if v == V2 {
		id = "https://example.org/iiif/2/I"
	}
	return NewInfo(id, example, []Dimensions{{Width: 256, Height: 256}}, exampleLimits, exampleFormats)
}

func document(t *testing.T, i Info, v Version) string {
	t.Helper()
	b, err := i.Document(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// fields decodes a document's top level, and fails on duplicate keys.
func fields(t *testing.T, doc string) map[string]json.RawMessage {
	t.Helper()
	m := map[string]json.RawMessage{}
	d := json.NewDecoder(strings.NewReader(doc))
	if _, err := d.Token(); err != nil {
		t.Fatal(err)
	}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			t.Fatal(err)
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			t.Fatal(err)
		}
		if _, found := m[key.(string)]; found {
			t.Errorf("R131: key %s occurs twice", key)
		}
		m[key.(string)] = value
	}
	return m
}

func TestInfo3Document(t *testing.T) {
	// R115 @context first, R116 id, R117 required keys, R118 level, R119
	// limits, R90 qualities, R121 sizes, R122 tiles, R126, R129 and R130 extras, R132 the plain
	// word of the level.
	const want = `{"@context":"http://iiif.io/api/image/3/context.json",` +
		`"id":"https://example.org/iiif/3/I","type":"ImageService3","protocol":"http://iiif.io/api/image",` +
		`"profile":"level2","width":1000,"height":800,"maxWidth":4000,"maxHeight":4000,"maxArea":12000000,` +
		`"sizes":[{"width":250,"height":200},{"width":500,"height":400},{"width":1000,"height":800}],` +
		`"tiles":[{"width":256,"scaleFactors":[1,2,4]}],` +
		`"extraFormats":["webp","tif"],"extraQualities":["color","gray","bitonal"],` +
		`"extraFeatures":["canonicalLinkHeader","mirroring","profileLinkHeader","rotationArbitrary","sizeUpscaling"]}`
	if got := document(t, exampleInfo(V3), V3); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestInfo3Optional(t *testing.T) {
	i := exampleInfo(V3)
	i.ID = "https://example.org/iiif/3/a%2Fb&c"
	i.PreferredFormats = []Format{FormatWebP, FormatJPG}
	i.Rights = "http://creativecommons.org/licenses/by/4.0/"
	i.PartOf = []Resource{{ID: "https://example.org/m", Type: "Manifest", Label: map[string][]string{"en": {"Book"}}}}
	i.SeeAlso = []Resource{{ID: "https://example.org/x", Type: "Dataset", Format: "text/xml", Profile: "https://example.org/p"}}
	i.Services = []json.RawMessage{json.RawMessage(`{"id": "https://example.org/probe", "type": "AuthProbeService2"}`)}
	i.Contexts = []string{"http://iiif.io/api/auth/2/context.json", "http://iiif.io/api/image/3/context.json"}
	i.Attribution, i.Logo = "Somebody", "https://example.org/logo.png"
	doc := document(t, i, V3)
	m := fields(t, doc)
	rows := []struct{ requirement, key, want string }{
		{"R115 R176 contexts of extensions first", "@context", `["http://iiif.io/api/auth/2/context.json","http://iiif.io/api/image/3/context.json"]`},
		{"R116 R131 encoding kept", "id", `"https://example.org/iiif/3/a%2Fb&c"`},
		{"R124 preferred formats in order", "preferredFormats", `["webp","jpg"]`},
		{"R125 rights", "rights", `"http://creativecommons.org/licenses/by/4.0/"`},
		{"R128 partOf", "partOf", `[{"id":"https://example.org/m","type":"Manifest","label":{"en":["Book"]}}]`},
		{"R128 seeAlso", "seeAlso", `[{"id":"https://example.org/x","type":"Dataset","format":"text/xml","profile":"https://example.org/p"}]`},
		{"R128 R175 service", "service", `[{"id":"https://example.org/probe","type":"AuthProbeService2"}]`},
	}
	for _, row := range rows {
		t.Run(row.requirement, func(t *testing.T) {
			if got := string(m[row.key]); got != row.want {
				t.Errorf("%s is %s, want %s", row.key, got, row.want)
			}
		})
	}
	for _, key := range []string{"@id", "@type", "attribution", "logo", "license"} {
		if _, found := m[key]; found {
			t.Errorf("R127: 3.0 document has %s", key)
		}
	}
	if !strings.HasPrefix(doc, `{"@context":`) || !utf8.ValidString(doc) || strings.HasSuffix(doc, "\n") {
		t.Errorf("R115 R131: %s", doc)
	}
}

func TestInfo3FollowsTheImage(t *testing.T) {
	gray := NewInfo("https://example.org/I", Image{Width: 10, Height: 7, Gray: true}, []Dimensions{{256, 256}, {256, 256}, {}}, Limits{}, nil)
	const want = `{"@context":"http://iiif.io/api/image/3/context.json","id":"https://example.org/I",` +
		`"type":"ImageService3","protocol":"http://iiif.io/api/image","profile":"level2","width":10,"height":7,` +
		`"sizes":[{"width":10,"height":7}],"tiles":[{"width":256,"scaleFactors":[1]}],` +
		`"extraQualities":["gray","bitonal"],` +
		`"extraFeatures":["canonicalLinkHeader","mirroring","profileLinkHeader","rotationArbitrary"]}`
	// R63 no upscaling without limits, R86 no color for a gray image, R122
	// one grid per tile size, R123 tiny images have factor 1, R126 no empty
	// lists.
	if got := document(t, gray, V3); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestInfoWithinLimits(t *testing.T) {
	rows := []struct {
		requirement  string
		limits       Limits
		sizes, tiles string
	}{
		{"R120 maxWidth below the full size", Limits{MaxWidth: 600}, `[{"width":125,"height":100},{"width":250,"height":200},{"width":500,"height":400}]`, `[{"width":256,"height":128,"scaleFactors":[1,2,4,8]}]`},
		{"R120 maxWidth below the tile", Limits{MaxWidth: 100}, `[{"width":63,"height":50}]`, `[{"width":100,"scaleFactors":[1,2,4,8,16]}]`},
		{"R120 maxHeight below the tile", Limits{MaxWidth: 300, MaxHeight: 100}, `[{"width":125,"height":100}]`, `[{"width":256,"height":100,"scaleFactors":[1,2,4,8]}]`},
		{"R120 maxArea below the tile", Limits{MaxArea: 10_000}, `[{"width":63,"height":50}]`, `[{"width":100,"scaleFactors":[1,2,4,8,16]}]`},
	}
	for _, row := range rows {
		t.Run(row.requirement, func(t *testing.T) {
			i := NewInfo("https://example.org/I", example, []Dimensions{{256, 128}}, row.limits, nil)
			m := fields(t, document(t, i, V3))
			if got := string(m["sizes"]); got != row.sizes {
				t.Errorf("sizes %s, want %s", got, row.sizes)
			}
			if got := string(m["tiles"]); got != row.tiles {
				t.Errorf("tiles %s, want %s", got, row.tiles)
			}
		})
	}
}

func TestInfoRefused(t *testing.T) {
	rows := []struct {
		requirement string
		spoil       func(*Info)
	}{
		{"R63 upscaling without limits", func(i *Info) { i.Limits = Limits{} }},
		{"R116 no id", func(i *Info) { i.ID = "" }},
		{"R116 trailing slash", func(i *Info) { i.ID += "/" }},
		{"R117 no pixels", func(i *Info) { i.Image.Height = 0 }},
		{"R119 maxHeight alone", func(i *Info) { i.Limits = Limits{MaxHeight: 5, MaxArea: 5} }},
		{"R122 tile without factors", func(i *Info) { i.Tiles = []TileSet{{Width: 256, Height: 256}} }},
		{"R122 tile without sides", func(i *Info) { i.Tiles = []TileSet{{ScaleFactors: []int{1}}} }},
		{"R122 tile size twice", func(i *Info) { i.Tiles = append(i.Tiles, i.Tiles[0]) }},
		{"R124 preferred but not offered", func(i *Info) { i.PreferredFormats = []Format{FormatAVIF} }},
		{"R128 partOf without type", func(i *Info) { i.PartOf = []Resource{{ID: "https://example.org/m"}} }},
		{"R128 seeAlso without id", func(i *Info) { i.SeeAlso = []Resource{{Type: "Dataset"}} }},
		{"R128 service that is no object", func(i *Info) { i.Services = []json.RawMessage{json.RawMessage(`"x"`)} }},
		{"R128 service that is no JSON", func(i *Info) { i.Services = []json.RawMessage{json.RawMessage(`{"id":`)} }},
	}
	for _, row := range rows {
		for _, v := range both {
			t.Run(row.requirement, func(t *testing.T) {
				i := exampleInfo(v)
				row.spoil(&i)
				if b, err := i.Document(v); err == nil {
					t.Errorf("wrote %s", b)
				}
			})
		}
	}
}
