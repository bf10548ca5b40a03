package photo_test

import (
	"bytes"
	"testing"

	"example.com/iiifd/testimages/internal/photo"
)

// TestRowsDiffer: no row holds a stretch twice, and no two rows that follow
// each other are the same, or files would be smaller than photographs'.
func TestRowsDiffer(t *testing.T) {
	const width = 3 * photo.Width
	rows := photo.New().Rows(width, 3)
	first, second := rows[:width*3], rows[width*3:2*width*3]
	if bytes.Equal(first, second) {
		t.Error("rows 0 and 1 are the same")
	}
	block := photo.Width * 3
	if bytes.Equal(first[:block], first[block:2*block]) || bytes.Equal(first[block:2*block], first[2*block:]) {
		t.Error("a row repeats")
	}
}
