package server_test

import (
	"bytes"
	"fmt"
	"image"
	_ "image/gif"
	_ "image/jpeg"
	_ "image/png"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	_ "golang.org/x/image/tiff"
	_ "golang.org/x/image/webp"
)

// TestScripts runs testdata/*.txt: requests as they go over the wire and what
// must come back. A script reads
//
//	# R43: a comment with the requirement's number starts a case
//	GET /iiif/3/a.png/info.json       the request line
//	Accept: application/json          request headers
//	status 200                        expectations:
//	Content-Type == application/json  a header's value
//	Link =~ rel="canonical"           a regular expression in a header
//	no Location                       a header that must not be there
//	body =~ "width":\s*611            a regular expression in the body
//	no body =~ x                      one that must not match
//	empty                             no body
//	image jpeg 60x40                  the body decodes to that kind and size
//
// $BASE in a pattern is the server's address, quoted.
func TestScripts(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no scripts", err)
	}
	base := open(t, setup{dir: cases(t)}).url
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			t.Parallel()
			for _, c := range parseScript(t, file, string(text)) {
				t.Run(c.name, func(t *testing.T) { c.run(t, base) })
			}
		})
	}
}

// exchange is one request of a script with its expectations.
type exchange struct {
	name    string
	place   string
	line    string
	headers []string
	expect  []string
}

var headerLine = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9-]*: `)

func parseScript(t *testing.T, file, text string) []*exchange {
	t.Helper()
	var all []*exchange
	name := ""
	for i, line := range strings.Split(text, "\n") {
		line = strings.TrimRight(line, " ")
		switch {
		case line == "":
		case strings.HasPrefix(line, "#"):
			name = strings.TrimSpace(strings.TrimPrefix(line, "#"))
		case regexp.MustCompile(`^(GET|HEAD|OPTIONS|POST|PUT|DELETE) /`).MatchString(line):
			all = append(all, &exchange{name: name, place: fmt.Sprintf("%s:%d", file, i+1), line: line})
		case len(all) == 0:
			t.Fatalf("%s:%d: no request before %q", file, i+1, line)
		case headerLine.MatchString(line):
			e := all[len(all)-1]
			e.headers = append(e.headers, line)
		default:
			e := all[len(all)-1]
			e.expect = append(e.expect, line)
		}
	}
	return all
}

// run sends the request line as it stands: a client's own URL handling would
// hide what is tested.
func (e *exchange) run(t *testing.T, base string) {
	t.Helper()
	method, target, _ := strings.Cut(e.line, " ")
	req, err := http.NewRequestWithContext(t.Context(), method, base, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.URL.Opaque = target
	for _, h := range e.headers {
		name, value, _ := strings.Cut(h, ": ")
		req.Header.Add(name, strings.ReplaceAll(value, "$BASE", base))
		if strings.EqualFold(name, "Host") {
			req.Host = value
		}
	}
	if req.Header.Get("Accept-Encoding") == "" {
		req.Header.Set("Accept-Encoding", "identity")
	}
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := client.Do(req)
	if err != nil {
		t.Fatalf("%s: %v", e.place, err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatalf("%s: body: %v", e.place, err)
	}
	if len(e.expect) == 0 {
		t.Fatalf("%s: nothing expected", e.place)
	}
	for _, want := range e.expect {
		if complaint := check(want, base, resp, body); complaint != "" {
			t.Errorf("%s: %s\n\twant %s\n\t%s", e.place, e.line, want, complaint)
		}
	}
	if resp.Header.Get("Access-Control-Allow-Origin") != "*" || resp.Header.Get("X-Request-Id") == "" {
		t.Errorf("%s: CORS or request id missing: %v", e.place, resp.Header)
	}
	if resp.StatusCode >= 400 && resp.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("%s: an error may be stored: %q", e.place, resp.Header.Get("Cache-Control"))
	}
}

// check returns what is wrong with the answer, empty if nothing.
func check(want, base string, resp *http.Response, body []byte) string {
	words := strings.Fields(want)
	if name, value, ok := strings.Cut(want, " == "); ok {
		if got := strings.Join(resp.Header.Values(name), ", "); got != strings.ReplaceAll(value, "$BASE", base) {
			return fmt.Sprintf("got %q", got)
		}
		return ""
	}
	if name, pattern, ok := strings.Cut(want, " =~ "); ok {
		re, err := regexp.Compile("(?s)" + strings.ReplaceAll(pattern, "$BASE", regexp.QuoteMeta(base)))
		if err != nil {
			return err.Error()
		}
		inverted := strings.HasPrefix(name, "no ")
		name = strings.TrimPrefix(name, "no ")
		got := string(body)
		if name != "body" {
			got = strings.Join(resp.Header.Values(name), ", ")
		}
		if re.MatchString(got) == inverted {
			return fmt.Sprintf("got %.600q", got)
		}
		return ""
	}
	switch words[0] {
	case "status":
		if got := strconv.Itoa(resp.StatusCode); !strings.Contains("|"+words[1]+"|", "|"+got+"|") {
			return fmt.Sprintf("got %s %.300s", got, body)
		}
	case "no":
		if got, there := resp.Header[http.CanonicalHeaderKey(words[1])]; there {
			return fmt.Sprintf("got %q", got)
		}
	case "empty":
		if len(body) > 0 {
			return fmt.Sprintf("got %d bytes", len(body))
		}
	case "image":
		cfg, kind, err := image.DecodeConfig(bytes.NewReader(body))
		if err != nil {
			return fmt.Sprintf("%v in %d bytes %.200q", err, len(body), body)
		}
		if _, _, err := image.Decode(bytes.NewReader(body)); err != nil {
			return err.Error()
		}
		if got := fmt.Sprintf("%s %dx%d", kind, cfg.Width, cfg.Height); got != words[1]+" "+words[2] {
			return "got " + got
		}
	default:
		return "unknown expectation"
	}
	return ""
}
