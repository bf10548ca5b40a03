package iiif

import (
	"fmt"
	"testing"
)

// Image API 3.0 and 2.1, section 4.3: rotation.

func TestRotation(t *testing.T) {
	rows := []struct {
		requirement, rotation string
		mirror                bool
		angle                 float64
		canonical             string
	}{
		{"R75 none", "0", false, 0, "0"},
		{"R76 quarter", "90", false, 90, "90"},
		{"R76 half", "180", false, 180, "180"},
		{"R76 three quarters", "270", false, 270, "270"},
		{"R77 mirror", "!0", true, 0, "!0"},
		{"R77 mirror and quarter", "!90", true, 90, "!90"},
		{"R78 full turn", "360", false, 0, "0"},
		{"R78 mirror and full turn", "!360", true, 0, "!0"},
		{"R78 full turn with places", "360.00", false, 0, "0"},
		{"R79 place of zero", "0.0", false, 0, "0"},
		{"R79 place of ninety", "90.0", false, 90, "90"},
		{"R79 leading zero", "090", false, 90, "90"},
		{"R79 two zeros", "00", false, 0, "0"},
		{"R79 no digit before the point", ".5", false, 0.5, "0.5"},
		{"R79 no digit after the point", "5.", false, 5, "5"},
		{"R80 arbitrary", "22.50", false, 22.5, "22.5"},
		{"R84 just off zero", "0.001", false, 0.001, "0.001"},
		{"R84 just below a full turn", "359", false, 359, "359"},
		{"R84 beyond float64", "359.99999999999999999", false, 359.99999999999994, "359.99999999999999999"},
		{"R108 places kept", "!12.345678901234567", true, 12.345678901234567, "!12.345678901234567"},
	}
	for _, row := range rows {
		for _, v := range both {
			t.Run(row.requirement, func(t *testing.T) {
				request := "0,0,300,200/" + wholeSize(v) + "/" + row.rotation + "/default.png"
				transform := mustResolve(t, request, v, example, exampleLimits)
				if transform.Mirror != row.mirror || transform.Angle != row.angle {
					t.Errorf("%s: mirror %t, angle %v", row.rotation, transform.Mirror, transform.Angle)
				}
				want := "0,0,300,200/" + wholeSize(v) + "/" + row.canonical + "/default.png"
				if got := transform.Canonical(); got != want {
					t.Errorf("canonical %s, want %s", got, want)
				}
			})
		}
	}
}

func TestRotationRefused(t *testing.T) {
	rows := []struct{ requirement, rotation, code string }{
		{"R78 above a full turn", "361", CodeRotationInvalid},
		{"R78 a place above a full turn", "360.1", CodeRotationInvalid},
		{"R78 a trace above a full turn", "360.000000000000000001", CodeRotationInvalid},
		{"R78 two turns", "720", CodeRotationInvalid},
		{"R78 minus one", "-1", CodeRotationInvalid},
		{"R78 minus ninety", "-90", CodeRotationInvalid},
		{"R78 beyond 64 bits", "99999999999999999999", CodeNumberTooLarge},
		{"R79 plus sign", "+90", CodeRotationInvalid},
		{"R79 exponent", "1e2", CodeRotationInvalid},
		{"R79 hexadecimal", "0x5a", CodeRotationInvalid},
		{"R79 not a number", "NaN", CodeRotationInvalid},
		{"R79 comma", "90,", CodeRotationInvalid},
		{"R79 mirror at the end", "90!", CodeRotationInvalid},
		{"R79 two mirrors", "!!0", CodeRotationInvalid},
		{"R79 mirror alone", "!", CodeRotationInvalid},
		{"R79 nothing", "", CodeRotationInvalid},
		{"R79 space", "9%200", CodeRotationInvalid},
		{"R79 point alone", ".", CodeRotationInvalid},
		{"R79 two points", "1.2.3", CodeRotationInvalid},
	}
	for _, row := range rows {
		for _, v := range both {
			t.Run(row.requirement, func(t *testing.T) {
				request := "full/" + wholeSize(v) + "/" + row.rotation + "/default.png"
				if got := outcome(t, request, v, example, exampleLimits); got != row.code {
					t.Errorf("%q: %s, want %s", row.rotation, got, row.code)
				}
			})
		}
	}
}

func TestRotationBox(t *testing.T) {
	rows := []struct{ requirement, request, want string }{
		{"R76 quarter", "0,0,300,200/max/90", "200x300"},
		{"R76 half", "0,0,300,200/max/180", "300x200"},
		{"R76 three quarters", "0,0,300,200/max/!270", "200x300"},
		{"R80 eighth", "0,0,300,200/max/45", "354x354"},
		{"R80 sixteenth", "0,0,300,200/max/22.5", "354x300"},
		{"R80 beyond a quarter", "0,0,300,200/max/112.5", "300x354"},
		{"R81 size is before rotation", "full/100,/45", "127x127"},
		{"R84 just off zero", "full/max/0.001", "1000x800"},
		{"R84 just off a quarter", "full/max/90.0001", "800x1000"},
		{"R84 just below a quarter", "full/max/89.9999999999999999", "800x1000"},
		{"R84 just below a full turn", "full/max/359.99999999999999999", "1000x800"},
		{"R84 one degree", "full/max/359", "1014x817"},
		{"R85 quarter with places", "full/max/90.0", "800x1000"},
		{"one pixel", "0,0,1,1/max/45", "1x1"},
		{"one pixel upright", "0,0,1,1/max/30", "1x1"},
	}
	for _, row := range rows {
		t.Run(row.requirement, func(t *testing.T) {
			w, h := mustResolve(t, row.request+"/default.png", V3, example, exampleLimits).OutputSize()
			if got := fmt.Sprintf("%dx%d", w, h); got != row.want {
				t.Errorf("%s: %s, want %s", row.request, got, row.want)
			}
		})
	}
}
