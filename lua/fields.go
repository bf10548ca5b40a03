package lua

import (
	"net/http"
	"strings"

	glua "github.com/yuin/gopher-lua"
)

// serverFields are the fields of server that are no functions.
var serverFields = []field{
	{"server.method", "The request's method.", "same"},
	{"server.has_openssl", "true.", "same"},
	{"server.client_ip", "The client's address.", "same"},
	{"server.client_port", "0.", "same"},
	{"server.secure", "Whether the request came by HTTPS.", "different: always false in SIPI"},
	{"server.host", "The host asked for.", "same"},
	{"server.uri", "The path without the query, percent-encoded.", "same"},
	{"server.header", "The header fields under lower-case names; several values are joined by \", \".", "different: the last value in SIPI"},
	{"server.headers", "The header fields under lower-case names, each a list of its values.", ""},
	{"server.cookies", "The cookies by name.", "same"},
	{"server.get", "The query's parameters, if there are any; not in hooks.", "same"},
	{"server.post", "The form's fields, if there are any; not in hooks.", "same"},
	{"server.request", "get and post together; post wins.", "same"},
	{"server.uploads", "The files of a multipart request, from 1: `fieldname`, `origname`, `tmpname`, `mimetype`, `filesize`. They are deleted after the script.", "same"},
	{"server.content", "The body, if there is one that is no form.", "same"},
	{"server.content_type", "The body's media type.", "same"},
	{"server.docroot", "The document root, in its scripts.", "same"},
	{"server.loglevel", "LOG_DEBUG 0, LOG_INFO 1, LOG_NOTICE 2, LOG_WARNING 3, LOG_ERR 4, LOG_CRIT 5, LOG_ALERT 6, LOG_EMERG 7.", "same"},
}

// openServer sets the fields of server. Those of an absent part of the
// request are nil.
func (c *call) openServer(l *glua.LState) {
	s := l.GetGlobal("server").(*glua.LTable)
	r := c.request
	for name, v := range map[string]string{
		"method": r.Method, "client_ip": r.ClientIP, "host": r.Host, "uri": r.URI,
	} {
		s.RawSetString(name, glua.LString(v))
	}
	s.RawSetString("has_openssl", glua.LTrue)
	s.RawSetString("client_port", glua.LNumber(0))
	s.RawSetString("secure", glua.LBool(r.Secure))
	levels := l.CreateTable(0, 8)
	for i, level := range logLevels {
		levels.RawSetString(level.name, glua.LNumber(i))
	}
	s.RawSetString("loglevel", levels)
	c.openHeaders(l, s)
	if r.Docroot != "" {
		s.RawSetString("docroot", glua.LString(r.Docroot))
	}
	if len(c.content) > 0 {
		s.RawSetString("content", glua.LString(c.content))
		s.RawSetString("content_type", glua.LString(r.ContentType))
	}
	if len(r.Query) > 0 {
		s.RawSetString("get", pairTable(l, r.Query))
	}
	if len(r.Form) > 0 {
		s.RawSetString("post", pairTable(l, r.Form))
	}
	if len(r.Query)+len(r.Form) > 0 {
		s.RawSetString("request", pairTable(l, r.Query, r.Form))
	}
	if len(r.Uploads) > 0 {
		list := l.CreateTable(0, 8)
		for _, u := range r.Uploads {
			t := l.CreateTable(0, 8)
			t.RawSetString("fieldname", glua.LString(u.FieldName))
			t.RawSetString("origname", glua.LString(u.OrigName))
			t.RawSetString("tmpname", glua.LString(u.TempName))
			t.RawSetString("mimetype", glua.LString(u.MIMEType))
			t.RawSetString("filesize", glua.LNumber(u.Size))
			list.Append(t)
		}
		s.RawSetString("uploads", list)
	}
}

func (c *call) openHeaders(l *glua.LState, s *glua.LTable) {
	header, headers, cookies := l.CreateTable(0, 8), l.NewTable(), l.NewTable()
	for name, values := range c.request.Header {
		header.RawSetString(name, glua.LString(strings.Join(values, ", ")))
		list := l.CreateTable(0, 8)
		for _, v := range values {
			list.Append(glua.LString(v))
		}
		headers.RawSetString(name, list)
	}
	request := http.Request{Header: http.Header{"Cookie": c.request.Header["cookie"]}}
	for _, cookie := range request.Cookies() {
		cookies.RawSetString(cookie.Name, glua.LString(cookie.Value))
	}
	s.RawSetString("header", header)
	s.RawSetString("headers", headers)
	s.RawSetString("cookies", cookies)
}

// pairTable makes a table of pairs; the last of a name wins.
func pairTable(l *glua.LState, lists ...[]Pair) *glua.LTable {
	t := l.CreateTable(0, 8)
	for _, list := range lists {
		for _, p := range list {
			t.RawSetString(p.Name, glua.LString(p.Value))
		}
	}
	return t
}

// SIPIConfig is the table config of scripts. Paths are absolute.
type SIPIConfig struct {
	Hostname, ImageRoot, InitScript, CacheDir, ThumbSize, TempDir, ScriptDir string
	KnoraPath, KnoraPort, Docroot                                            string
	Port, SSLPort, JPEGQuality                                               int
	MaxTempFileAge, CacheBytes, CacheFiles, MaxPostSize                      int64
	PrefixAsPath                                                             bool
}

// values are the fields under their Lua names.
func (c SIPIConfig) values() map[string]glua.LValue {
	return map[string]glua.LValue{
		"hostname": glua.LString(c.Hostname), "port": glua.LNumber(c.Port), "sslport": glua.LNumber(c.SSLPort),
		"imgroot": glua.LString(c.ImageRoot), "max_temp_file_age": glua.LNumber(c.MaxTempFileAge),
		"prefix_as_path": glua.LBool(c.PrefixAsPath), "init_script": glua.LString(c.InitScript),
		"cache_dir": glua.LString(c.CacheDir), "cache_size": glua.LNumber(c.CacheBytes),
		"jpeg_quality": glua.LNumber(c.JPEGQuality), "thumb_size": glua.LString(c.ThumbSize),
		"cache_n_files": glua.LNumber(c.CacheFiles), "max_post_size": glua.LNumber(c.MaxPostSize),
		"tmpdir": glua.LString(c.TempDir), "scriptdir": glua.LString(c.ScriptDir),
		"knora_path": glua.LString(c.KnoraPath), "knora_port": glua.LString(c.KnoraPort),
		"docroot": glua.LString(c.Docroot),
	}
}

func (c SIPIConfig) table(l *glua.LState) *glua.LTable {
	t := l.CreateTable(0, 8)
	for name, v := range c.values() {
		t.RawSetString(name, v)
	}
	return t
}
