package lua

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	glua "github.com/yuin/gopher-lua"
)

// outputFormats are the formats of SipiImage:write and send by extension.
var outputFormats = map[string]string{
	"jpg": "jpg", "jpeg": "jpg", "tif": "tif", "tiff": "tif", "png": "png",
	"jp2": "jp2", "jpx": "jp2", "j2k": "jp2", "webp": "webp", "gif": "gif", "avif": "avif",
}

// writeParameters are the encoder parameters and their permitted words; nil
// means free text, an empty list a whole number.
var writeParameters = map[string][]string{
	"Sprofile":    {"PROFILE0", "PROFILE1", "PROFILE2", "PART2", "CINEMA2K", "CINEMA4K", "BROADCAST", "CINEMA2S", "CINEMA4S", "CINEMASS", "IMF"},
	"Creversible": {"yes", "no"},
	"Cuse_sop":    {"yes", "no"},
	"Clayers":     {},
	"Clevels":     {},
	"Corder":      {"LRCP", "RLCP", "RPCL", "PCRL", "CPRL"},
	"Cprecincts":  nil,
	"Cblk":        nil,
	"rates":       nil,
	"quality":     nil,
	"file_role":   {"service-file"},
	"origname":    nil,
	"mimetype":    nil,
	"pyramid":     {"yes", "no"},
}

func imageWrite(c *call, l *glua.LState) int {
	img := c.imageArg(l)
	path, err := stringArg(l, 2)
	if err != nil {
		return failed(l, err)
	}
	extension := strings.TrimPrefix(filepath.Ext(path), ".")
	format, ok := outputFormats[strings.ToLower(extension)]
	if !ok {
		l.RaiseError("unsupported file extension %q", extension)
	}
	out := ImageOutput{Format: format}
	if l.Get(3) != glua.LNil {
		t, err := tableArg(l, 3)
		if err == nil {
			out.Params, err = readParameters(l, t, format)
		}
		if err != nil {
			return failed(l, err)
		}
	}
	base := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
	if base == "http" || base == "HTTP" {
		return answer(l, glua.LString(path), c.sendImage(img, out))
	}
	real, err := c.jail.path(path, true)
	if err == nil {
		_, err = c.host.ask(opWrite, imageMessage{Source: img.source, Output: out, Path: real})
	}
	return answer(l, glua.LString(path), err)
}

// readParameters checks the parameters of write. What SIPI raises, this
// raises.
func readParameters(l *glua.LState, t *glua.LTable, format string) (map[string]string, error) {
	out := map[string]string{}
	var err error
	t.ForEach(func(k, v glua.LValue) {
		name, isName := k.(glua.LString)
		value, isText := v.(glua.LString)
		if !isName || !isText {
			err = fmt.Errorf("parameter %s: names and values must be strings", k.String())
			return
		}
		words, known := writeParameters[string(name)]
		if !known {
			l.RaiseError("unknown parameter %q", string(name))
		}
		if words != nil && !validWord(string(value), words) {
			l.RaiseError("parameter %s cannot be %q", string(name), string(value))
		}
		out[string(name)] = string(value)
	})
	if out["file_role"] != "" {
		if out["origname"] == "" || out["mimetype"] == "" {
			l.RaiseError("file_role needs origname and mimetype")
		}
		if format != "jp2" && format != "tif" {
			l.RaiseError("file_role needs a jp2 or tif file")
		}
	}
	return out, err
}

func validWord(value string, words []string) bool {
	if len(words) == 0 {
		n, err := strconv.Atoi(value)
		return err == nil && n >= 0
	}
	return slices.Contains(words, value)
}

func imageSend(c *call, l *glua.LState) int {
	img := c.imageArg(l)
	name, err := stringArg(l, 2)
	if err != nil {
		return failed(l, err)
	}
	format, ok := outputFormats[strings.ToLower(name)]
	if !ok {
		l.RaiseError("unsupported format %q", name)
	}
	return answer(l, glua.LNil, c.sendImage(img, ImageOutput{Format: format}))
}

// sendImage has the server append an encoded image to the response. The head
// goes along, so that it is sent only if there is an image.
func (c *call) sendImage(img *image, out ImageOutput) error {
	msg := imageMessage{Source: img.source, Output: out}
	w := c.response
	if len(w.buf) > 0 || w.headSent {
		if err := w.flush(); err != nil {
			return err
		}
	} else {
		msg.Head = &headMessage{Status: w.status, Header: w.header}
	}
	if _, err := c.host.ask(opSend, msg); err != nil {
		return err
	}
	w.committed, w.headSent = true, true
	return nil
}
