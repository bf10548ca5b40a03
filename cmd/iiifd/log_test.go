package main

import (
	"bytes"
	"log/slog"
	"testing"
)

func TestLogIsJSONWhereNobodyReadsIt(t *testing.T) {
	for format, begins := range map[string]byte{"auto": '{', "json": '{', "text": 't'} {
		var b bytes.Buffer
		newLogger(&b, logConfig{Level: "info", Format: format}, new(slog.LevelVar)).Info("hello")
		if b.Len() == 0 || b.Bytes()[0] != begins {
			t.Errorf("%s: %s", format, b.String())
		}
	}
}
