package lua

import (
	"errors"
	"strings"

	glua "github.com/yuin/gopher-lua"

	"example.com/iiifd/lua/exif"
)

// errUnknownTag has SIPI's words, which scripts compare.
var errUnknownTag = errors.New("Unrecognized EXIF-Tag") //nolint:staticcheck // capital as in SIPI

func (c *call) exifTags(img *image) (*exif.Tags, error) {
	f, err := c.open(img.source.Path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	return exif.Read(f, info.Size())
}

// imageExif returns one tag. Names may carry the prefix "Exif.Photo." and
// the like.
func imageExif(c *call, l *glua.LState) int {
	img := c.imageArg(l)
	name, err := stringArg(l, 2)
	if err != nil {
		return failed(l, err)
	}
	number, ok := exif.Names[name[strings.LastIndexByte(name, '.')+1:]]
	if !ok {
		return failed(l, errUnknownTag)
	}
	tags, err := c.exifTags(img)
	if err != nil {
		return failed(l, err)
	}
	v, ok := tags.Image[number]
	if !ok {
		return failed(l, errors.New("requested exif tag not available"))
	}
	return succeed(l, exifValue(l, v))
}

// exifValue is a tag's value: a string, a number, or a list from 1; a
// rational is a list of two numbers.
func exifValue(l *glua.LState, v exif.Value) glua.LValue {
	var list []glua.LValue
	for _, n := range v.Integers {
		list = append(list, glua.LNumber(n))
	}
	for _, f := range v.Floats {
		list = append(list, glua.LNumber(f))
	}
	for _, r := range v.Rationals {
		list = append(list, luaList(l, []glua.LValue{glua.LNumber(r.Num), glua.LNumber(r.Den)}))
	}
	switch len(list) {
	case 0:
		return glua.LString(v.Text)
	case 1:
		return list[0]
	}
	return luaList(l, list)
}

func luaList(l *glua.LState, values []glua.LValue) *glua.LTable {
	t := l.CreateTable(len(values), 0)
	for _, v := range values {
		t.Append(v)
	}
	return t
}

// imageGPS returns the GPS tags; those with three numbers are lists from 0.
func imageGPS(c *call, l *glua.LState) int {
	tags, err := c.exifTags(c.imageArg(l))
	if err == nil && len(tags.GPS) == 0 {
		err = exif.ErrNone
	}
	if err != nil {
		return failed(l, err)
	}
	t := l.NewTable()
	for number, v := range tags.GPS {
		name, ok := exif.GPSNames[number]
		if !ok {
			continue
		}
		if len(v.Rationals) < 2 {
			t.RawSetString(name, gpsNumber(l, v))
			continue
		}
		list := l.NewTable()
		for i, r := range v.Rationals {
			list.RawSet(glua.LNumber(i), rationalNumber(r))
		}
		t.RawSetString(name, list)
	}
	return succeed(l, t)
}

func gpsNumber(l *glua.LState, v exif.Value) glua.LValue {
	if len(v.Rationals) == 1 {
		return rationalNumber(v.Rationals[0])
	}
	return exifValue(l, v)
}

func rationalNumber(r exif.Rational) glua.LNumber {
	if r.Den == 0 {
		return 0
	}
	return glua.LNumber(float64(r.Num) / float64(r.Den))
}
