package lua

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	glua "github.com/yuin/gopher-lua"
)

const lazyNote = "different: nothing is decoded before write or send"

var imageBindings = []binding{
	{"SipiImage.new", "path or index, [{region, size, reduce, original, hash}]", "Opens an image file or upload and reads its header. Returns true and an image.", lazyNote, imageNew},
	{"SipiImage.dims", "path or index", "Returns true and `{nx, ny, orientation}` of a file.", "same", imageFileDims},
	{"SipiImage:dims", "", "Returns true and `{nx, ny, orientation}` as the recorded operations leave them.", "same", imageDims},
	{"SipiImage:exif", "tag", "Returns true and the value of an EXIF tag; rationals are `{numerator, denominator}`, lists begin at 1.", "same", imageExif},
	{"SipiImage:gps", "", "Returns true and the GPS tags; triples begin at 0.", "same", imageGPS},
	{"SipiImage:crop", "region", "Records a crop to `x,y,w,h` or another IIIF region.", lazyNote, imageCrop},
	{"SipiImage:scale", "size", "Records a scaling to an IIIF size.", lazyNote, imageScale},
	{"SipiImage:rotate", "degrees, [mirror]", "Records a clockwise rotation, after mirroring.", lazyNote, imageRotate},
	{"SipiImage:topleft", "", "Records that the EXIF orientation is applied. Returns true.", lazyNote, imageTopLeft},
	{"SipiImage:watermark", "path", "Records a watermark.", lazyNote, imageWatermark},
	{"SipiImage:mimetype_consistency", "mimetype, filename", "Returns true and whether the file's content agrees with both.", "same", imageMIMEConsistency},
	{"SipiImage:write", "path, [parameters]", "Decodes, applies what was recorded and writes a file whose extension chooses the format; `http` as base name sends it to the client. " +
		"Returns true and the path, or false and a message, \"admission_skipped\" where the price is refused. An unknown extension or parameter raises an error.", "different: also webp, gif and avif; parameter pyramid", imageWrite},
	{"SipiImage:send", "format", "Sends the image to the client as jpg, jpeg, tif, tiff, png, jpx, j2k, jp2, webp, gif or avif. The script sets Content-Type.", "different: also jp2, webp, gif and avif", imageSend},
}

const imageType = "SipiImage"

// image is an opened image: a file and what is to be done with it.
type image struct {
	source ImageSource
	facts  ImageFacts
}

func (c *call) imageArg(l *glua.LState) *image {
	ud, ok := l.Get(1).(*glua.LUserData)
	if ok {
		if img, ok := ud.Value.(*image); ok {
			return img
		}
	}
	l.RaiseError("bad argument #1: SipiImage expected, got %s", typeName(l, 1))
	return nil
}

// describe asks the server about an image.
func (c *call) describe(src ImageSource) (ImageFacts, error) {
	var facts ImageFacts
	reply, err := c.host.ask(opDescribe, imageMessage{Source: src})
	if err == nil {
		err = json.Unmarshal(reply, &facts)
	}
	return facts, err
}

// imagePath is the checked absolute path of argument n.
func (c *call) imagePath(l *glua.LState, n int) (string, error) {
	path, err := c.pathOrUpload(l, n)
	if err != nil || c.isUpload(path) {
		return path, err
	}
	return c.jail.path(path, false)
}

func imageNew(c *call, l *glua.LState) int {
	path, err := c.imagePath(l, 1)
	if err != nil {
		return failed(l, err)
	}
	img := &image{source: ImageSource{Path: path}}
	if l.Get(2) != glua.LNil {
		options, err := tableArg(l, 2)
		if err == nil {
			err = img.options(options)
		}
		if err != nil {
			return failed(l, err)
		}
	}
	if img.facts, err = c.describe(img.source); err != nil {
		return failed(l, err)
	}
	ud := l.NewUserData()
	ud.Value = img
	ud.Metatable = c.imageMetatable(l)
	return succeed(l, ud)
}

func (c *call) imageMetatable(l *glua.LState) glua.LValue {
	if c.imageMeta == nil {
		mt := l.NewTable()
		mt.RawSetString("__index", c.methods(l, imageType))
		mt.RawSetString("__tostring", l.NewFunction(func(l *glua.LState) int {
			img := c.imageArg(l)
			l.Push(glua.LString(fmt.Sprintf("SipiImage(%s, %d x %d)", filepath.Base(img.source.Path), img.facts.Width, img.facts.Height)))
			return 1
		}))
		mt.RawSetString("__metatable", glua.LFalse)
		c.imageMeta = mt
	}
	return c.imageMeta
}

// options reads the options of SipiImage.new.
func (img *image) options(t *glua.LTable) error {
	var err error
	given := map[string]string{}
	t.ForEach(func(k, v glua.LValue) {
		switch k.String() {
		case "region", "size", "reduce", "original", "hash":
			given[k.String()] = v.String()
		default:
			err = fmt.Errorf("unknown option %q", k.String())
		}
	})
	if hash := given["hash"]; hash != "" && !slices.Contains([]string{"md5", "sha1", "sha256", "sha384", "sha512"}, hash) {
		err = fmt.Errorf("unknown hash %q", hash)
	}
	if given["region"] != "" {
		img.source.Steps = append(img.source.Steps, Step{Kind: StepRegion, Value: given["region"]})
	}
	if reduce := given["reduce"]; reduce != "" {
		n, ok := parseNumber(reduce)
		if !ok || n < 0 || n > 30 || n != math.Trunc(n) {
			return errors.New("reduce is a whole number from 0")
		}
		if n > 0 {
			img.source.Steps = append(img.source.Steps, Step{Kind: StepSize, Value: "pct:" + glua.LNumber(100/math.Exp2(n)).String()})
		}
	}
	if given["size"] != "" {
		img.source.Steps = append(img.source.Steps, Step{Kind: StepSize, Value: given["size"]})
	}
	return err
}

func dimsTable(l *glua.LState, f ImageFacts) *glua.LTable {
	t := l.NewTable()
	t.RawSetString("nx", glua.LNumber(f.Width))
	t.RawSetString("ny", glua.LNumber(f.Height))
	t.RawSetString("orientation", glua.LNumber(f.Orientation))
	return t
}

func imageFileDims(c *call, l *glua.LState) int {
	if _, ok := l.Get(1).(*glua.LUserData); ok {
		return imageDims(c, l)
	}
	path, err := c.imagePath(l, 1)
	if err != nil {
		return failed(l, err)
	}
	facts, err := c.describe(ImageSource{Path: path})
	if err != nil {
		return failed(l, err)
	}
	return succeed(l, dimsTable(l, facts))
}

func imageDims(c *call, l *glua.LState) int { return succeed(l, dimsTable(l, c.imageArg(l).facts)) }

// record adds a step if the server finds it valid.
func (c *call) record(img *image, s Step) error {
	if len(img.source.Steps) >= maxSteps {
		return errors.New("too many operations on one image")
	}
	src := ImageSource{Path: img.source.Path, Steps: append(slices.Clone(img.source.Steps), s)}
	facts, err := c.describe(src)
	if err == nil {
		img.source, img.facts = src, facts
	}
	return err
}

// maxSteps bounds the operations recorded on one image.
const maxSteps = 64

func imageCrop(c *call, l *glua.LState) int  { return c.recordText(l, StepRegion) }
func imageScale(c *call, l *glua.LState) int { return c.recordText(l, StepSize) }

func (c *call) recordText(l *glua.LState, kind StepKind) int {
	img := c.imageArg(l)
	text, err := stringArg(l, 2)
	if err == nil {
		err = c.record(img, Step{Kind: kind, Value: text})
	}
	return answer(l, glua.LNil, err)
}

func imageRotate(c *call, l *glua.LState) int {
	img := c.imageArg(l)
	angle, ok := l.Get(2).(glua.LNumber)
	if !ok {
		return failed(l, errors.New("the angle must be a number"))
	}
	a := math.Mod(float64(angle), 360)
	if math.IsNaN(a) {
		return failed(l, errors.New("the angle must be finite"))
	}
	if a < 0 {
		a += 360
	}
	return answer(l, glua.LNil, c.record(img, Step{Kind: StepRotate, Angle: a, Mirror: l.ToBool(3)}))
}

func imageTopLeft(c *call, l *glua.LState) int {
	if err := c.record(c.imageArg(l), Step{Kind: StepUpright}); err != nil {
		return failed(l, err)
	}
	l.Push(glua.LTrue)
	return 1
}

func imageWatermark(c *call, l *glua.LState) int {
	img := c.imageArg(l)
	path, err := c.imagePath(l, 2)
	if err == nil {
		err = c.record(img, Step{Kind: StepWatermark, Value: path})
	}
	return answer(l, glua.LNil, err)
}

func imageMIMEConsistency(c *call, l *glua.LState) int {
	img := c.imageArg(l)
	declared, err := stringArg(l, 2)
	if err != nil {
		return failed(l, err)
	}
	name, err := stringArg(l, 3)
	if err != nil {
		return failed(l, err)
	}
	media, _, err := c.sniffFile(img.source.Path)
	ok := sameMedia(declared, media) && extensions[strings.ToLower(filepath.Ext(name))] == media
	return answer(l, glua.LBool(ok), err)
}
