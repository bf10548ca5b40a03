package auth_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"pgregory.net/rapid"

	"example.com/iiifd/auth"
)

func TestParseSizeRefuses(t *testing.T) {
	for _, text := range []string{"", "!", "!1", "!1,", "!,1", ",", "0,", ",0", "-1,", "1,-1", "pct:", "pct:0", "pct:-1", "pct:NaN", "pct:Inf", "1,2,3", "abc", "99999999999,"} {
		if s, err := auth.ParseSize(text); err == nil {
			t.Errorf("ParseSize(%q) = %v, want an error", text, s)
		}
	}
}

func TestSizeOf(t *testing.T) {
	for _, c := range []struct {
		size         string
		w, h         int
		wantW, wantH int
	}{
		{"!128,128", 4000, 3000, 128, 96},
		{"!128,128", 100, 90, 100, 90},
		{"128,128", 4000, 3000, 128, 96},
		{"200,", 4000, 1000, 200, 50},
		{",50", 4000, 1000, 200, 50},
		{"pct:10", 4000, 1000, 400, 100},
		{"pct:200", 4000, 1000, 4000, 1000},
		{"max", 4000, 1000, 4000, 1000},
		{"^!128,128", 4000, 3000, 128, 96},
		{"!1,1", 4000, 3, 1, 1},
	} {
		s, err := auth.ParseSize(c.size)
		if err != nil {
			t.Fatal(err)
		}
		if w, h := s.Of(c.w, c.h); w != c.wantW || h != c.wantH {
			t.Errorf("%s of %d×%d = %d×%d, want %d×%d", c.size, c.w, c.h, w, h, c.wantW, c.wantH)
		}
	}
}

func TestSizeNeverEnlarges(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.SampledFrom([]string{"!7,9", "300,", ",2", "pct:33.3", "pct:1000", "100000,1"}).Draw(t, "size")
		w := rapid.IntRange(1, 200000).Draw(t, "w")
		h := rapid.IntRange(1, 200000).Draw(t, "h")
		s, err := auth.ParseSize(text)
		if err != nil {
			t.Fatal(err)
		}
		gw, gh := s.Of(w, h)
		if gw < 1 || gh < 1 || gw > w || gh > h {
			t.Fatalf("%s of %d×%d = %d×%d", text, w, h, gw, gh)
		}
		again, err := auth.ParseSize(s.String())
		if err != nil || again != s {
			t.Fatalf("%s written as %q reads as %v, %v", text, s, again, err)
		}
		l := s.Limits(w, h)
		if l.MaxWidth != gw || l.MaxHeight != gh {
			t.Fatalf("limits %+v for %d×%d", l, gw, gh)
		}
	})
}

func TestPolicySeparates(t *testing.T) {
	small, _ := auth.ParseSize("!128,128")
	large, _ := auth.ParseSize("!512,512")
	seen := map[string]int{}
	for i, d := range []auth.Decision{
		auth.Allowed(),
		{Kind: auth.Allow, Path: "/a"},
		{Kind: auth.Allow, Path: "/b"},
		{Kind: auth.Restrict, Size: small},
		{Kind: auth.Restrict, Size: large},
		{Kind: auth.Restrict, Size: small, Path: "/a"},
		{Kind: auth.Restrict, Watermark: "/a"},
		{Kind: auth.Restrict, Watermark: "/a", Size: small},
	} {
		if j, dup := seen[d.Policy()]; dup {
			t.Errorf("decisions %d and %d share the policy %q", i, j, d.Policy())
		}
		seen[d.Policy()] = i
	}
	if p := auth.Allowed().Policy(); p != "" {
		t.Errorf("policy of allow = %q", p)
	}
	plain := auth.Decision{Kind: auth.Restrict, Path: "/a"}
	if allow := (auth.Decision{Kind: auth.Allow, Path: "/a"}); plain.Policy() != allow.Policy() {
		t.Error("a restriction that restricts nothing has its own policy")
	}
}

func TestZeroDecisionDenies(t *testing.T) {
	if (auth.Decision{}).Granted() {
		t.Error("the zero decision grants")
	}
	for kind, want := range map[auth.Kind]bool{
		auth.Allow: true, auth.Restrict: true, auth.Deny: false, auth.Login: false,
		auth.Clickthrough: false, auth.Kiosk: false, auth.External: false, auth.Respond: false,
	} {
		if got := (auth.Decision{Kind: kind}).Granted(); got != want {
			t.Errorf("%s granted = %v", kind, got)
		}
	}
	d, err := auth.AllowAll{}.Authorize(context.Background(), auth.Request{})
	if err != nil || !d.Granted() {
		t.Errorf("AllowAll: %v, %v", d, err)
	}
	if _, err := auth.ParseKind("respond"); err == nil {
		t.Error("scripts can name the permission respond")
	}
}

func TestServiceBlock(t *testing.T) {
	if _, err := auth.NewService(map[string]string{"cookieUrl": "c"}); !errors.Is(err, auth.ErrNoService) {
		t.Errorf("no token URL: %v", err)
	}
	s, err := auth.NewService(map[string]string{
		"type": "login", "cookieUrl": "https://a/login", "tokenUrl": "https://a/token",
		"logoutUrl": "https://a/logout", "label": "Log in", "header": "Please",
	})
	if err != nil {
		t.Fatal(err)
	}
	got, err := json.Marshal(s.Block(auth.Login))
	if err != nil {
		t.Fatal(err)
	}
	want := `{"@context":"http://iiif.io/api/auth/1/context.json","@id":"https://a/login","header":"Please","label":"Log in",` +
		`"profile":"http://iiif.io/api/auth/1/login","service":[{"@id":"https://a/token","profile":"http://iiif.io/api/auth/1/token"},` +
		`{"@id":"https://a/logout","profile":"http://iiif.io/api/auth/1/logout"}]}`
	if string(got) != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
