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

func parseQuality(s string) (Quality, error) {
	switch q := Quality(s); q {
	case QualityDefault, QualityColor, QualityGray, QualityBitonal:
		return q, nil
	}
	return "", badRequest(CodeQualityUnsupported, ParameterQuality, "must be default, color, gray or bitonal")
}

// on returns the quality with the words that change nothing on an image
// replaced by default: color on a colour image and gray on a gray one.
func (q Quality) on(img Image) Quality {
	if q == QualityColor && !img.Gray || q == QualityGray && img.Gray {
		return QualityDefault
	}
	return q
}
