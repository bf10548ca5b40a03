package main

import (
	"strings"
	"testing"
)

func TestConfigFileWithoutEnd(t *testing.T) {
	_, _, err := loadConfig([]string{"--config=/dev/zero"}, nil)
	if err == nil || !strings.Contains(err.Error(), "longer than") {
		t.Errorf("err = %v, want that the file is too long", err)
	}
}
