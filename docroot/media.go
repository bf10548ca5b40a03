package docroot

import (
	"path"
	"strings"
)

// mediaTypes are the types of static files by extension. The system's own
// table is not asked, so that replicas agree.
var mediaTypes = map[string]string{
	".avif":        "image/avif",
	".bmp":         "image/bmp",
	".css":         "text/css; charset=utf-8",
	".csv":         "text/csv; charset=utf-8",
	".eot":         "application/vnd.ms-fontobject",
	".gif":         "image/gif",
	".gz":          "application/gzip",
	".heic":        "image/heic",
	".htm":         "text/html; charset=utf-8",
	".html":        "text/html; charset=utf-8",
	".ico":         "image/vnd.microsoft.icon",
	".jp2":         "image/jp2",
	".jpeg":        "image/jpeg",
	".jpg":         "image/jpeg",
	".js":          "text/javascript; charset=utf-8",
	".json":        "application/json",
	".jsonld":      "application/ld+json",
	".jxl":         "image/jxl",
	".map":         "application/json",
	".md":          "text/markdown; charset=utf-8",
	".mjs":         "text/javascript; charset=utf-8",
	".mp3":         "audio/mpeg",
	".mp4":         "video/mp4",
	".ogg":         "audio/ogg",
	".otf":         "font/otf",
	".pdf":         "application/pdf",
	".png":         "image/png",
	".svg":         "image/svg+xml",
	".tif":         "image/tiff",
	".tiff":        "image/tiff",
	".ttf":         "font/ttf",
	".txt":         "text/plain; charset=utf-8",
	".wasm":        "application/wasm",
	".wav":         "audio/wav",
	".webm":        "video/webm",
	".webmanifest": "application/manifest+json",
	".webp":        "image/webp",
	".woff":        "font/woff",
	".woff2":       "font/woff2",
	".xhtml":       "application/xhtml+xml",
	".xml":         "application/xml",
	".zip":         "application/zip",
}

// mediaType returns the type of a file by its extension, never by its bytes:
// what a file contains must not decide how a browser runs it.
func mediaType(name string) string {
	if media, ok := mediaTypes[strings.ToLower(path.Ext(name))]; ok {
		return media
	}
	return "application/octet-stream"
}

// isText tells which types gain from compression.
func isText(media string) bool {
	base, _, _ := strings.Cut(media, ";")
	switch base {
	case "application/json", "application/xml", "application/wasm", "application/vnd.ms-fontobject", "font/ttf", "font/otf", "image/bmp":
		return true
	}
	return strings.HasPrefix(base, "text/") || strings.HasSuffix(base, "+json") || strings.HasSuffix(base, "+xml")
}
