package admission

import (
	"strconv"
	"strings"
)

// sipiSeconds reads a duration as SIPI writes it: a bare number is seconds.
func sipiSeconds(text string) (string, error) {
	text = strings.TrimSpace(text)
	if _, err := strconv.ParseFloat(text, 64); err == nil {
		return text + "s", nil
	}
	return text, nil
}

// sipiMode reads a mode as SIPI does: what it does not know is basic.
func sipiMode(text string) (string, error) {
	if strings.EqualFold(strings.TrimSpace(text), ModeAdvanced) {
		return ModeAdvanced, nil
	}
	return ModeBasic, nil
}
