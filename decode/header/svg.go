package header

import (
	"bytes"
	"encoding/base64"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
)

const (
	// svgElements is how many elements are drawn at most, copies made by
	// <use> included; librsvg's own limit (limits.rs, MAX_REFERENCED_ELEMENTS).
	svgElements = 500_000
	// svgBytes is the longest SVG read: that happens before anything is priced.
	// libxml2 refuses pictures of more than 10 million characters anyway.
	svgBytes = 16 << 20
	// svgDepth is how deep elements nest at most; libxml2 stops at 256.
	svgDepth = 256
)

// svgContents adds up the pictures that an SVG holds as data: addresses, and
// looks at what else it draws. It fails where there are pictures whose size it
// cannot tell, and where copies of copies make the drawing endless.
func svgContents(r io.Reader) (c Contents, err error) {
	c.Shapes = true
	d := xml.NewDecoder(r)
	d.Strict = false
	d.CharsetReader = func(_ string, in io.Reader) (io.Reader, error) { return in, nil } // All that is looked at is ASCII.
	doc := svgDrawing{named: map[string]svgPart{}}
	open := []svgPart{{}}
	for {
		token, err := d.RawToken()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return Contents{}, svgError(err)
		}
		switch t := token.(type) {
		case xml.StartElement:
			part, more, err := svgElement(t)
			if err != nil {
				return Contents{}, err
			}
			if c.Pixels += more; len(open) > svgDepth {
				return Contents{}, fmt.Errorf("%w: elements nest too deep", ErrUncountable)
			}
			c.Shapes = c.Shapes && plainShape(t)
			open = append(open, part)
		case xml.EndElement:
			if len(open) > 1 {
				open = doc.close(open)
			}
		case xml.Directive:
			c.Shapes = false // Its entities could stand for anything.
		}
	}
	for len(open) > 1 {
		open = doc.close(open)
	}
	if doc.drawn(open[0]) > svgElements {
		return Contents{}, fmt.Errorf("%w: more than %d elements", ErrUncountable, svgElements)
	}
	return c, nil
}

// svgError is what becomes of an error of the XML decoder.
func svgError(err error) error {
	if syntax := new(xml.SyntaxError); errors.As(err, &syntax) {
		return fmt.Errorf("%w: %w", ErrUncountable, err)
	}
	return err
}

// svgPart is an element with all that is in it.
type svgPart struct {
	id    string
	count int64
	uses  []string // ids that <use> copies, once for each copy
}

// svgElement reads an element's attributes and, where it is a picture, the
// picture's pixels.
func svgElement(t xml.StartElement) (part svgPart, pixels int64, err error) {
	part.count = 1
	for _, a := range t.Attr {
		switch {
		case a.Name.Local == "id":
			part.id = a.Value
		case a.Name.Local != "href":
		case t.Name.Local == "use":
			part.uses = append(part.uses, strings.TrimPrefix(strings.TrimSpace(a.Value), "#"))
		case t.Name.Local == "image" || t.Name.Local == "feImage":
			more, err := svgPicture(strings.TrimSpace(a.Value))
			if err != nil {
				return part, 0, err
			}
			pixels += more
		}
	}
	return part, pixels, nil
}

// svgPicture returns the pixels of a data: address, 0 for any other one:
// nothing outside of the file is loaded. An entity could stand for anything.
func svgPicture(address string) (int64, error) {
	if strings.HasPrefix(address, "&") {
		return 0, fmt.Errorf("%w: a picture behind an entity", ErrUncountable)
	}
	if len(address) < 5 || !strings.EqualFold(address[:5], "data:") {
		return 0, nil
	}
	head, text, _ := strings.Cut(address, ",")
	if !strings.HasSuffix(strings.ToLower(head), ";base64") {
		return 0, fmt.Errorf("%w: a picture that is not in base64", ErrUncountable)
	}
	text = strings.TrimRight(strings.Join(strings.Fields(text), ""), "=")
	data, err := base64.RawStdEncoding.DecodeString(text)
	if err != nil {
		return 0, fmt.Errorf("%w: a picture in broken base64", ErrUncountable)
	}
	s, err := Read(bytes.NewReader(data), int64(len(data)), -1)
	if err != nil {
		return 0, fmt.Errorf("%w: a picture: %w", ErrUncountable, err)
	}
	return int64(s.Width) * int64(s.Height), nil
}

// svgDrawing knows the elements that can be copied.
type svgDrawing struct {
	named map[string]svgPart
	sums  map[string]int64
}

// close ends the innermost open element.
func (d *svgDrawing) close(open []svgPart) []svgPart {
	last := len(open) - 1
	part, into := open[last], &open[last-1]
	if part.id != "" {
		d.named[part.id] = part
	}
	into.count += part.count
	into.uses = append(into.uses, part.uses...)
	return open[:last]
}

// drawn counts the elements that drawing p draws, up to a little more than
// svgElements. A copy of itself draws nothing.
func (d *svgDrawing) drawn(p svgPart) int64 {
	if d.sums == nil {
		d.sums = map[string]int64{}
	}
	n := p.count
	for _, id := range p.uses {
		if n > svgElements {
			break
		}
		sum, known := d.sums[id]
		if !known {
			d.sums[id] = 0 // While it is being counted.
			sum = d.drawn(d.named[id])
			d.sums[id] = sum
		}
		n += sum
	}
	return n
}
