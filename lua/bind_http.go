package lua

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	glua "github.com/yuin/gopher-lua"
)

var httpBindings = []binding{
	{"server.http", "method, url, [headers], [timeout_ms], [body]", "Makes a request by GET or POST. Returns true and a table: `status_code`, `body`, `duration` (ms), `header` (lower-case names). " +
		"The default time-out is 2000 ms, never more than what the call has left. Redirects are not followed, bodies are bounded by `IIIFD_LUA_HTTP_BODY`, and " +
		"loopback, private and other special addresses are refused unless `IIIFD_LUA_HTTP_ALLOW` names them.", "different: POST as well; addresses are restricted", serverHTTP},
}

// httpTimeout is the default time-out of a script's request.
const httpTimeout = 2 * time.Second

func serverHTTP(c *call, l *glua.LState) int {
	req, cancel, err := c.newHTTPRequest(l)
	if err != nil {
		return failed(l, err)
	}
	defer cancel()
	allow, err := parseNetworks(c.settings.HTTPAllow)
	if err != nil {
		return failed(l, err)
	}
	transport := &http.Transport{
		DialContext:            allow.dialer().DialContext,
		DisableKeepAlives:      true,
		MaxResponseHeaderBytes: 256 << 10,
	}
	client := &http.Client{
		Transport:     transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	start := time.Now()
	resp, err := client.Do(req)
	if err != nil {
		c.budget.poll(l)
		return failed(l, err)
	}
	defer resp.Body.Close()
	limit := min(c.settings.HTTPBody, c.settings.MemoryLimit/4)
	body, err := io.ReadAll(io.LimitReader(resp.Body, limit+1))
	if err == nil && int64(len(body)) > limit {
		err = fmt.Errorf("the answer is larger than %d bytes", limit)
	}
	if err != nil {
		c.budget.poll(l)
		return failed(l, err)
	}
	t, header := l.NewTable(), l.NewTable()
	for name, values := range resp.Header {
		header.RawSetString(strings.ToLower(name), glua.LString(strings.Join(values, ", ")))
	}
	t.RawSetString("status_code", glua.LNumber(resp.StatusCode))
	t.RawSetString("body", glua.LString(body))
	t.RawSetString("duration", glua.LNumber(time.Since(start).Milliseconds()))
	t.RawSetString("header", header)
	return succeed(l, t)
}

// newHTTPRequest reads the arguments of server.http: after method and URL a
// table of headers, a time-out and a body, each told from the others by its
// type.
func (c *call) newHTTPRequest(l *glua.LState) (*http.Request, context.CancelFunc, error) {
	method, err := stringArg(l, 1)
	if err != nil {
		return nil, nil, err
	}
	if method = strings.ToUpper(method); method != http.MethodGet && method != http.MethodPost {
		return nil, nil, errors.New("only GET and POST are supported")
	}
	url, err := stringArg(l, 2)
	if err != nil {
		return nil, nil, err
	}
	timeout := httpTimeout
	body := ""
	var headers *glua.LTable
	for i := 3; i <= l.GetTop(); i++ {
		switch v := l.Get(i).(type) {
		case *glua.LTable:
			headers = v
		case glua.LNumber:
			timeout = time.Duration(float64(v) * float64(time.Millisecond))
		case glua.LString:
			body = string(v)
		case *glua.LNilType:
		default:
			return nil, nil, fmt.Errorf("argument %d: table, number or string expected, got %s", i, typeName(l, i))
		}
	}
	if timeout <= 0 {
		return nil, nil, errors.New("the time-out must be positive")
	}
	ctx, cancel := context.WithTimeout(context.Background(), min(timeout, time.Until(c.budget.deadline)))
	req, err := http.NewRequestWithContext(ctx, method, url, strings.NewReader(body))
	if err == nil && req.URL.Scheme != "http" && req.URL.Scheme != "https" {
		err = errors.New("only http and https are supported")
	}
	if err != nil {
		cancel()
		return nil, nil, err
	}
	if v := c.request.Header["traceparent"]; len(v) > 0 {
		req.Header.Set("Traceparent", v[0])
	}
	if headers != nil {
		headers.ForEach(func(k, v glua.LValue) { req.Header.Set(k.String(), v.String()) })
	}
	return req, cancel, nil
}
