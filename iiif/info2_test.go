package iiif

import (
	"encoding/json"
	"strings"
	"testing"
)

// Image API 2.1, section 5: image information.

func TestInfo2Document(t *testing.T) {
	// R133 required keys, R134 profile list with limits inside, R135 no type
	// of the profile, R64 R136 features, R137 level 2, R139 tiles.
	const want = `{"@context":"http://iiif.io/api/image/2/context.json",` +
		`"@id":"https://example.org/iiif/2/I","protocol":"http://iiif.io/api/image","width":1000,"height":800,` +
		`"sizes":[{"width":250,"height":200},{"width":500,"height":400},{"width":1000,"height":800}],` +
		`"tiles":[{"width":256,"scaleFactors":[1,2,4]}],` +
		`"profile":["http://iiif.io/api/image/2/level2.json",{"formats":["jpg","png","webp","tif"],` +
		`"qualities":["default","color","gray","bitonal"],"supports":["baseUriRedirect","cors","jsonldMediaType",` +
		`"regionByPct","regionByPx","regionSquare","rotationBy90s","sizeByConfinedWh","sizeByDistortedWh","sizeByH",` +
		`"sizeByPct","sizeByW","sizeByWh","canonicalLinkHeader","mirroring","profileLinkHeader","rotationArbitrary","sizeAboveFull"],` +
		`"maxWidth":4000,"maxHeight":4000,"maxArea":12000000}]}`
	if got := document(t, exampleInfo(V2), V2); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestInfo2Optional(t *testing.T) {
	i := exampleInfo(V2)
	i.Rights = "https://example.org/license"
	i.Attribution, i.Logo = "Ein Haus", "https://example.org/logo.png"
	i.Services = []json.RawMessage{json.RawMessage(`{"@id":"https://example.org/s"}`)}
	i.PreferredFormats = []Format{FormatWebP}
	i.PartOf = []Resource{{ID: "https://example.org/m", Type: "Manifest"}}
	i.SeeAlso = []Resource{{ID: "https://example.org/x", Type: "Dataset"}}
	m := fields(t, document(t, i, V2))
	for key, want := range map[string]string{
		"license": `"https://example.org/license"`, "attribution": `"Ein Haus"`,
		"logo": `"https://example.org/logo.png"`, "service": `[{"@id":"https://example.org/s"}]`,
	} {
		if got := string(m[key]); got != want {
			t.Errorf("R138: %s is %s, want %s", key, got, want)
		}
	}
	for _, key := range []string{
		"id", "type", "rights", "partOf", "seeAlso", "preferredFormats", "extraFormats", "extraQualities",
		"extraFeatures", "maxWidth", "maxHeight", "maxArea",
	} {
		if _, found := m[key]; found {
			t.Errorf("R134 R138: 2.1 document has %s", key)
		}
	}
}

func TestInfo2OfAGrayImage(t *testing.T) {
	i := NewInfo("https://example.org/iiif/2/I", Image{Width: 10, Height: 7, Gray: true}, []Dimensions{{64, 32}}, Limits{}, nil)
	m := fields(t, document(t, i, V2))
	var profile []json.RawMessage
	if err := json.Unmarshal(m["profile"], &profile); err != nil || len(profile) != 2 {
		t.Fatalf("R134: profile %s, %v", m["profile"], err)
	}
	var facts struct{ Formats, Qualities []string }
	if err := json.Unmarshal(profile[1], &facts); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(profile[1]), "sizeAboveFull") {
		t.Errorf("R64: without limits: %s", profile[1])
	}
	if len(facts.Formats) != 2 || len(facts.Qualities) != 3 {
		t.Errorf("R135 R137: %s", profile[1])
	}
	if got := string(m["tiles"]); got != `[{"width":64,"height":32,"scaleFactors":[1]}]` {
		t.Errorf("R139: tiles %s", got)
	}
}

func TestVersionURIs(t *testing.T) {
	for v, want := range map[Version][2]string{
		V2: {"http://iiif.io/api/image/2/context.json", "http://iiif.io/api/image/2/level2.json"},
		V3: {"http://iiif.io/api/image/3/context.json", "http://iiif.io/api/image/3/level2.json"},
	} {
		if got := [2]string{v.ContextURI(), v.ProfileURI()}; got != want {
			t.Errorf("R112: version %d: %v, want %v", v, got, want)
		}
	}
}
