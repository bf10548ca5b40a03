package plan

// loader lists the memory of decoding, one function per kind.
func (m *measure) loader() []Part {
	switch m.p.Shape.Loader {
	case LoaderJPEG:
		return m.jpeg()
	case LoaderPNG:
		return m.png()
	case LoaderTIFF:
		return m.tiff()
	case LoaderJP2:
		return m.jp2()
	case LoaderWebP:
		return m.webp()
	case LoaderGIF:
		return m.gif()
	case LoaderAVIF, LoaderHEIF:
		return m.heif()
	case LoaderJXL:
		return m.jxl()
	case LoaderPDF, LoaderSVG:
		return m.drawing()
	default:
		return m.other()
	}
}

// decoded lists the memory of a decoder that makes the whole picture at once,
// after it has done so; nil for the others.
func (m *measure) decoded() []Part {
	switch m.p.Shape.Loader {
	case LoaderAVIF, LoaderHEIF:
		return m.heifDecoded()
	}
	return nil
}
