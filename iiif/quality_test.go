package iiif

import "testing"

// Image API 3.0 and 2.1, sections 4.4 to 4.6: quality, format, order.

func TestQuality(t *testing.T) {
	gray := Image{Width: 1000, Height: 800, Gray: true}
	rows := []struct {
		requirement string
		img         Image
		asked, want Quality
	}{
		{"R86 default", example, QualityDefault, QualityDefault},
		{"R86 color", example, QualityColor, QualityDefault},
		{"R86 color of a gray image", gray, QualityColor, QualityColor},
		{"R87 gray", example, QualityGray, QualityGray},
		{"R88 bitonal", example, QualityBitonal, QualityBitonal},
		{"R88 bitonal of a gray image", gray, QualityBitonal, QualityBitonal},
		{"R109 gray of a gray image", gray, QualityGray, QualityDefault},
		{"R109 default of a gray image", gray, QualityDefault, QualityDefault},
	}
	for _, row := range rows {
		for _, v := range both {
			t.Run(row.requirement, func(t *testing.T) {
				prefix := "full/" + wholeSize(v) + "/0/"
				transform := mustResolve(t, prefix+string(row.asked)+".jpg", v, row.img, exampleLimits)
				if transform.Quality != row.want {
					t.Errorf("%s is done as %s, want %s", row.asked, transform.Quality, row.want)
				}
				if want := prefix + string(row.want) + ".jpg"; transform.Canonical() != want {
					t.Errorf("canonical %s, want %s", transform.Canonical(), want)
				}
			})
		}
	}
}

func TestFormat(t *testing.T) {
	for format, mediaType := range map[Format]string{
		FormatJPG: "image/jpeg", FormatPNG: "image/png", FormatTIF: "image/tiff", FormatGIF: "image/gif",
		FormatJP2: "image/jp2", FormatPDF: "application/pdf", FormatWebP: "image/webp",
		FormatAVIF: "image/avif", FormatJXL: "image/jxl",
	} {
		t.Run("R91 "+string(format), func(t *testing.T) {
			if got := format.MediaType(); got != mediaType {
				t.Errorf("%s is %s, want %s", format, got, mediaType)
			}
			transform := mustResolve(t, "full/max/0/default."+string(format), V3, example, exampleLimits)
			if transform.Format != format || transform.Canonical() != "full/max/0/default."+string(format) {
				t.Errorf("R109: %s becomes %s", format, transform.Canonical())
			}
		})
	}
	if got := Format("bmp").MediaType(); got != "" {
		t.Errorf("bmp has the media type %q", got)
	}
}

func TestQualityAndFormatRefused(t *testing.T) {
	rows := []struct{ requirement, last, code string }{
		{"R89 unknown", "bogus.jpg", CodeQualityUnsupported},
		{"R89 native", "native.jpg", CodeQualityUnsupported},
		{"R89 grey", "grey.jpg", CodeQualityUnsupported},
		{"R89 upper case", "Default.jpg", CodeQualityUnsupported},
		{"R89 cut off", "defaul.jpg", CodeQualityUnsupported},
		{"R92 unknown", "default.bogus", CodeFormatUnsupported},
		{"R92 bmp", "default.bmp", CodeFormatUnsupported},
		{"R92 jpeg", "default.jpeg", CodeFormatUnsupported},
		{"R92 tiff", "default.tiff", CodeFormatUnsupported},
		{"R92 upper case", "default.JPG", CodeFormatUnsupported},
		{"R92 space", "default.jpg%20", CodeFormatUnsupported},
		{"R93 no format", "default", CodeFormatUnsupported},
		{"R93 empty format", "default.", CodeFormatUnsupported},
		{"R93 no quality", ".jpg", CodeQualityUnsupported},
		{"R93 two formats", "default.jpg.png", CodeQualityUnsupported},
	}
	for _, row := range rows {
		for _, v := range both {
			t.Run(row.requirement, func(t *testing.T) {
				if got := outcome(t, "full/"+wholeSize(v)+"/0/"+row.last, v, example, exampleLimits); got != row.code {
					t.Errorf("%q: %s, want %s", row.last, got, row.code)
				}
			})
		}
	}
}

func TestOrder(t *testing.T) {
	transform := mustResolve(t, "10,20,200,100/100,/90/gray.jpg", V3, example, exampleLimits)
	want := Transform{
		Image: example, Region: Rect{X: 10, Y: 20, Width: 200, Height: 100}, Width: 100, Height: 50,
		Angle: 90, Quality: QualityGray, Format: FormatJPG, canonical: "10,20,200,100/100,50/90/gray.jpg",
	}
	if transform != want {
		t.Errorf("R94: %+v, want %+v", transform, want)
	}
	if w, h := transform.OutputSize(); w != 50 || h != 100 {
		t.Errorf("R94: %dx%d, want 50x100", w, h)
	}
	for _, request := range []string{
		"max/full/0/default.jpg", "full/0/max/default.jpg", "0/max/full/default.jpg", "full/max/default.jpg/0",
	} {
		if got := outcome(t, request, V3, example, exampleLimits); got == "1000x800" {
			t.Errorf("R94: %s was accepted", request)
		}
	}
}

func TestParseParamsNeedsFourParts(t *testing.T) {
	for _, s := range []string{"", "full", "full/max/0", "full/max/0/0/default.jpg", "/full/max/0/default.jpg"} {
		_, err := ParseParams(s, V3)
		if err == nil || codeOf(t, err) != CodeParametersMissing {
			t.Errorf("%q: %v", s, err)
		}
	}
}
