package lua

import (
	"path/filepath"
	"strings"
	"testing"
)

// keptCases call each function that is Lua's own; show is that of
// bindings_test.go.
var keptCases = map[string][2]string{
	"error":        {"show(pcall(error, {1}))", "false {1}"},
	"getmetatable": {"local m = {} show(getmetatable(setmetatable({}, m)) == m, getmetatable({}), getmetatable(setmetatable({}, {__metatable = 'no'})))", "true nil no"},
	"ipairs":       {"local s = '' for i, v in ipairs({'a', 'b', nil, 'c'}) do s = s .. i .. v end show(s)", "1a2b"},
	"next":         {"show(next({})) show(next({5}))", "nil|1 5"},
	"pcall":        {"show(pcall(function(a) return a + 1 end, 1)) show((pcall(function() local x = nil + 1 end)))", "true 2|false"},
	"rawequal":     {"local t = setmetatable({}, {__eq = function() return true end}) show(t == setmetatable({}, getmetatable(t)), rawequal(t, {}), rawequal(t, t))", "true false true"},
	"rawget":       {"show(rawget(setmetatable({}, {__index = {a = 1}}), 'a'))", "nil"},
	"rawset":       {"local t = setmetatable({}, {__newindex = function() end}) rawset(t, 'a', 1) show(t.a)", "1"},
	"select":       {"show(select('#', 1, nil, 3)) show(select(-1, 1, 2)) show(select(2, 1, 2, 3))", "3|2|2 3"},
	"tostring":     {"show(tostring(10 / 2), tostring(0.1), tostring(nil), tostring(2^53), tostring(1e100))", "5 0.1 nil 9007199254740992 1e+100"},
	"type":         {"show(type(1), type('a'), type({}), type(type), type(nil), type(true), type(config))", "number string table function nil boolean table"},
	"unpack":       {"show(unpack({1, 2}))", "1 2"},
	"table.insert": {"local t = {1, 3} table.insert(t, 2, 2) table.insert(t, 4) show(t)", "{1 2 3 4}"},
	"table.remove": {"local t = {1, 2, 3} show(table.remove(t, 1), table.remove(t), t, table.remove({}))", "1 3 {2} nil"},
	"table.sort":   {"local t = {3, 1, 2} table.sort(t) local u = {'b', 'a'} table.sort(u, function(x, y) return x > y end) show(t, u)", "{1 2 3} {b a}"},
	"math.abs":     {"show(math.abs(-2), math.abs(2.5))", "2 2.5"},
	"math.acos":    {"show(math.acos(1))", "0"},
	"math.asin":    {"show(math.asin(0))", "0"},
	"math.atan2":   {"show(math.atan2(0, 1))", "0"},
	"math.ceil":    {"show(math.ceil(1.2), math.ceil(-1.2))", "2 -1"},
	"math.cos":     {"show(math.cos(0))", "1"},
	"math.cosh":    {"show(math.cosh(0))", "1"},
	"math.deg":     {"show(math.deg(math.pi))", "180"},
	"math.exp":     {"show(math.exp(0))", "1"},
	"math.floor":   {"show(math.floor(1.8), math.floor(-1.2))", "1 -2"},
	"math.fmod":    {"show(math.fmod(7, 3), math.fmod(-7, 3))", "1 -1"},
	"math.frexp":   {"show(math.frexp(8))", "0.5 4"},
	"math.ldexp":   {"show(math.ldexp(0.5, 4))", "8"},
	"math.log10":   {"show(math.log10(1000))", "3"},
	"math.max":     {"show(math.max(1, 3, 2))", "3"},
	"math.min":     {"show(math.min(2, 1, 3))", "1"},
	"math.modf":    {"show(math.modf(3.25))", "3 0.25"},
	"math.pow":     {"show(math.pow(2, 10))", "1024"},
	"math.rad":     {"show(math.rad(180) == math.pi)", "true"},
	"math.sin":     {"show(math.sin(0))", "0"},
	"math.sinh":    {"show(math.sinh(0))", "0"},
	"math.sqrt":    {"show(math.sqrt(9))", "3"},
	"math.tan":     {"show(math.tan(0))", "0"},
	"math.tanh":    {"show(math.tanh(0))", "0"},
}

// fieldCases read each field in a POST with a query, a form, an upload, a
// cookie and a body.
var fieldCases = map[string][2]string{
	"_G":                       {"show(_G._G == _G, _G.server == server)", "true true"},
	"_VERSION":                 {"show(_VERSION)", "Lua 5.3"},
	"package.path":             {"show(package.path)", ""},
	"package.cpath":            {"show(package.cpath)", ""},
	"package.loaded":           {"show(package.loaded.string == string, package.loaded.io)", "true nil"},
	"package.preload":          {"show(next(package.preload))", "nil"},
	"math.maxinteger":          {"show(math.maxinteger)", "9007199254740992"},
	"math.mininteger":          {"show(math.mininteger)", "-9007199254740992"},
	"math.huge":                {"show(math.huge > 1e308, -math.huge < 0)", "true true"},
	"math.pi":                  {"show(math.pi)", "3.141592653589793"},
	"utf8.charpattern":         {"show(('äb'):match(utf8.charpattern))", "ä"},
	"server.method":            {"show(server.method)", "POST"},
	"server.has_openssl":       {"show(server.has_openssl)", "true"},
	"server.client_ip":         {"show(server.client_ip)", "192.0.2.7"},
	"server.client_port":       {"show(server.client_port)", "0"},
	"server.secure":            {"show(server.secure)", "true"},
	"server.host":              {"show(server.host)", "images.example.org"},
	"server.uri":               {"show(server.uri)", "/a%20b"},
	"server.header":            {"show(server.header['x-two'], server.header['X-Two'])", "1, 2 nil"},
	"server.headers":           {"show(server.headers['x-two'])", "{1 2}"},
	"server.cookies":           {"show(server.cookies)", "{Sid=7}"},
	"server.get":               {"show(server.get)", "{both=q q=1}"},
	"server.post":              {"show(server.post)", "{both=f f=2}"},
	"server.request":           {"show(server.request)", "{both=f f=2 q=1}"},
	"server.uploads":           {"show(server.uploads)", "{{fieldname=file filesize=5 mimetype=text/plain origname=a.txt tmpname=/tmp/x}}"},
	"server.content":           {"show(server.content)", "body"},
	"server.content_type":      {"show(server.content_type)", "text/plain"},
	"server.docroot":           {"show(server.docroot)", "/d"},
	"server.loglevel":          {"show(server.loglevel)", "{LOG_ALERT=6 LOG_CRIT=5 LOG_DEBUG=0 LOG_EMERG=7 LOG_ERR=4 LOG_INFO=1 LOG_NOTICE=2 LOG_WARNING=3}"},
	"config.hostname":          {"show(config.hostname)", "localhost"},
	"config.port":              {"show(config.port)", "8182"},
	"config.sslport":           {"show(config.sslport)", "8443"},
	"config.imgroot":           {"show(config.imgroot)", "ROOT"},
	"config.max_temp_file_age": {"show(config.max_temp_file_age)", "60"},
	"config.prefix_as_path":    {"show(config.prefix_as_path)", "true"},
	"config.init_script":       {"show(config.init_script)", "i.lua"},
	"config.cache_dir":         {"show(config.cache_dir)", "/c"},
	"config.cache_size":        {"show(config.cache_size)", "1000"},
	"config.cache_n_files":     {"show(config.cache_n_files)", "10"},
	"config.jpeg_quality":      {"show(config.jpeg_quality)", "80"},
	"config.thumb_size":        {"show(config.thumb_size)", "!128,128"},
	"config.max_post_size":     {"show(config.max_post_size)", "99"},
	"config.tmpdir":            {"show(server.fs.ftype(config.tmpdir))", "true DIRECTORY"},
	"config.scriptdir":         {"show(config.scriptdir)", "/s"},
	"config.knora_path":        {"show(config.knora_path)", "knora"},
	"config.knora_port":        {"show(config.knora_port)", "3333"},
	"config.docroot":           {"show(config.docroot)", "/d"},
}

// TestEveryFieldAndKeptFunction: none is missing above, and each does what
// docs/lua.md says.
func TestEveryFieldAndKeptFunction(t *testing.T) {
	b := newBench(t, nil, func(c *Config) {
		f := &c.Facts
		f.SSLPort, f.MaxTempFileAge, f.InitScript, f.CacheDir, f.CacheBytes, f.CacheFiles = 8443, 60, "i.lua", "/c", 1000, 10
		f.MaxPostSize, f.ScriptDir, f.KnoraPath, f.KnoraPort, f.Docroot = 99, "/s", "knora", "3333", "/d"
	})
	try := func(name string, c [2]string) {
		got := b.eval(showPrelude+c[0], &Request{
			Method: "POST", URI: "/a%20b", Host: "images.example.org", ClientIP: "192.0.2.7", Secure: true, Docroot: "/d",
			Header: map[string][]string{"x-two": {"1", "2"}, "cookie": {"Sid=7"}}, ContentType: "text/plain", Content: strings.NewReader("body"),
			Query: []Pair{{"q", "1"}, {"both", "q"}}, Form: []Pair{{"f", "2"}, {"both", "f"}},
			Uploads: []Upload{{FieldName: "file", OrigName: "a.txt", TempName: "/tmp/x", MIMEType: "text/plain", Size: 5}},
		})
		if got = strings.ReplaceAll(got, filepath.Clean(b.files), "ROOT"); got != c[1] {
			t.Errorf("%s: %s\ngot  %s\nwant %s", name, c[0], got, c[1])
		}
	}
	for _, name := range keptNames() {
		c, ok := keptCases[name]
		if !ok {
			t.Errorf("%s is called by no case", name)
			continue
		}
		try(name, c)
	}
	for _, f := range fields() {
		c, ok := fieldCases[f.name]
		if !ok {
			t.Errorf("%s is read by no case", f.name)
			continue
		}
		try(f.name, c)
	}
}

// TestAbsentNamesAreAbsent: what the comparison calls absent is nil.
func TestAbsentNamesAreAbsent(t *testing.T) {
	b := newBench(t, nil, nil)
	for name, why := range absent {
		if strings.Contains(why, "2^53") {
			continue // Values that differ.
		}
		if got := b.eval("local ok, v = pcall(function() return "+name+" end) server.print(ok and tostring(v) or 'nil')", nil); got != "nil" {
			t.Errorf("%s is %s", name, got)
		}
	}
}
