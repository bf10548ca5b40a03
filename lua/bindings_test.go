package lua

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// bindingCases has at least one call of every function of ours. show prints
// its arguments, separated by blanks, tables as {…}.
var bindingCases = []struct{ name, code, want string }{
	{"assert", "show(pcall(assert, false, 'why')) show(pcall(assert, nil, {1})) show(assert(1, 2))", "false why|false {1}|1 2"},
	{"pairs", "for k, v in pairs(setmetatable({}, {__pairs = function() return next, {a = 1}, nil end})) do show(k, v) end for k, v in pairs{5} do show(k, v) end", "a 1|1 5"},
	{"print", "print('to', 'log', 1) show(1)", "1"},
	{"rawlen", "show(rawlen{1, 2}, rawlen('abc'))", "2 3"},
	{"require", "show(require 'module', package.loaded.module)", "9 9"},
	{"tonumber", "show(tonumber('0x10'), tonumber(' 10 '), tonumber('010'), tonumber('z', 36), tonumber('1e1'), tonumber('-0x1p4'), tonumber('1_0'), tonumber(''), tonumber('nan'))", "16 10 10 35 10 -16 nil nil nil"},
	{"xpcall", "show(xpcall(function(a, b) return a + b end, print, 1, 2)) show(xpcall(error, function(e) return 'got ' .. e end, 'x'))", "true 3|false got eval.lua:9: x"},
	{"//", "show(7 // 2, -7 // 2, 7.5 // 2, 1 // 0)", "3 -4 3 +Inf"},
	{"&", "show(6 & 3, '5' & 4, pcall(function() return 1.5 & 1 end))", "2 4 false eval.lua:9: number has no integer representation"},
	{"|", "show(6 | 3)", "7"},
	{"~", "show(6 ~ 3)", "5"},
	{"<<", "show(1 << 4, 1 << 64, setmetatable({}, {__shl = function(_, b) return 'm' .. b end}) << 'x')", "16 0 mx"},
	{">>", "show(256 >> 4, -1 >> 63, 1 >> -1)", "16 1 2"},
	{"~x", "show(~0, ~5, pcall(function() return ~{} end))", "-1 -6 false eval.lua:9: attempt to perform bitwise operation on a table value"},
	{"string.byte", "show(('abc'):byte(), ('abc'):byte(2, 3), ('abc'):byte(-1)) show(('abc'):byte(10))", "97 98 99|"},
	{"string.char", "show(string.char(72, 105), pcall(string.char, 256))", "Hi false eval.lua:9: bad argument #1 to 'char' (value out of range)"},
	{"string.find", "show(('hello'):find('l+')) show(('a.b'):find('.', 1, true)) show(('hello'):find('(h)(e)')) show(('x'):find('', 2)) show(('x'):find('', 3)) show(('a+b'):find('+', 1, true))", "3 4|2 2|1 2 h e|2 1|nil|2 2"},
	{"string.format", "show(string.format('%5d|%-5s|%05.1f|%x|%q|%g|%c|%%|%s|%i|%.3s|%5.1s|', 42, 'ab', 3.14159, 255, 'a\\n\"', 1e20, 65, {} ~= nil, 7, 'abcdef', 'xyz'))", "   42|ab   |003.1|ff|\"a\\\n\\\"\"|1e+20|A|%|true|7|abc|    x|"},
	{"string.gmatch", "for k, v in ('a=1, b=2'):gmatch('(%w+)=(%w+)') do show(k, v) end for w in ('ab'):gmatch('') do show('-') end", "a 1|b 2|-|-|-"},
	{"string.gsub", "show(('hello'):gsub('l', 'L', 1)) show(('abc'):gsub('%w', '%0%0')) show(('abc'):gsub('', '-')) show(('$a'):gsub('%$(%w)', {a = 'x'})) show(('abc'):gsub('b', function() end)) show(('abc'):gsub('^a', 'x'))", "heLlo 1|aabbcc 3|-a-b-c- 4|x 1|abc 1|xbc 1"},
	{"string.len", "show(('äb'):len())", "3"},
	{"string.lower", "show(('ÄB\\xff'):lower() == 'Äb\\xff')", "true"},
	{"string.match", "show(('2026-08'):match('(%d+)-(%d+)')) show(('x'):match('y')) show(('key'):match('^%w+$'))", "2026 08|nil|key"},
	{"string.rep", "show(('ab'):rep(3), ('a'):rep(3, ','), ('a'):rep(0), ('a'):rep(-1))", "ababab a,a,a  "},
	{"string.reverse", "show(('abc'):reverse())", "cba"},
	{"string.sub", "show(('hello'):sub(2, -2), ('hello'):sub(-3), ('hello'):sub(4, 2), ('hello'):sub(0), ('hello'):sub(-100, 2))", "ell llo  hello he"},
	{"string.upper", "show(('aä'):upper() == 'Aä')", "true"},
	{"table.concat", "show(table.concat({1, 2, 'x'}, '-'), table.concat({1, 2, 3}, ',', 2), pcall(table.concat, {{}}))", "1-2-x 2,3 false eval.lua:9: invalid value (at index 1) in table for 'concat'"},
	{"table.move", "show(table.move({1, 2, 3}, 1, 3, 2), table.move({1, 2}, 1, 2, 3, {}))", "{1 1 2 3} {[3]=1 [4]=2}"},
	{"table.pack", "show(table.pack(1, nil, 3).n)", "3"},
	{"table.unpack", "show(table.unpack({1, 2, 3}, 2)) show(pcall(table.unpack, {}, 1, 1e9))", "2 3|false eval.lua:9: too many results to unpack"},
	{"math.log", "show(math.log(8, 2), math.log(100, 10), math.floor(math.log(math.exp(3)) + .5))", "3 2 3"},
	{"math.random", "for i = 1, 100 do local r = math.random(3) assert(r >= 1 and r <= 3) assert(math.random() < 1) assert(math.random(5, 6) >= 5) end show(pcall(math.random, 0))", "false eval.lua:9: bad argument to 'random' (interval is empty or too large)"},
	{"math.randomseed", "math.randomseed(7) local a = math.random(1e9) math.randomseed(7) show(a == math.random(1e9))", "true"},
	{"math.tointeger", "show(math.tointeger(3.0), math.tointeger(3.5), math.tointeger('3'))", "3 nil nil"},
	{"math.type", "show(math.type(1), math.type(1.5), math.type('1'))", "integer float nil"},
	{"math.ult", "show(math.ult(1, 2), math.ult(1, -1))", "true true"},
	{"utf8.char", "show(utf8.char(72, 228, 8364))", "Hä€"},
	{"utf8.codepoint", "show(utf8.codepoint('ä€', 1, -1))", "228 8364"},
	{"utf8.codes", "for p, c in utf8.codes('aä') do show(p, c) end show(pcall(function() for _ in utf8.codes('\\xff') do end end))", "1 97|2 228|false eval.lua:9: invalid UTF-8 code"},
	{"utf8.len", "show(utf8.len('aä€'), utf8.len('a\\xffb')) show(utf8.len('äb', 3))", "3 nil 2|1"},
	{"utf8.offset", "show(utf8.offset('aä€b', 3), utf8.offset('aä€b', -1), utf8.offset('aä€b', 9), utf8.offset('aä', 0, 3))", "4 7 nil 2"},
	{"bit32.band", "show(bit32.band(0xFF, 0x0F))", "15"},
	{"bit32.bor", "show(bit32.bor(1, 2, 4))", "7"},
	{"bit32.bxor", "show(bit32.bxor(7, 2))", "5"},
	{"bit32.bnot", "show(bit32.bnot(0))", "4294967295"},
	{"bit32.lshift", "show(bit32.lshift(1, 31), bit32.lshift(1, 32))", "2147483648 0"},
	{"bit32.rshift", "show(bit32.rshift(0x80000000, 31))", "1"},
	{"os.clock", "show(os.clock() >= 0)", "true"},
	{"os.date", "show(os.date('!%Y-%m-%d %H:%M:%S %j', 86400), os.date('!*t', 0).year, pcall(os.date, '%Q'))", "1970-01-02 00:00:00 002 1970 false eval.lua:9: bad argument #1 to 'date' (invalid conversion specifier '%Q')"},
	{"os.getenv", "show(os.getenv('LUA_TEST_VISIBLE'), os.getenv('PATH'))", "seen nil"},
	{"server.print", "show(server.print('', {}, true))", "true nil"},
	{"server.sendStatus", "show(select('#', server.sendStatus(202)))", "0"},
	{"server.sendHeader", "show(server.sendHeader('X-A', 1)) show(server.sendHeader('X A', '1')) show(server.sendHeader('X-B', 'a\\r\\nX-C: d')) show(server.sendHeader('X-A'))", `true nil|false "X A" is not a valid header field|false "X-B" is not a valid header field|false sendHeader takes a name and a value`},
	{"server.sendCookie", "show(server.sendCookie('a', 'b', {path = '/', expires = 60, http_only = true})) show(server.sendCookie('a', 'b', {colour = 'x'})) show(server.sendCookie('a b', 'c'))", `true nil|false unknown cookie option "colour"|false http: invalid Cookie.Name`},
	{"server.setBuffer", "show(server.setBuffer(1, 2), server.setBuffer('x'))", "true false argument 1: integer expected, got string"},
	{"server.requireAuth", "local _, a = server.requireAuth() show(a.status, a.username, a.password)", "BASIC me secret"},
	{"server.copyTmpfile", "show(server.copyTmpfile(1, ROOT .. '/copied')) show(server.fs.exists(ROOT .. '/copied')) show(server.copyTmpfile(2, ROOT .. '/x'))", "true nil|true true|false there is no upload 2"},
	{"server.systime", "show(math.type(server.systime()), server.systime() > 1.7e9)", "integer true"},
	{"server.log", "show(server.log('note', server.loglevel.LOG_INFO), server.log('x', 'y'))", "true false argument 2: integer expected, got string"},
	{
		"server.http", "local ok, r = server.http('GET', URL .. '/hello', {['X-In'] = 'v'}, 5000) show(ok, r.status_code, r.body, r.header['x-out'], r.duration >= 0) ok, r = server.http('POST', URL .. '/post', 'data') show(r.body) show(server.http('GET', URL .. '/redirect', {}, 5000)) show(server.http('PUT', URL)) show(server.http('GET', 'file:///etc/passwd'))",
		"true 200 GET v  h true|POST  data|true {body= duration=0 header={content-length=0} status_code=302}|false only GET and POST are supported|false only http and https are supported",
	},
	{
		"server.table_to_json", "show(server.table_to_json{a = {1, 2.5, 'x'}, b = true, c = {}}) show(server.table_to_json{}) show(server.table_to_json{1, a = 2}) show(server.table_to_json{[0] = 'z', 'o'}) local t = {} t.t = t show(server.table_to_json(t))",
		"true {\n   \"a\": [\n      1,\n      2.5,\n      \"x\"\n   ],\n   \"b\": true,\n   \"c\": null\n}|true nil|false table has both numbers and strings as keys|true [\n   \"z\",\n   \"o\"\n]|false table is nested too deeply or contains itself",
	},
	{"server.json_to_table", `local _, t = server.json_to_table('{"a":[1,null,"x"],"b":null}') show(t.a[0], t.a[1], t.a[2], t.b) show(server.json_to_table('3')) show((server.json_to_table('{')))`, "1 nil x nil|false JSON text is neither an array nor an object|false"},
	{"server.generate_jwt", "local ok, t = server.generate_jwt{sub = 'x', exp = server.systime() + 10} show(ok, #t > 20) show(server.generate_jwt('x'))", "true true|false argument 1: table expected, got string"},
	{"server.decode_jwt", "local _, t = server.generate_jwt{sub = 'x', exp = server.systime() + 10} local _, c = server.decode_jwt(t) show(c.sub) local _, old = server.generate_jwt{exp = server.systime() - 100} show((server.decode_jwt(old))) local _, none = server.generate_jwt{sub = 'y'} show((server.decode_jwt(none))) show((server.decode_jwt('eyJhbGciOiJub25lIn0.eyJleHAiOjk5OTk5OTk5OTl9.')))", "x|false|false|false"},
	{"setmetatable", "local p = setmetatable({}, {__metatable = 1}) show(setmetatable({}, {__index = function(_, k) return k .. '!' end}).x, pcall(setmetatable, 1, {})) show(pcall(setmetatable, p, {})) show(pcall(setmetatable, 'x', {}), getmetatable(setmetatable(setmetatable({}, {}), nil)))", "x! false eval.lua:9: bad argument #1 to (anonymous) (table expected, got number)|false eval.lua:9: cannot change a protected metatable|false nil"},
	{"math.atan", "show(math.atan(0), math.atan(1, -1) == 3 * math.pi / 4, math.atan(1) == math.pi / 4)", "0 true true"},
	{"server.uuid", "local _, u = server.uuid() show(#u, u:sub(15, 15))", "36 4"},
	{"server.uuid62", "local _, u = server.uuid62() show(u:find('^%w+%-%w+$') ~= nil)", "true"},
	{"server.uuid_to_base62", "show(server.uuid_to_base62('f81d4fae-7dec-11d0-a765-00a0c91e6bf6')) show(server.uuid_to_base62('x'))", "true LIhsBrTE21A-EN2J2swqbwM|false not a UUID"},
	{"server.base62_to_uuid", "show(server.base62_to_uuid('LIhsBrTE21A-EN2J2swqbwM')) show(server.base62_to_uuid('a'))", "true f81d4fae-7dec-11d0-a765-00a0c91e6bf6|false not a UUID in base 62"},
	{"server.parse_mimetype", "show(server.parse_mimetype('Text/HTML; charset=\"UTF-8\"'), server.parse_mimetype('x'))", "true false not a media type"},
	{"server.file_mimetype", "local _, m = server.file_mimetype(ROOT .. '/a.tif') show(m.mimetype, m.charset) _, m = server.file_mimetype(1) show(m.mimetype, m.charset)", "image/tiff nil|text/plain utf-8"},
	{"server.file_mimeconsistency", "show(server.file_mimeconsistency(ROOT .. '/a.tif')) show(server.file_mimeconsistency(ROOT .. '/wrong.jpg')) show(server.file_mimeconsistency(1))", "true true|true false|true true"},
	{"server.fs.ftype", "show(server.fs.ftype(ROOT)) show(server.fs.ftype(ROOT .. '/a.tif')) show(server.fs.ftype(ROOT .. '/none'))", "true DIRECTORY|true FILE|false no such file or directory"},
	{"server.fs.modtime", "local ok, t = server.fs.modtime(ROOT) show(ok, t > 1.7e9)", "true true"},
	{"server.fs.readdir", "show(server.fs.readdir(ROOT .. '/dir'))", "true {one two}"},
	{"server.fs.is_readable", "show(server.fs.is_readable(ROOT), server.fs.is_readable(ROOT .. '/none'))", "true true false"},
	{"server.fs.is_writeable", "show(server.fs.is_writeable(ROOT))", "true true"},
	{"server.fs.is_executable", "show(server.fs.is_executable(ROOT .. '/a.tif'))", "true false"},
	{"server.fs.exists", "show(server.fs.exists(ROOT .. '/a.tif'), server.fs.exists(ROOT .. '/none'))", "true true false"},
	{"server.fs.unlink", "show(server.fs.copyFile(ROOT .. '/a.tif', ROOT .. '/b')) show(server.fs.unlink(ROOT .. '/b')) show(server.fs.unlink(ROOT .. '/dir'))", "true nil|true nil|false is a directory"},
	{"server.fs.mkdir", "show(server.fs.mkdir(ROOT .. '/new', 511)) show(server.fs.mkdir(ROOT .. '/new'))", "true nil|false argument 2: integer expected, got no value"},
	{"server.fs.rmdir", "show(server.fs.rmdir(ROOT .. '/new')) show(server.fs.rmdir(ROOT .. '/a.tif'))", "true nil|false is not a directory"},
	{"server.fs.getcwd", "local ok, d = server.fs.getcwd() show(ok, #d > 1)", "true true"},
	{"server.fs.copyFile", "show(server.fs.copyFile(ROOT .. '/a.tif', ROOT .. '/dir/three')) show(server.fs.copyFile(ROOT .. '/dir', ROOT .. '/x'))", "true nil|false not a regular file"},
	{"server.fs.moveFile", "show(server.fs.moveFile(ROOT .. '/dir/three', ROOT .. '/three')) show(server.fs.exists(ROOT .. '/dir/three')) show(server.fs.moveFile(1, ROOT .. '/up')) show(server.fs.exists(ROOT .. '/up'))", "true nil|true false|true nil|true true"},
	{"helper.filename_hash", "show(helper.filename_hash('a/b.tif'))", "true b.tif"},
	{
		"SipiImage.new", "local ok, i = SipiImage.new(ROOT .. '/a.tif', {region = '0,0,100,50', size = '!20,10', hash = 'md5'}) show(ok, tostring(i)) show(SipiImage.new(ROOT .. '/none')) show(SipiImage.new(ROOT .. '/a.tif', {x = 1})) show(SipiImage.new(1))",
		"true SipiImage(a.tif, 20 x 10)|false no such file or directory|false unknown option \"x\"|true SipiImage(UPLOAD, 400 x 300)",
	},
	{"SipiImage.dims", "show(SipiImage.dims(ROOT .. '/a.tif'))", "true {nx=400 ny=300 orientation=1}"},
	{"SipiImage:dims", "local _, i = SipiImage.new(ROOT .. '/a.tif') show(i:dims())", "true {nx=400 ny=300 orientation=1}"},
	{"SipiImage:exif", "local _, i = SipiImage.new(ROOT .. '/a.tif') show(i:exif('Orientation')) show(i:exif('Nonsense')) show(i:exif('Make')) _, i = SipiImage.new(ROOT .. '/wrong.jpg') show(i:exif('Make'))", "true 6|false Unrecognized EXIF-Tag|false requested exif tag not available|false no exif data available"},
	{"SipiImage:gps", "local _, i = SipiImage.new(ROOT .. '/a.tif') show(i:gps())", "false no exif data available"},
	{"SipiImage:crop", "local _, i = SipiImage.new(ROOT .. '/a.tif') show(i:crop('0,0,10,20')) show(i:crop('nonsense')) local _, d = i:dims() show(d.nx, d.ny)", "true nil|false region \"nonsense\" is not valid|10 20"},
	{"SipiImage:scale", "local _, i = SipiImage.new(ROOT .. '/a.tif') show(i:scale('100,75'))", "true nil"},
	{"SipiImage:rotate", "local _, i = SipiImage.new(ROOT .. '/a.tif') show(i:rotate(-270, true)) show(i:rotate('90')) local _, d = i:dims() show(d.nx)", "true nil|false the angle must be a number|300"},
	{"SipiImage:topleft", "local _, i = SipiImage.new(ROOT .. '/a.tif') show(i:topleft())", "true"},
	{"SipiImage:watermark", "local _, i = SipiImage.new(ROOT .. '/a.tif') show(i:watermark(ROOT .. '/a.tif')) show(i:watermark('/etc/passwd'))", "true nil|false path is outside the permitted directories"},
	{"SipiImage:mimetype_consistency", "local _, i = SipiImage.new(ROOT .. '/a.tif') show(i:mimetype_consistency('image/tiff', 'x.tif'), i:mimetype_consistency('image/jpeg', 'x.tif'))", "true true false"},
	{
		"SipiImage:write", "local _, i = SipiImage.new(ROOT .. '/a.tif') show(i:write(ROOT .. '/out.jp2', {Clayers = '6', Corder = 'RPCL'})) show(pcall(i.write, i, ROOT .. '/out.bmp')) show(pcall(i.write, i, ROOT .. '/out.tif', {nonsense = 'x'})) show(i:write('/etc/out.tif')) show(i:write(ROOT .. '/out.jp2', {quality = 1}))",
		"true ROOT/out.jp2|false eval.lua:9: unsupported file extension \"bmp\"|false eval.lua:9: unknown parameter \"nonsense\"|false path is outside the permitted directories|false parameter quality: names and values must be strings",
	},
	{"SipiImage:send", "local _, i = SipiImage.new(ROOT .. '/a.tif') show(i:send('jpg')) show(pcall(i.send, i, 'bmp'))", "jpg 400x300true nil|false eval.lua:9: unsupported format \"bmp\""},
	{
		"sqlite", "local db = sqlite(ROOT .. '/db', 'CRW') local q = db << 'create table t (a integer, b text, c blob, d real)' q() q = ~q q = db << 'insert into t values (?, ?, ?, ?)' q(1, 'x', 'a\\0b', 1.5) q(2, nil, nil, nil) q =~ q q = db << 'select * from t order by a' local r = q() show(r[0], r[1], #r[2], r[3]) r = q() show(r[0], r[1]) show(q()) q = ~q q = db << 'select b from t where a = ?' show(q(1)[0], q(2)[0], q(1)[0]) show(pcall(function() return db << 'nonsense' end)) db:close() show(pcall(function() return db << 'select 1' end))",
		"1 x 3 1.5|2 nil|nil|x nil x|false eval.lua:9: sqlite: SQL logic error: near \"nonsense\": syntax error (1)|false eval.lua:9: sqlite: the database is closed",
	},
	{"sqlite.db:query", "local db = sqlite(ROOT .. '/db', 'RO') local q = db:query('select count(*) from t') show(q()[0]) show(pcall(db.query, db, 'delete from'))", "2|false eval.lua:9: sqlite: SQL logic error: incomplete input (1)"},
	{"sqlite.query:row", "local db = sqlite(ROOT .. '/db') show((db << 'select ?, ?'):row(1, true))", "{[0]=1 1}"},
	{"sqlite.query:close", "local db = sqlite(ROOT .. '/db') local q = db << 'select 1' q:close() show(pcall(q))", "false eval.lua:9: sqlite: the query is closed"},
	{"sqlite.db:close", "local db = sqlite(ROOT .. '/db') db:close() show(pcall(db.query, db, 'select 1'))", "false eval.lua:9: sqlite: the database is closed"},
	{"iiifd.estimate", "show(iiifd.estimate(ROOT .. '/a.tif', 'full/max/0/default.jpg'))", "true {height=256 lane=tile peak_bytes=23068672 width=256}"},
	{"iiifd.admission", "show(iiifd.admission())", "true {lanes={tile full} mode=advanced}"},
	{"iiifd.purge", "show(iiifd.purge('a.tif'))", "true 3"},
	{"iiifd.log", "show(iiifd.log('warn', 'careful', {image = 'x', n = 1})) show(iiifd.log('loud', 'x'))", "true nil|false \"loud\" is not a log level"},
	{"iiifd.limits", "local t = iiifd.limits() show(t.memory, t.milliseconds > 0, t.instructions)", "67108864 true nil"},
}

// showPrelude takes eight lines, so that the code of a case is line 9.
const showPrelude = `local function text(v)
if type(v) ~= 'table' then return tostring(v) end
local keys, out = {}, {} for k in pairs(v) do keys[#keys + 1] = k end
table.sort(keys, function(a, b) if type(a) == type(b) then return a < b end return type(a) == 'number' end)
for i, k in ipairs(keys) do out[i] = (k == i or (keys[1] == 0 and k == i - 1 and k > 0)) and text(v[k]) or (type(k) == 'number' and '[' .. k .. ']' or k) .. '=' .. text(v[k]) end
return '{' .. table.concat(out, ' ') .. '}' end
local first = true local function show(...) local t = table.pack(...) for i = 1, t.n do t[i] = text(t[i]) end
server.print(first and '' or '|', table.concat(t, ' ')) first = false end
`

// tookMilliseconds are those that a request took, on a busy machine more than 0.
var tookMilliseconds = regexp.MustCompile(`duration=[0-9]+`)

func TestBindings(t *testing.T) {
	t.Setenv("LUA_TEST_VISIBLE", "seen")
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/redirect" {
			w.Header()["Date"] = nil
			w.WriteHeader(http.StatusFound)
			return
		}
		buf := make([]byte, 100)
		n, _ := r.Body.Read(buf)
		w.Header().Set("X-Out", "h")
		_, _ = w.Write([]byte(r.Method + " " + r.Header.Get("X-In") + " " + string(buf[:n])))
	}))
	defer srv.Close()
	tif := "II*\x00\x08\x00\x00\x00\x01\x00\x12\x01\x03\x00\x01\x00\x00\x00\x06\x00\x00\x00\x00\x00\x00\x00"
	b := newBench(t, map[string]string{"module.lua": "return 9", "a.tif": tif, "wrong.jpg": strings.Repeat("text ", 40), "dir/one": "", "dir/two": "", "dir/.hidden": ""}, func(c *Config) {
		c.Env = []string{"LUA_TEST_VISIBLE"}
		c.HTTPAllow = []string{"127.0.0.1"}
	})
	upload := filepath.Join(t.TempDir(), "UPLOAD")
	called := map[string]bool{}
	for _, c := range bindingCases {
		called[c.name] = true
		if err := os.WriteFile(upload, []byte("some text"), 0o644); err != nil {
			t.Fatal(err)
		}
		req := &Request{Header: map[string][]string{"authorization": {"Basic bWU6c2VjcmV0"}}, Uploads: []Upload{{TempName: upload, OrigName: "t.txt", MIMEType: "text/plain"}}}
		code := strings.NewReplacer("ROOT", "config.imgroot", "URL", luaString(srv.URL)).Replace(c.code)
		got := b.eval(showPrelude+code, req)
		got = tookMilliseconds.ReplaceAllString(strings.ReplaceAll(got, b.files, "ROOT"), "duration=0")
		if got != c.want {
			t.Errorf("%s\n%s\ngot  %s\nwant %s", c.name, c.code, got, c.want)
		}
	}
	for _, table := range functionTables() {
		for _, f := range table.bindings {
			if !called[f.name] {
				t.Errorf("%s is not called by any case", f.name)
			}
		}
	}
	for _, want := range []string{"to\\tlog\\t1", "text=note", "careful fields.image=x fields.n=1"} {
		if !strings.Contains(b.log(), want) {
			t.Errorf("log lacks %q:\n%s", want, b.log())
		}
	}
}
