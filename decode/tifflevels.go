package decode

import (
	"github.com/davidbyttow/govips/v2/vips"

	"example.com/iiifd/decode/plan"
	"example.com/iiifd/source"
)

// tiffLevels adds the smaller sizes of a TIFF: its SubIFDs, or following
// pages that halve the size again and again.
func (e *Engine) tiffLevels(obj source.Object, first *vips.ImageRef, s *plan.Shape) {
	if n := first.GetInt("n-subifds"); n > 0 {
		for i := range n {
			e.addLevel(obj, s, s.Page, i)
		}
		return
	}
	pages := s.Pages
	for page := s.Page + 1; page < pages; page++ {
		if !e.addLevel(obj, s, page, -1) {
			break
		}
		s.Pages--
	}
}

// addLevel appends a directory if it is about half the level before.
func (e *Engine) addLevel(obj source.Object, s *plan.Shape, page, subIFD int) bool {
	p, err := e.open(obj, s.Loader, loadOptions{access: plan.AccessRandom, page: page, subIFD: subIFD})
	if err != nil {
		return false
	}
	defer p.Close()
	last := s.Levels[len(s.Levels)-1]
	l := plan.Level{Width: p.Width(), Height: p.Height(), Page: page, SubIFD: subIFD}
	if p.Bands() != s.Bands || !half(last.Width, l.Width) || !half(last.Height, l.Height) {
		return false
	}
	s.Levels = append(s.Levels, l)
	return true
}

// half tells whether b is a half of a, rounded either way.
func half(a, b int) bool { return b == a/2 || b == (a+1)/2 }
