package decode

import (
	"errors"
	"testing"

	"example.com/iiifd/testimages"
)

// What cannot be decoded is not described as an image.
func TestShapeRefusesWhatLibvipsCannotRead(t *testing.T) {
	e := startEngine(t)
	tried := 0
	for _, s := range testimages.All() {
		if s.Readable {
			continue
		}
		tried++
		var failure *Error
		if _, err := e.Shape(t.Context(), sample(t, s)); !errors.As(err, &failure) || failure.Kind != Unsupported {
			t.Errorf("%s: %v, want it unsupported", s.Name, err)
		}
	}
	if tried == 0 {
		t.Error("no sample that libvips cannot read")
	}
}
