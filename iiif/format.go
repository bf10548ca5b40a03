package iiif

// Format is the format parameter: the file name extension asked for.
type Format string

// The formats that can be asked for; which ones a server offers is its own
// affair (Info.Formats).
const (
	FormatJPG  Format = "jpg"
	FormatPNG  Format = "png"
	FormatWebP Format = "webp"
	FormatTIF  Format = "tif"
	FormatGIF  Format = "gif"
	FormatJP2  Format = "jp2"
	FormatPDF  Format = "pdf"
	FormatAVIF Format = "avif"
	FormatJXL  Format = "jxl"
)

// MediaType returns the Content-Type of the format (Image API 3.0, 4.5), or
// "" for a format that is not one of the constants.
func (f Format) MediaType() string {
	switch f {
	case FormatJPG:
		return "image/jpeg"
	case FormatPNG:
		return "image/png"
	case FormatWebP:
		return "image/webp"
	case FormatTIF:
		return "image/tiff"
	case FormatGIF:
		return "image/gif"
	case FormatJP2:
		return "image/jp2"
	case FormatPDF:
		return "application/pdf"
	case FormatAVIF:
		return "image/avif"
	case FormatJXL:
		return "image/jxl"
	}
	return ""
}

func parseFormat(s string) (Format, error) {
	f := Format(s)
	if f.MediaType() == "" {
		return "", badRequest(CodeFormatUnsupported, ParameterFormat, "is not a format of this server")
	}
	return f, nil
}
