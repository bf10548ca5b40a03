package iiif

// Quality is the quality parameter.
type Quality string

// The qualities of both versions.
const (
	QualityDefault Quality = "default"
	QualityColor   Quality = "color"
	QualityGray    Quality = "gray"
	QualityBitonal Quality = "bitonal"
)

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
