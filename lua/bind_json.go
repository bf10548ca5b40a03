package lua

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"sort"
	"time"

	"github.com/golang-jwt/jwt/v5"
	glua "github.com/yuin/gopher-lua"
)

var jsonBindings = []binding{
	{"server.table_to_json", "table", "Returns true and JSON, indented by three spaces. Whole-number keys make an array in their order, other keys an object; an empty table gives nil.", "different: members of objects are sorted by name", serverTableToJSON},
	{"server.json_to_table", "text", "Returns true and a table. Arrays begin at 0 and nulls vanish. The text must be an array or an object.", "same", serverJSONToTable},
	{"server.generate_jwt", "claims", "Returns true and a token signed with HS256 and the key `IIIFD_JWT_KEY`.", "same", serverGenerateJWT},
	{"server.decode_jwt", "token", "Checks a token signed with HS256; it must carry `exp`, with 60 s of leeway. Returns true and its claims.", "same", serverDecodeJWT},
}

// maxNesting bounds the depth of tables that are turned into JSON and back.
const maxNesting = 100

// jwtLeeway is how long after its exp a token is still taken.
const jwtLeeway = time.Minute

func serverTableToJSON(c *call, l *glua.LState) int {
	t, err := tableArg(l, 1)
	if err != nil {
		return failed(l, err)
	}
	v, err := c.toGo(l, t, 0)
	if err != nil {
		return failed(l, err)
	}
	if v == nil {
		return succeed(l, glua.LNil)
	}
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	e.SetIndent("", "   ")
	if err := e.Encode(v); err != nil {
		return failed(l, err)
	}
	return succeed(l, glua.LString(bytes.TrimRight(out.Bytes(), "\n")))
}

// toGo turns a Lua value into one that package json writes. An empty table
// becomes nil.
func (c *call) toGo(l *glua.LState, v glua.LValue, depth int) (any, error) {
	if depth > maxNesting {
		return nil, errors.New("table is nested too deeply or contains itself")
	}
	c.budget.poll(l)
	switch v := v.(type) {
	case glua.LString:
		return string(v), nil
	case glua.LBool:
		return bool(v), nil
	case glua.LNumber:
		if i, ok := toInteger(float64(v)); ok {
			return i, nil
		}
		if f := float64(v); !math.IsNaN(f) && !math.IsInf(f, 0) {
			return f, nil
		}
		return nil, errors.New("number is not finite")
	case *glua.LTable:
		return c.tableToGo(l, v, depth)
	}
	return nil, fmt.Errorf("a %s cannot be written as JSON", v.Type())
}

func (c *call) tableToGo(l *glua.LState, t *glua.LTable, depth int) (any, error) {
	object := map[string]any{}
	type element struct {
		at    float64
		value any
	}
	var list []element
	var err error
	t.ForEach(func(k, v glua.LValue) {
		if err != nil {
			return
		}
		var value any
		if value, err = c.toGo(l, v, depth+1); err != nil {
			return
		}
		switch k := k.(type) {
		case glua.LNumber:
			list = append(list, element{float64(k), value})
		case glua.LString:
			object[string(k)] = value
		default:
			err = fmt.Errorf("a %s cannot be a key in JSON", k.Type())
		}
	})
	switch {
	case err != nil:
		return nil, err
	case len(list) > 0 && len(object) > 0:
		return nil, errors.New("table has both numbers and strings as keys")
	case len(object) > 0:
		return object, nil
	case len(list) == 0:
		return nil, nil //nolint:nilnil // JSON null stands for an empty table
	}
	sort.SliceStable(list, func(i, j int) bool { return list[i].at < list[j].at })
	values := make([]any, len(list))
	for i, e := range list {
		values[i] = e.value
	}
	return values, nil
}

// toLua turns a decoded JSON value into a Lua value whose arrays begin at
// first.
func (c *call) toLua(l *glua.LState, v any, first int) glua.LValue {
	c.budget.poll(l)
	switch v := v.(type) {
	case string:
		return glua.LString(v)
	case bool:
		return glua.LBool(v)
	case float64:
		return glua.LNumber(v)
	case int64:
		return glua.LNumber(v)
	case []any:
		t := l.CreateTable(len(v), 1)
		for i, e := range v {
			if e != nil {
				t.RawSet(glua.LNumber(first+i), c.toLua(l, e, first))
			}
		}
		return t
	case map[string]any:
		t := l.NewTable()
		for _, k := range sortedKeys(v) {
			if v[k] != nil {
				t.RawSetString(k, c.toLua(l, v[k], first))
			}
		}
		return t
	}
	return glua.LNil
}

func sortedKeys(m map[string]any) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

func serverJSONToTable(c *call, l *glua.LState) int {
	text, err := stringArg(l, 1)
	if err != nil {
		return failed(l, err)
	}
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		return failed(l, err)
	}
	switch v.(type) {
	case []any, map[string]any:
		return succeed(l, c.toLua(l, v, 0))
	}
	return failed(l, errors.New("JSON text is neither an array nor an object"))
}

func (c *call) jwtKey() ([]byte, error) {
	if c.settings.JWTKey == "" {
		return nil, errors.New("no key for tokens is configured (IIIFD_JWT_KEY)")
	}
	return []byte(c.settings.JWTKey), nil
}

func serverGenerateJWT(c *call, l *glua.LState) int {
	t, err := tableArg(l, 1)
	if err != nil {
		return failed(l, err)
	}
	key, err := c.jwtKey()
	if err != nil {
		return failed(l, err)
	}
	v, err := c.toGo(l, t, 0)
	if err != nil {
		return failed(l, err)
	}
	claims, ok := v.(map[string]any)
	if !ok {
		return failed(l, errors.New("claims must be a table with names"))
	}
	token, err := jwt.NewWithClaims(jwt.SigningMethodHS256, jwt.MapClaims(claims)).SignedString(key)
	return answer(l, glua.LString(token), err)
}

func serverDecodeJWT(c *call, l *glua.LState) int {
	text, err := stringArg(l, 1)
	if err != nil {
		return failed(l, err)
	}
	key, err := c.jwtKey()
	if err != nil {
		return failed(l, err)
	}
	claims := jwt.MapClaims{}
	_, err = jwt.ParseWithClaims(text, claims, func(*jwt.Token) (any, error) { return key, nil },
		jwt.WithValidMethods([]string{jwt.SigningMethodHS256.Alg()}), jwt.WithExpirationRequired(), jwt.WithLeeway(jwtLeeway))
	if err != nil {
		return failed(l, err)
	}
	return succeed(l, c.toLua(l, map[string]any(claims), 0))
}
