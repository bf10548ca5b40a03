package decode

import "bytes"

// describesSRGB tells whether an ICC profile says of itself that it is sRGB
// (or a gray profile with sRGB's curve), in ASCII or UTF-16 text.
func describesSRGB(profile []byte) bool {
	head := profile[:min(len(profile), 4096)]
	return bytes.Contains(head, []byte("sRGB")) || bytes.Contains(head, []byte("s\x00R\x00G\x00B"))
}
