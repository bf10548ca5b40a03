package main

import (
	"errors"
	"fmt"

	"example.com/iiifd/lua"
	"example.com/iiifd/option"
)

// readRoutes reads the [[route]] tables, which must hold known keys only.
func readRoutes(name string, value any, lines keyLines) ([]lua.Route, error) {
	tables, ok := value.([]map[string]any)
	if !ok {
		return nil, &option.Error{Key: name, Reason: "write [[" + name + "]] with two brackets", Line: lines.of(name)}
	}
	var routes []lua.Route
	var errs []error
	for i, table := range tables {
		place := fmt.Sprintf("%s %d", name, i+1)
		r, err := readRoute(table, place, lines)
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", place, err))
		}
		routes = append(routes, r)
	}
	return routes, errors.Join(errs...)
}

// readRoute reads one table. SIPI calls the path route.
func readRoute(table map[string]any, place string, lines keyLines) (lua.Route, error) {
	var r lua.Route
	into := map[string]*string{"method": &r.Method, "path": &r.Path, "route": &r.Path, "script": &r.Script}
	var errs []error
	for _, key := range sortedKeys(table) {
		text, isText := table[key].(string)
		target := into[key]
		switch {
		case target == nil:
			reason := "no such key"
			if best := option.Nearest(key, []string{"method", "path", "script"}); best != "" {
				reason += "; did you mean " + best + "?"
			}
			errs = append(errs, lines.fault(place, key, reason))
		case !isText:
			errs = append(errs, lines.fault(place, key, "needs a text"))
		case *target != "":
			errs = append(errs, lines.fault(place, key, "given twice, as path and as route"))
		default:
			*target = text
		}
	}
	for _, need := range []struct{ key, text string }{{"method", r.Method}, {"path", r.Path}, {"script", r.Script}} {
		if need.text == "" {
			errs = append(errs, lines.fault(place, need.key, "is required"))
		}
	}
	return r, errors.Join(errs...)
}
