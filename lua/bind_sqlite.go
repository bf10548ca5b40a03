package lua

import (
	"context"
	"database/sql"
	"fmt"
	"net/url"
	"strings"
	"time"

	glua "github.com/yuin/gopher-lua"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

var sqliteBindings = []binding{
	{"sqlite", "path, [mode]", "Opens a database: mode \"RO\", \"RW\" (default) or \"CRW\", which creates it. `q = db << \"SQL\"` prepares, `row = q(binds...)` runs and returns the first row, `q()` the next one or nil; " +
		"columns begin at 0; `q = ~q` and `db = ~db` close. Errors are raised. ATTACH is not available, nor are pragmas of the whole process.", "different: only below the permitted directories; no ATTACH", sqliteOpen},
	{"sqlite.db:query", "sql", "What `db << sql` does.", "", sqliteQuery},
	{"sqlite.db:close", "", "What `~db` does.", "", sqliteCloseDB},
	{"sqlite.query:row", "...", "What calling the query does.", "", sqliteRow},
	{"sqlite.query:close", "", "What `~q` does.", "", sqliteCloseQuery},
}

// processPragmas set what holds for the whole process: the next call would
// find it so, and temporary files would lie outside of the permitted
// directories. No other statement has a use for these words.
var processPragmas = []string{"hard_heap_limit", "soft_heap_limit", "temp_store_directory", "data_store_directory"}

// database is an open database of a script.
type database struct {
	db   *sql.DB
	conn *sql.Conn
	open []*statement
}

// close ends the statements first: closing a connection waits for its rows.
func (d *database) close() {
	for _, s := range d.open {
		s.close()
	}
	if d.conn != nil {
		_ = d.conn.Close()
		d.conn = nil
	}
	_ = d.db.Close()
}

// statement is a query with the rows of its last run.
type statement struct {
	db    *database
	text  string
	binds []any
	rows  *sql.Rows
}

// sqliteContext ends with the call's deadline.
func (c *call) sqliteContext() context.Context {
	if c.context == nil {
		ctx, cancel := context.WithDeadline(context.Background(), c.budget.deadline)
		c.context = ctx
		c.closers = append(c.closers, cancel)
	}
	return c.context
}

func sqliteOpen(c *call, l *glua.LState) int {
	path := l.CheckString(1)
	mode := "rw"
	switch l.OptString(2, "RW") {
	case "RO":
		mode = "ro"
	case "CRW":
		mode = "rwc"
	}
	real, err := c.jail.path(path, mode == "rwc")
	if err != nil {
		l.RaiseError("sqlite: %s", message(err))
	}
	name := url.URL{Scheme: "file", Path: real, RawQuery: url.Values{
		"mode": {mode},
		"_pragma": {
			fmt.Sprintf("busy_timeout(%d)", max(1, c.budget.remaining().Milliseconds())),
			fmt.Sprintf("hard_heap_limit(%d)", c.budget.allowance),
			"trusted_schema(0)",
		},
	}.Encode()}
	db, err := sql.Open("sqlite", name.String())
	if err != nil {
		l.RaiseError("sqlite: %s", err.Error())
	}
	d := &database{db: db}
	ctx := c.sqliteContext()
	c.closers = append(c.closers, d.close)
	conn, err := db.Conn(ctx)
	if err == nil {
		d.conn = conn
		_, err = sqlite.Limit(conn, sqlite3.SQLITE_LIMIT_ATTACHED, 0)
	}
	if err != nil {
		l.RaiseError("sqlite: %s", err.Error())
	}
	ud := l.NewUserData()
	ud.Value = d
	ud.Metatable = c.operators(l, "sqlite.db", map[string]func(*call, *glua.LState) int{"__shl": sqliteQuery, "__bnot": sqliteCloseDB})
	l.Push(ud)
	return 1
}

// operators makes the metatable of a type with methods and operators.
func (c *call) operators(l *glua.LState, typeName string, ops map[string]func(*call, *glua.LState) int) *glua.LTable {
	mt := l.NewTable()
	mt.RawSetString("__index", c.methods(l, typeName))
	mt.RawSetString("__metatable", glua.LFalse)
	for name, fn := range ops {
		mt.RawSetString(name, c.function(l, fn))
	}
	return mt
}

func sqliteDB(l *glua.LState) *database {
	if ud, ok := l.Get(1).(*glua.LUserData); ok {
		if db, ok := ud.Value.(*database); ok {
			if db.conn == nil {
				l.RaiseError("sqlite: the database is closed")
			}
			return db
		}
	}
	l.RaiseError("sqlite: a database expected")
	return nil
}

func sqliteStatement(l *glua.LState) *statement {
	if ud, ok := l.Get(1).(*glua.LUserData); ok {
		if s, ok := ud.Value.(*statement); ok {
			if s.db == nil || s.db.conn == nil {
				l.RaiseError("sqlite: the query is closed")
			}
			return s
		}
	}
	l.RaiseError("sqlite: a query expected")
	return nil
}

// sqliteQuery prepares a statement, so that errors in it show at once.
func sqliteQuery(c *call, l *glua.LState) int {
	db := sqliteDB(l)
	text := l.CheckString(2)
	for _, name := range processPragmas {
		if strings.Contains(strings.ToLower(text), name) {
			l.RaiseError("sqlite: PRAGMA %s is not available", name)
		}
	}
	prepared, err := db.conn.PrepareContext(c.sqliteContext(), text)
	if err != nil {
		l.RaiseError("sqlite: %s", err.Error())
	}
	_ = prepared.Close()
	ud := l.NewUserData()
	s := &statement{db: db, text: text}
	db.open = append(db.open, s)
	ud.Value = s
	ud.Metatable = c.operators(l, "sqlite.query", map[string]func(*call, *glua.LState) int{"__call": sqliteRow, "__bnot": sqliteCloseQuery})
	l.Push(ud)
	return 1
}

func (s *statement) close() {
	if s.rows != nil {
		_ = s.rows.Close()
		s.rows = nil
	}
}

func sqliteCloseDB(_ *call, l *glua.LState) int {
	sqliteDB(l).close()
	return 0
}

func sqliteCloseQuery(_ *call, l *glua.LState) int {
	s := sqliteStatement(l)
	s.close()
	s.db = nil
	return 0
}

// bind turns a Lua value into one that SQLite stores.
func bind(v glua.LValue) (any, error) {
	switch v := v.(type) {
	case *glua.LNilType:
		return nil, nil //nolint:nilnil // NULL
	case glua.LBool:
		return bool(v), nil
	case glua.LNumber:
		if i, ok := toInteger(float64(v)); ok {
			return i, nil
		}
		return float64(v), nil
	case glua.LString:
		if strings.IndexByte(string(v), 0) >= 0 {
			return []byte(v), nil
		}
		return string(v), nil
	}
	return nil, fmt.Errorf("a %s cannot be bound", v.Type())
}

// sqliteRow returns the next row; arguments start the statement anew.
func sqliteRow(c *call, l *glua.LState) int {
	s := sqliteStatement(l)
	if n := l.GetTop(); n > 1 {
		s.close()
		s.binds = nil
		for i := 2; i <= n; i++ {
			v, err := bind(l.Get(i))
			if err != nil {
				l.RaiseError("sqlite: %s", err.Error())
			}
			s.binds = append(s.binds, v)
		}
	}
	err := s.start(c.sqliteContext())
	if err == nil && s.rows.Next() {
		return pushRow(l, s.rows)
	}
	if err == nil {
		err = s.rows.Err()
	}
	s.close()
	if err != nil {
		c.budget.poll(l)
		l.RaiseError("sqlite: %s", err.Error())
	}
	l.Push(glua.LNil)
	return 1
}

func (s *statement) start(ctx context.Context) error {
	if s.rows != nil {
		return nil
	}
	rows, err := s.db.conn.QueryContext(ctx, s.text, s.binds...) //nolint:rowserrcheck // sqliteRow checks
	if err == nil {
		s.rows = rows
	}
	return err
}

// pushRow makes a table of the present row. NULL is nil.
func pushRow(l *glua.LState, rows *sql.Rows) int {
	columns, err := rows.Columns()
	if err != nil {
		l.RaiseError("sqlite: %s", err.Error())
	}
	values, into := make([]any, len(columns)), make([]any, len(columns))
	for i := range values {
		into[i] = &values[i]
	}
	if err := rows.Scan(into...); err != nil {
		l.RaiseError("sqlite: %s", err.Error())
	}
	t := l.NewTable()
	for i, v := range values {
		t.RawSet(glua.LNumber(i), columnValue(v))
	}
	l.Push(t)
	return 1
}

func columnValue(v any) glua.LValue {
	switch v := v.(type) {
	case int64:
		return glua.LNumber(v)
	case float64:
		return glua.LNumber(v)
	case string:
		return glua.LString(v)
	case []byte:
		return glua.LString(v)
	case bool:
		if v {
			return glua.LNumber(1)
		}
		return glua.LNumber(0)
	case time.Time: // the driver parses columns declared as DATE and the like
		layout := "2006-01-02 15:04:05.999999"
		if v.Equal(v.Truncate(24 * time.Hour)) {
			layout = time.DateOnly
		}
		return glua.LString(v.UTC().Format(layout))
	}
	return glua.LNil
}
