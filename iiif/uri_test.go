package iiif

import (
	"errors"
	"strings"
	"testing"
)

// Image API 3.0 and 2.1, sections 2, 3 and 9: URI syntax and encoding.

func TestURIKinds(t *testing.T) {
	rows := []struct {
		requirement, path string
		kind              Kind
		identifier        string
	}{
		{"R1 image", "I/full/max/0/default.jpg", KindImage, "I"},
		{"R2 info", "I/info.json", KindInfo, "I"},
		{"R3 base", "I", KindBase, "I"},
		{"R4 base keeps its encoding", "a%2Fb", KindBase, "a/b"},
		{"R5 slash in the identifier", "sub%2Finner.png/info.json", KindInfo, "sub/inner.png"},
		{"R6 split before decoding", "I%2Finfo.json", KindBase, "I/info.json"},
		{"R7 decoded once: percent sign", "per%25cent.png/info.json", KindInfo, "per%cent.png"},
		{"R7 decoded once: escaped slash", "a%252Fb/info.json", KindInfo, "a%2Fb"},
		{"R8 needless encoding", "%49/info.json", KindInfo, "I"},
		{"R8 lower case digits", "a%2fb/info.json", KindInfo, "a/b"},
		{"R8 whole identifier encoded", "%61%2E%70%6E%67/full/max/0/default.jpg", KindImage, "a.png"},
		{"R10 reserved characters", "hash%23q%3F.png/info.json", KindInfo, "hash#q?.png"},
		{"R10 legal without encoding", "a:b,c;d(e)'f'!*+/info.json", KindInfo, "a:b,c;d(e)'f'!*+"},
		{"R11 plus sign", "pl+us.png/info.json", KindInfo, "pl+us.png"},
		{"R11 space", "sp%20ace.png/info.json", KindInfo, "sp ace.png"},
		{"R11 UTF-8", "caf%C3%A9.png/info.json", KindInfo, "café.png"},
		{"R12 ark", "ark:%2F12025%2F654xz321/info.json", KindInfo, "ark:/12025/654xz321"},
		{"R12 urn", "1:%253C69/info.json", KindInfo, "1:%3C69"},
		{"encoded name of a document", "I/info%2Ejson", KindInfo, "I"},
		{"original file", "I/file", KindFile, "I"},
		{"sidecar", "I/knora.json", KindKnora, "I"},
	}
	for _, row := range rows {
		t.Run(row.requirement, func(t *testing.T) {
			r, err := Parse(row.path, V3)
			if err != nil {
				t.Fatal(err)
			}
			raw, _, _ := strings.Cut(row.path, "/")
			if r.Kind != row.kind || r.Identifier != row.identifier || r.RawIdentifier != raw || r.Version != V3 {
				t.Errorf("Parse(%q) = %+v, want kind %d and identifier %q", row.path, r, row.kind, row.identifier)
			}
			if r.Kind != KindImage && r.Params != (Params{}) {
				t.Errorf("parameters without an image request: %v", r.Params)
			}
		})
	}
}

func TestURIRefused(t *testing.T) {
	rows := []struct {
		requirement, path string
		status            int
		code              string
	}{
		{"R14 empty identifier", "/info.json", 404, CodeIdentifierEmpty},
		{"R14 empty identifier of an image", "/full/max/0/default.jpg", 404, CodeIdentifierEmpty},
		{"R14 empty path", "", 404, CodeIdentifierEmpty},
		{"R15 slash not escaped", "a/b/full/max/0/default.jpg", 404, CodePathUnknown},
		{"R15 slash not escaped, info", "a/b/info.json", 404, CodePathUnknown},
		{"R18 NUL", "a%00b/info.json", 400, CodeIdentifierInvalid},
		{"R18 line break", "a%0d%0ab/info.json", 400, CodeIdentifierInvalid},
		{"R18 DEL", "a%7F/info.json", 400, CodeIdentifierInvalid},
		{"R18 C1 control", "a%C2%85/info.json", 400, CodeIdentifierInvalid},
		{"R18 line separator", "a%E2%80%A8/info.json", 400, CodeIdentifierInvalid},
		{"R18 invalid UTF-8", "a%ff/info.json", 400, CodeIdentifierInvalid},
		{"R18 overlong UTF-8", "a%C0%AFb/info.json", 400, CodeIdentifierInvalid},
		{"R18 bad escape", "a%zz/info.json", 400, CodeEscapeInvalid},
		{"R18 lone percent sign", "a%/info.json", 400, CodeEscapeInvalid},
		{"R18 half an escape", "a%2/info.json", 400, CodeEscapeInvalid},
		{"R18 bad escape in a parameter", "I/full/m%ax/0/default.jpg", 400, CodeEscapeInvalid},
		{"R18 bad escape in a document", "I/info%2", 400, CodeEscapeInvalid},
		{"R21 trailing slash of the base", "I/", 404, CodePathUnknown},
		{"R21 trailing slash of the info", "I/info.json/", 404, CodePathUnknown},
		{"R21 trailing slash of an image", "I/full/max/0/default.jpg/", 404, CodePathUnknown},
		{"R22 case of the document", "I/INFO.JSON", 404, CodePathUnknown},
		{"R22 case of the region", "I/FULL/max/0/default.jpg", 400, CodeRegionInvalid},
		{"R22 case of the quality", "I/full/max/0/Default.jpg", 400, CodeQualityUnsupported},
		{"R23 one segment of an image", "I/full", 404, CodePathUnknown},
		{"R23 two segments of an image", "I/full/max", 404, CodePathUnknown},
		{"R23 three segments of an image", "I/full/max/0", 404, CodePathUnknown},
		{"R23 a segment too many", "I/full/max/0/0/default.jpg", 404, CodePathUnknown},
		{"R23 empty region", "I//max/0/default.jpg", 400, CodeRegionInvalid},
		{"R23 empty size", "I/full//0/default.jpg", 400, CodeSizeInvalid},
		{"R23 empty rotation", "I/full/max//default.jpg", 400, CodeRotationInvalid},
		{"R23 empty quality and format", "I/full/max/0/", 400, CodeQualityUnsupported},
	}
	for _, row := range rows {
		t.Run(row.requirement, func(t *testing.T) {
			r, err := Parse(row.path, V3)
			var e *Error
			if !errors.As(err, &e) {
				t.Fatalf("Parse(%q) = %+v, %v", row.path, r, err)
			}
			if e.Status != row.status || e.Code != row.code {
				t.Errorf("Parse(%q): %d %s, want %d %s", row.path, e.Status, e.Code, row.status, row.code)
			}
			if r != (Request{}) {
				t.Errorf("Parse(%q) returned %+v beside an error", row.path, r)
			}
		})
	}
}

func TestURIEncodedParameters(t *testing.T) {
	for encoded, plain := range map[string]string{
		"0%2C0%2C100%2C80/max/0/default.jpg":       "0,0,100,80/max/0/default.jpg",
		"full/pct%3A50/0/default.jpg":              "full/pct:50/0/default.jpg",
		"full/%5E60,48/0/default.jpg":              "full/^60,48/0/default.jpg",
		"full/%5e%2160,60/0/default.jpg":           "full/^!60,60/0/default.jpg",
		"full/%2160,60/%2190/default.jpg":          "full/!60,60/!90/default.jpg",
		"full/60,48/0/default%2Ejpg":               "full/60,48/0/default.jpg",
		"%66ull/%6Dax/%30/%64efault.jp%67":         "full/max/0/default.jpg",
		"pct%3A0%2C0%2C50%2E5%2C50/max/0/gray.png": "pct:0,0,50.5,50/max/0/gray.png",
	} {
		t.Run("R9 "+encoded, func(t *testing.T) {
			got, err := ParseParams(encoded, V3)
			if err != nil {
				t.Fatal(err)
			}
			want, err := ParseParams(plain, V3)
			if err != nil {
				t.Fatal(err)
			}
			if got != want {
				t.Errorf("%s is %s, want %s", encoded, got, want)
			}
		})
	}
	if _, err := ParseParams("full/m%2561x/0/default.jpg", V3); err == nil {
		t.Error("R7: a parameter was decoded twice")
	}
}

func TestURITooLong(t *testing.T) {
	// R19: the length is the server's to bound; here it must only be harmless.
	for _, path := range []string{
		strings.Repeat("a", 1<<20) + "/info.json",
		strings.Repeat("/", 1<<20),
		"I/full/" + strings.Repeat("9", 1<<16) + ",/0/default.jpg",
		"I/full/pct:0." + strings.Repeat("1", 1<<16) + "/0/default.jpg",
		"I/" + strings.Repeat("1,", 1<<16) + "/max/0/default.jpg",
	} {
		r, err := Parse(path, V3)
		if err != nil {
			codeOf(t, err)
		} else if r.Kind == KindImage {
			if _, err := r.Params.Resolve(example, exampleLimits); err != nil {
				codeOf(t, err)
			}
		}
	}
}

func TestURIReasonsHoldNoMarkup(t *testing.T) {
	// R156: whatever part is broken, its text is not repeated.
	const evil = "%3Cscript%3E"
	for _, path := range []string{
		evil + "%00/info.json", "I/" + evil, "I/" + evil + "/max/0/default.jpg", "I/full/" + evil + "/0/default.jpg",
		"I/full/max/" + evil + "/default.jpg", "I/full/max/0/" + evil + ".jpg", "I/full/max/0/default." + evil,
	} {
		_, err := Parse(path, V3)
		if err == nil {
			t.Errorf("Parse(%q) succeeded", path)
			continue
		}
		if strings.Contains(err.Error(), "script") {
			t.Errorf("Parse(%q) echoes the request: %v", path, err)
		}
	}
}

func TestEncodeIdentifier(t *testing.T) {
	for id, want := range map[string]string{
		"a.png":               "a.png",
		"ark:/12025/654xz321": "ark:%2F12025%2F654xz321", // R12
		"1:%3C69":             "1:%253C69",               // R12
		"/?#[]@%":             "%2F%3F%23%5B%5D%40%25",   // R10
		"café.png":            "caf%C3%A9.png",           // R11
		"a b+c":               "a%20b+c",                 // R11
		`"<>\^{|}` + "`":      "%22%3C%3E%5C%5E%7B%7C%7D%60",
		"-._~!$&'()*+,;=:":    "-._~!$&'()*+,;=:", // R10
	} {
		got := EncodeIdentifier(id)
		if got != want {
			t.Errorf("EncodeIdentifier(%q) = %q, want %q", id, got, want)
		}
		r, err := Parse(got+"/info.json", V3)
		if err != nil || r.Identifier != id {
			t.Errorf("%q comes back as %q, %v", id, r.Identifier, err)
		}
	}
}
