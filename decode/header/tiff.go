package header

import (
	"cmp"
	"slices"

	"example.com/iiifd/decode/plan"
)

// tiffPage is one selectable page: its directory and the smaller copies that
// belong to it.
type tiffPage struct {
	index  int // in the main chain
	dir    directory
	plane  plane
	levels []tiffLevel
}

type tiffLevel struct {
	plane        plane
	page, subIFD int
}

// readTIFF walks the chain of directories, sorts them into pages, levels and
// masks, and describes one page.
func readTIFF(in *input, s *plan.Shape, page int) error {
	r, first, err := newIFDReader(in)
	if err != nil {
		return err
	}
	chosen, pages, err := r.pages(first, max(0, page))
	if err != nil {
		return err
	}
	s.Pages = pages
	if chosen == nil {
		return ErrNoPage
	}
	if err := r.subLevels(chosen); err != nil {
		return err
	}
	if err := r.describe(chosen, s); err != nil {
		return err
	}
	return r.levels(chosen, s)
}

// pages counts the pages of the main chain and returns the one wanted. The
// chain ends at 0, at an offset seen before, or at a damaged directory that
// is not the first.
func (r ifdReader) pages(first int64, wanted int) (*tiffPage, int, error) {
	var chosen *tiffPage
	pages := 0
	var head plane     // of the page the walk is in
	var previous plane // the last level of that page
	seen := make(map[int64]struct{}, 16)
	for index, off := 0, first; off != 0 && index < maxDirectories; index++ {
		if _, again := seen[off]; again {
			break
		}
		seen[off] = struct{}{}
		d, next, err := r.directory(off)
		var p plane
		if err == nil {
			p, err = r.plane(&d)
		}
		if err != nil {
			return chosen, pages, unlessLater(err, index)
		}
		off = next
		switch role := p.role(head, previous, pages > 0); role {
		case rolePage:
			head, previous = p, p
			if pages == wanted {
				chosen = &tiffPage{index: index, dir: d, plane: p}
			}
			pages++
		case roleLevel:
			previous = p
			if pages == wanted+1 {
				chosen.levels = append(chosen.levels, tiffLevel{plane: p, page: index, subIFD: -1})
			}
		case roleNone:
		}
	}
	return chosen, pages, nil
}

// unlessLater drops the damage of a directory that is not the first: the
// pages before it can be shown.
func unlessLater(err error, index int) error {
	if index > 0 && isCorrupt(err) {
		return nil
	}
	return err
}

type role int

const (
	roleNone role = iota // a mask, or a copy that does not fit
	rolePage
	roleLevel
)

// role tells what a directory of the main chain is to the page before it. A
// directory is a level if it is marked as a reduced copy and fits, or, not
// marked as anything, if it fits exactly as the next step of a pyramid of
// halvings with the same kind of samples, tiled where the page is.
func (p plane) role(head, previous plane, hasHead bool) role {
	switch {
	case !hasHead:
		return rolePage
	case p.mask():
		return roleNone
	case p.subfile&subfileReduced != 0:
		if _, ok := p.fits(head); ok && p.sameKind(head) {
			return roleLevel
		}
		return roleNone
	case p.subfile&subfilePage != 0:
		return rolePage
	}
	factor, ok := p.fits(head)
	if ok && factor&(factor-1) == 0 && p.sameKind(head) && p.tiled == head.tiled &&
		p.width <= previous.width && p.height <= previous.height {
		return roleLevel
	}
	return rolePage
}

// subLevels adds the directories below a page that are smaller copies of it,
// as OME-TIFF and libvips' subifd pyramids have them.
func (r ifdReader) subLevels(page *tiffPage) error {
	subs := page.dir.entry(tagSubIFDs)
	for i := range min(subs.count, maxSubIFDs) {
		off, ok, err := r.value(subs, i)
		if err != nil {
			return err
		}
		if !ok || off == 0 || off == page.dir.off {
			continue
		}
		d, _, err := r.directory(off)
		var p plane
		if err == nil {
			p, err = r.plane(&d)
		}
		if isCorrupt(err) {
			continue
		}
		if err != nil {
			return err
		}
		if _, ok := p.fits(page.plane); ok && !p.mask() && p.sameKind(page.plane) {
			page.levels = append(page.levels, tiffLevel{plane: p, page: page.index, subIFD: int(i)})
		}
	}
	return nil
}

// levels writes the page and its copies into the shape, largest first.
func (r ifdReader) levels(page *tiffPage, s *plan.Shape) error {
	all := append([]tiffLevel{{plane: page.plane, page: page.index, subIFD: -1}}, page.levels...)
	slices.SortStableFunc(all[1:], func(a, b tiffLevel) int { return cmp.Compare(b.plane.width, a.plane.width) })
	all = slices.CompactFunc(all, func(a, b tiffLevel) bool {
		return a.plane.width == b.plane.width && a.plane.height == b.plane.height
	})
	s.Levels = make([]plan.Level, 0, len(all))
	for _, l := range all {
		p := l.plane
		if p.tileWidth < 1 || p.tileHeight < 1 || p.tileWidth > maxSide || p.tileHeight > maxSide {
			return r.in.corrupt("tiles of %d × %d pixels", p.tileWidth, p.tileHeight)
		}
		s.Levels = append(s.Levels, plan.Level{
			Width: int(p.width), Height: int(p.height),
			TileWidth: int(p.tileWidth), TileHeight: int(p.tileHeight), Tiled: p.tiled,
			Page: l.page, SubIFD: l.subIFD,
			JPEGTiles: p.jpegTiles(),
		})
	}
	return nil
}

// jpegTiles tells whether the tiles are JPEG streams that stand on their own
// once the shared tables are put in front.
func (p plane) jpegTiles() bool {
	if !p.tiled || p.compression != compressionJPEG || p.bits != 8 || p.planar {
		return false
	}
	return p.samples == 3 && (p.photometric == photometricYCbCr || p.photometric == photometricRGB) ||
		p.samples == 1 && p.photometric == photometricBlack
}
