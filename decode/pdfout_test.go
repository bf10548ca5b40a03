package decode

import (
	"bytes"
	"context"
	"fmt"
	"strconv"
	"testing"
)

// TestPDFHoldsTheJPEG checks that the page's picture is the JPEG of the same
// request, that its length and the table of objects are right, and that a
// reader sees a page of the picture's size.
func TestPDFHoldsTheJPEG(t *testing.T) {
	e := startEngine(t)
	o := objectOf(pngOf(t, pattern(301, 200)))
	for _, quality := range []string{"default", "gray"} {
		picture, err := request(t, e, o, "full/150,/0/"+quality+".jpg")
		if err != nil {
			t.Fatal(err)
		}
		page, err := request(t, e, o, "full/150,/0/"+quality+".pdf")
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Contains(page, picture) {
			t.Fatalf("%s: the JPEG is not in the page", quality)
		}
		if !bytes.Contains(page, fmt.Appendf(nil, "6 0 obj\n%d\nendobj", len(picture))) {
			t.Errorf("%s: the length of %d bytes is not in the page", quality, len(picture))
		}
		checkObjectTable(t, page)
		s, err := e.Shape(context.Background(), objectOf(page))
		if err != nil {
			t.Fatalf("%s: %v", quality, err)
		}
		if s.Width*100 != s.Height*150 {
			t.Errorf("%s: the page is %d × %d", quality, s.Width, s.Height)
		}
	}
}

// checkObjectTable follows startxref and every offset in the table.
func checkObjectTable(t *testing.T, page []byte) {
	t.Helper()
	_, tail, _ := bytes.Cut(page, []byte("startxref\n"))
	number, _, _ := bytes.Cut(tail, []byte("\n"))
	table, err := strconv.Atoi(string(number))
	if err != nil || !bytes.HasPrefix(page[table:], []byte("xref\n0 7\n")) {
		t.Fatalf("no table at %q", number)
	}
	lines := bytes.Split(page[table:], []byte("\n"))[3:]
	for i := range 6 {
		start, err := strconv.Atoi(string(lines[i][:10]))
		if err != nil || !bytes.HasPrefix(page[start:], fmt.Appendf(nil, "%d 0 obj\n", i+1)) {
			t.Errorf("object %d is not at %d", i+1, start)
		}
	}
}
