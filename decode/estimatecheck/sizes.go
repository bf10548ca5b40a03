package main

import (
	"fmt"
	"strings"
)

// size is a picture's size in pixels.
type size struct{ width, height int }

func (s size) String() string { return fmt.Sprintf("%dx%d", s.width, s.height) }

// sizeList is a flag of sizes separated by commas.
type sizeList []size

func (l *sizeList) String() string {
	var w []string
	for _, s := range *l {
		w = append(w, s.String())
	}
	return strings.Join(w, ",")
}

// Set replaces the list.
func (l *sizeList) Set(text string) error {
	*l = nil
	for part := range strings.SplitSeq(text, ",") {
		if part == "" {
			continue
		}
		var s size
		if n, err := fmt.Sscanf(part, "%dx%d", &s.width, &s.height); n != 2 || err != nil || s.width < 1 || s.height < 1 {
			return fmt.Errorf("%q is no size such as 1500x1100", part)
		}
		*l = append(*l, s)
	}
	return nil
}
