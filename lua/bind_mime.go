package lua

import (
	"errors"
	"io"
	"net/http"
	"path/filepath"
	"strings"

	glua "github.com/yuin/gopher-lua"
)

var mimeBindings = []binding{
	{"server.parse_mimetype", "text", "Returns true and `{mimetype, charset}` of a Content-Type, in lower case; charset only where given.", "same", serverParseMIME},
	{"server.file_mimetype", "path or index", "Returns true and `{mimetype, charset}` by the file's first bytes.", "different: recognises images, PDF, audio, video, archives and text; charset only for text", serverFileMIME},
	{"server.file_mimeconsistency", "path or index", "Returns true and whether the content agrees with the name's extension and, for an upload, with the declared type.", "same", serverFileMIMEConsistency},
}

func serverParseMIME(_ *call, l *glua.LState) int {
	text, err := stringArg(l, 1)
	if err != nil {
		return failed(l, err)
	}
	media, parameters, _ := strings.Cut(strings.ToLower(text), ";")
	if media = strings.TrimSpace(media); !strings.Contains(media, "/") {
		return failed(l, errors.New("not a media type"))
	}
	charset := ""
	for p := range strings.SplitSeq(parameters, ";") {
		if v, ok := strings.CutPrefix(strings.TrimSpace(p), "charset="); ok {
			charset = strings.Trim(v, `"`)
		}
	}
	return succeed(l, mimeTable(l, media, charset))
}

func mimeTable(l *glua.LState, media, charset string) *glua.LTable {
	t := l.NewTable()
	t.RawSetString("mimetype", glua.LString(media))
	if charset != "" {
		t.RawSetString("charset", glua.LString(charset))
	}
	return t
}

// signatures are the file kinds that package net/http does not know.
var signatures = []struct {
	offset      int
	bytes, mime string
}{
	{0, "II*\x00", "image/tiff"},
	{0, "MM\x00*", "image/tiff"},
	{0, "II+\x00", "image/tiff"},
	{0, "MM\x00+", "image/tiff"},
	{0, "\x00\x00\x00\x0CjP  \r\n\x87\n", "image/jp2"},
	{0, "\xFF\x4F\xFF\x51", "image/x-jp2-codestream"},
	{0, "\x00\x00\x00\x0CJXL \r\n\x87\n", "image/jxl"},
	{0, "\xFF\x0A", "image/jxl"},
	{4, "ftypavif", "image/avif"},
	{4, "ftypavis", "image/avif"},
	{4, "ftypheic", "image/heic"},
	{4, "ftypmif1", "image/heif"},
	{4, "ftypqt  ", "video/quicktime"},
	{4, "ftyp", "video/mp4"},
	{0, "8BPS", "image/vnd.adobe.photoshop"},
}

// sniff returns the media type and charset of a file by its first bytes.
func sniff(head []byte) (media, charset string) {
	for _, s := range signatures {
		if len(head) >= s.offset && strings.HasPrefix(string(head[s.offset:]), s.bytes) {
			return s.mime, ""
		}
	}
	if t := strings.TrimLeft(string(head), " \t\r\n\ufeff"); strings.HasPrefix(t, "<svg") {
		return "image/svg+xml", "utf-8"
	}
	media, rest, _ := strings.Cut(http.DetectContentType(head), ";")
	return media, strings.TrimPrefix(strings.TrimSpace(rest), "charset=")
}

// extensions are the media types of names.
var extensions = map[string]string{
	".tif": "image/tiff", ".tiff": "image/tiff", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".png": "image/png",
	".jp2": "image/jp2", ".jpx": "image/jp2", ".jpf": "image/jp2", ".j2k": "image/x-jp2-codestream", ".j2c": "image/x-jp2-codestream",
	".webp": "image/webp", ".gif": "image/gif", ".avif": "image/avif", ".heic": "image/heic", ".heif": "image/heif",
	".jxl": "image/jxl", ".bmp": "image/bmp", ".svg": "image/svg+xml", ".psd": "image/vnd.adobe.photoshop",
	".pdf": "application/pdf", ".zip": "application/zip", ".gz": "application/x-gzip", ".tgz": "application/x-gzip",
	".mp4": "video/mp4", ".mov": "video/quicktime", ".webm": "video/webm", ".mp3": "audio/mpeg", ".wav": "audio/wave", ".ogg": "application/ogg",
	".html": "text/html", ".htm": "text/html", ".xml": "text/xml", ".txt": "text/plain", ".csv": "text/plain",
	".json": "text/plain", ".lua": "text/plain", ".elua": "text/plain", ".md": "text/plain", ".css": "text/plain", ".js": "text/plain",
}

// alike are declared types and the one that sniff gives.
var alike = map[string]string{
	"image/jpx": "image/jp2", "image/pjpeg": "image/jpeg", "image/x-tiff": "image/tiff", "image/jpg": "image/jpeg",
	"application/xml": "text/xml", "application/json": "text/plain", "text/csv": "text/plain", "text/css": "text/plain",
	"application/javascript": "text/plain", "text/javascript": "text/plain", "application/gzip": "application/x-gzip",
	"audio/x-wav": "audio/wave", "audio/wav": "audio/wave",
}

func sameMedia(declared, found string) bool {
	declared, _, _ = strings.Cut(strings.ToLower(declared), ";")
	declared = strings.TrimSpace(declared)
	if to, ok := alike[declared]; ok {
		declared = to
	}
	return declared == found
}

// sniffFile reads the beginning of a permitted file.
func (c *call) sniffFile(path string) (media, charset string, err error) {
	f, err := c.open(path)
	if err != nil {
		return "", "", err
	}
	defer f.Close()
	head := make([]byte, 512)
	n, err := io.ReadFull(f, head)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		return "", "", err
	}
	media, charset = sniff(head[:n])
	return media, charset, nil
}

func serverFileMIME(c *call, l *glua.LState) int {
	path, err := c.pathOrUpload(l, 1)
	if err != nil {
		return failed(l, err)
	}
	media, charset, err := c.sniffFile(path)
	if err != nil {
		return failed(l, err)
	}
	return succeed(l, mimeTable(l, media, charset))
}

func serverFileMIMEConsistency(c *call, l *glua.LState) int {
	path, err := c.pathOrUpload(l, 1)
	if err != nil {
		return failed(l, err)
	}
	name, declared := path, ""
	if _, ok := l.Get(1).(glua.LNumber); ok {
		up, err := c.uploadArg(l, 1)
		if err != nil {
			return failed(l, err)
		}
		name, declared = up.OrigName, up.MIMEType
	}
	media, _, err := c.sniffFile(path)
	if err != nil {
		return failed(l, err)
	}
	ok := extensions[strings.ToLower(filepath.Ext(name))] == media && (declared == "" || sameMedia(declared, media))
	return succeed(l, glua.LBool(ok))
}
