package iiif

import (
	"strings"
	"testing"
)

// Image API 3.0, section 5.1 and 2.1, section 5: media types of info.json.

func TestNegotiateInfo(t *testing.T) {
	const (
		plain   = "application/json"
		linked2 = "application/ld+json"
		linked3 = `application/ld+json;profile="http://iiif.io/api/image/3/context.json"`
	)
	rows := []struct{ requirement, accept, want3, want2 string }{
		{"R141 R143 nothing", "", linked3, plain},
		{"R143 anything", "*/*", linked3, plain},
		{"R142 JSON", "application/json", plain, plain},
		{"R142 R143 JSON-LD", "application/ld+json", linked3, linked2},
		{"R144 case", "Application/LD+JSON", linked3, linked2},
		{"R144 weights", "application/json;q=0.5, application/ld+json;q=0.9", linked3, linked2},
		{"R144 weights the other way", "application/json;q=0.9, application/ld+json;q=0.5", plain, plain},
		{"R144 thousandths", "application/json;q=0.501, application/ld+json;q=0.5", plain, plain},
		{"R144 refused by name", "application/ld+json;q=0, */*", plain, plain},
		{"R144 JSON refused by name", "application/json;q=0, */*", linked3, linked2},
		{"R144 subtype wildcard", "application/*", linked3, plain},
		{"R144 more specific wins", "application/*;q=0.9, application/json;q=0.1", linked3, linked2},
		{"R144 more specific wins over all", "*/*;q=0.9, application/ld+json;q=0.1", plain, plain},
		{"R144 named beats wildcard of equal weight", "application/json, text/plain, */*", plain, plain},
		{"R144 both of equal weight", "application/ld+json, application/json", linked3, plain},
		{"R144 profile", `application/ld+json;profile="http://iiif.io/api/image/3/context.json"`, linked3, linked2},
		{"R144 comma in a parameter", `application/json;x="a,b;q=0";q=1, application/ld+json;q=0.5`, plain, plain},
		{"R144 quote in a parameter", `application/json;x="a\",b";q=1, application/ld+json;q=0.5`, plain, plain},
		{"R144 charset", "application/json; charset=utf-8", plain, plain},
		{"R144 spaces", " application/json ; q=0.2 ,\tapplication/ld+json ; q=0.3 ", linked3, linked2},
		{"R144 named twice", "application/json;q=0.1, application/json;q=0.9, application/ld+json;q=0.5", plain, plain},
		{"R144 extension after the weight", "application/json;q=0.1;q=0.9, application/ld+json;q=0.5", linked3, linked2},
		{"R145 browser", "text/html,application/xhtml+xml,application/xml;q=0.9,image/webp,*/*;q=0.8", linked3, plain},
		{"R145 HTML only", "text/html", linked3, plain},
		{"R145 garbage", ";;,,q=;\"", linked3, plain},
		{"R145 broken weight", "application/json;q=x", linked3, plain},
		{"R145 weight above one", "application/json;q=1.5", linked3, plain},
		{"R145 all refused", "*/*;q=0", linked3, plain},
	}
	for _, row := range rows {
		t.Run(row.requirement, func(t *testing.T) {
			if got := NegotiateInfo(row.accept, V3); got != row.want3 {
				t.Errorf("3.0, %q: %s, want %s", row.accept, got, row.want3)
			}
			if got := NegotiateInfo(row.accept, V2); got != row.want2 {
				t.Errorf("2.1, %q: %s, want %s", row.accept, got, row.want2)
			}
		})
	}
}

func TestNegotiateInfoLongHeader(t *testing.T) {
	accept := strings.Repeat("text/html;q=0.1,", 1<<14) + "application/json"
	if got := NegotiateInfo(accept, V3); got != "application/json" {
		t.Errorf("got %s", got)
	}
}
