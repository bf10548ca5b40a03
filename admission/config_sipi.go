package admission

import (
	"strconv"
	"strings"

	"example.com/iiifd/option"
)

// sipiSeconds reads a duration as SIPI writes it: a bare number is seconds.
func sipiSeconds(text string) (string, error) {
	text = strings.TrimSpace(text)
	if _, err := strconv.ParseFloat(text, 64); err == nil {
		return text + "s", nil
	}
	return text, nil
}

// sipiMode reads a mode as SIPI does: what it does not know is basic, with a
// warning.
func sipiMode(text string) (string, error) {
	word := strings.ToLower(strings.TrimSpace(text))
	if word != ModeAdvanced && word != ModeBasic {
		return "", &option.FallbackError{Text: text, Use: ModeBasic}
	}
	return word, nil
}
