package lua

import (
	"encoding/base64"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"time"

	glua "github.com/yuin/gopher-lua"
)

var serverBindings = []binding{
	{"server.print", "...", "Appends strings and numbers to the response; other values are skipped. The first byte makes status and headers final.", "same", serverPrint},
	{"server.sendStatus", "[code]", "Sets the status (default 200). In a hook it makes the response final: the hook answers the request itself.", "different: codes outside 200 to 599 become 500", serverSendStatus},
	{"server.sendHeader", "name, value", "Adds a header field; without effect after the first body byte. Fields that a response has once, such as Content-Type, replace.", "different: repeated fields are all sent (SIPI: the last)", serverSendHeader},
	{"server.sendCookie", "name, value, [{path, domain, expires, secure, http_only}]", "Adds a cookie; `expires` is in seconds from now. Always Secure.", "different: all cookies are sent (SIPI: the last)", serverSendCookie},
	{"server.setBuffer", "[size], [increment]", "Checks its arguments and does nothing.", "same", serverSetBuffer},
	{"server.requireAuth", "", "Returns true and a table about the Authorization header: `status` is \"BASIC\" (with `username`, `password`), \"BEARER\" (with `token`), \"NOAUTH\" or \"ERROR\" (with `message`); empty for another scheme.", "same", serverRequireAuth},
	{"server.copyTmpfile", "index, path", "Copies an upload, counted from 1.", jailNote, serverCopyTmpfile},
	{"server.systime", "", "Returns the time in Unix seconds.", "same", serverSystime},
	{"server.log", "message, [level]", "Writes to the server's log; the level is one of `server.loglevel`, default LOG_ERR.", "same", serverLog},
}

// levelInfo and the other levels are those of server.loglevel.
const levelInfo = 1

var logLevels = []struct {
	name string
	slog slog.Level
}{
	{"LOG_DEBUG", slog.LevelDebug},
	{"LOG_INFO", slog.LevelInfo},
	{"LOG_NOTICE", slog.LevelInfo},
	{"LOG_WARNING", slog.LevelWarn},
	{"LOG_ERR", slog.LevelError},
	{"LOG_CRIT", slog.LevelError},
	{"LOG_ALERT", slog.LevelError},
	{"LOG_EMERG", slog.LevelError},
}

func serverPrint(c *call, l *glua.LState) int {
	for i := 1; i <= l.GetTop(); i++ {
		switch v := l.Get(i).(type) {
		case glua.LString, glua.LNumber:
			if err := c.response.write([]byte(v.String())); err != nil {
				return failed(l, err)
			}
		}
	}
	return succeed(l, glua.LNil)
}

func serverSendStatus(c *call, l *glua.LState) int {
	code := int64(http.StatusOK)
	if l.Get(1) != glua.LNil {
		n, err := integerArg(l, 1)
		if err != nil || n < 200 || n > 599 {
			n = http.StatusInternalServerError
		}
		code = n
	}
	c.response.setStatus(int(code))
	return 0
}

func serverSendHeader(c *call, l *glua.LState) int {
	if l.GetTop() != 2 {
		return failed(l, errors.New("sendHeader takes a name and a value"))
	}
	name, err := stringArg(l, 1)
	if err != nil {
		return failed(l, err)
	}
	value, err := stringArg(l, 2)
	if err != nil {
		return failed(l, err)
	}
	return answer(l, glua.LNil, c.response.setHeader(name, value))
}

func serverSendCookie(c *call, l *glua.LState) int {
	name, err := stringArg(l, 1)
	if err != nil {
		return failed(l, err)
	}
	value, err := stringArg(l, 2)
	if err != nil {
		return failed(l, err)
	}
	cookie := &http.Cookie{Name: name, Value: value, Secure: true}
	if l.Get(3) != glua.LNil {
		options, err := tableArg(l, 3)
		if err == nil {
			err = cookieOptions(cookie, options)
		}
		if err != nil {
			return failed(l, err)
		}
	}
	if err := cookie.Valid(); err != nil {
		return failed(l, err)
	}
	return answer(l, glua.LNil, c.response.setHeader("Set-Cookie", cookie.String()))
}

func cookieOptions(cookie *http.Cookie, options *glua.LTable) error {
	var err error
	options.ForEach(func(k, v glua.LValue) {
		ok := true
		switch k.String() {
		case "path":
			cookie.Path, ok = v.String(), v.Type() == glua.LTString
		case "domain":
			cookie.Domain, ok = v.String(), v.Type() == glua.LTString
		case "expires":
			var n glua.LNumber
			if n, ok = v.(glua.LNumber); ok {
				cookie.MaxAge = int(n)
				cookie.Expires = time.Now().Add(time.Duration(float64(n) * float64(time.Second)))
				if n <= 0 {
					cookie.MaxAge = -1
				}
			}
		case "secure":
			ok = v.Type() == glua.LTBool
		case "http_only":
			cookie.HttpOnly, ok = glua.LVAsBool(v), v.Type() == glua.LTBool
		default:
			err = fmt.Errorf("unknown cookie option %q", k.String())
		}
		if !ok {
			err = fmt.Errorf("cookie option %q has the wrong type", k.String())
		}
	})
	return err
}

func serverSetBuffer(_ *call, l *glua.LState) int {
	for i := 1; i <= l.GetTop(); i++ {
		if _, err := integerArg(l, i); err != nil {
			return failed(l, err)
		}
	}
	return succeed(l, glua.LNil)
}

func serverRequireAuth(c *call, l *glua.LState) int {
	t := l.NewTable()
	set := func(pairs ...string) {
		for i := 0; i < len(pairs); i += 2 {
			t.RawSetString(pairs[i], glua.LString(pairs[i+1]))
		}
	}
	header := c.request.Header["authorization"]
	if len(header) == 0 {
		set("status", "NOAUTH")
		return succeed(l, t)
	}
	scheme, rest, _ := strings.Cut(header[0], " ")
	switch strings.ToLower(scheme) {
	case "basic":
		decoded, err := base64.StdEncoding.DecodeString(strings.TrimSpace(rest))
		user, password, found := strings.Cut(string(decoded), ":")
		if err != nil || !found {
			set("status", "ERROR", "message", "malformed basic credentials")
		} else {
			set("status", "BASIC", "username", user, "password", password)
		}
	case "bearer":
		set("status", "BEARER", "token", strings.TrimSpace(rest))
	}
	return succeed(l, t)
}

func serverCopyTmpfile(c *call, l *glua.LState) int {
	up, err := c.uploadArg(l, 1)
	if err != nil {
		return failed(l, err)
	}
	to, err := stringArg(l, 2)
	if err != nil {
		return failed(l, err)
	}
	return answer(l, glua.LNil, c.copyFile(l, up.TempName, to))
}

func serverSystime(_ *call, l *glua.LState) int {
	l.Push(glua.LNumber(time.Now().Unix()))
	return 1
}

func serverLog(c *call, l *glua.LState) int {
	text, err := stringArg(l, 1)
	if err != nil {
		return failed(l, err)
	}
	level := int64(4)
	if l.GetTop() > 1 {
		if level, err = integerArg(l, 2); err != nil {
			return failed(l, err)
		}
		if level < 0 || level >= int64(len(logLevels)) {
			return failed(l, fmt.Errorf("there is no log level %d", level))
		}
	}
	return answer(l, glua.LNil, c.log(int(level), text, nil))
}

// logMessage is the argument of the operation "log".
type logMessage struct {
	Level  int
	Text   string
	Fields map[string]any `json:",omitempty"`
}

// maxLogText bounds what one log line of a script holds, in bytes.
const maxLogText = 16 << 10

func (c *call) log(level int, text string, fields map[string]any) error {
	if len(text) > maxLogText {
		text = text[:maxLogText]
	}
	_, err := c.host.ask(opLog, logMessage{Level: level, Text: text, Fields: fields})
	return err
}
