package main

import (
	"errors"
	"fmt"

	"example.com/iiifd/lua"
	"example.com/iiifd/option"
)

// readRoutes reads the [[route]] tables, which must hold known keys only.
func readRoutes(name string, value any) ([]lua.Route, error) {
	tables, ok := value.([]map[string]any)
	if !ok {
		return nil, &option.Error{Key: name, Reason: "write [[" + name + "]] with two brackets"}
	}
	var routes []lua.Route
	var errs []error
	for i, table := range tables {
		r, err := readRoute(table)
		if err != nil {
			errs = append(errs, fmt.Errorf("%s %d: %w", name, i+1, err))
		}
		routes = append(routes, r)
	}
	return routes, errors.Join(errs...)
}

// readRoute reads one table. SIPI calls the path route.
func readRoute(table map[string]any) (lua.Route, error) {
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
			errs = append(errs, &option.Error{Key: key, Reason: reason})
		case !isText:
			errs = append(errs, &option.Error{Key: key, Reason: "needs a text"})
		case *target != "":
			errs = append(errs, &option.Error{Key: key, Reason: "given twice, as path and as route"})
		default:
			*target = text
		}
	}
	for _, need := range []struct{ key, text string }{{"method", r.Method}, {"path", r.Path}, {"script", r.Script}} {
		if need.text == "" {
			errs = append(errs, &option.Error{Key: need.key, Reason: "is required"})
		}
	}
	return r, errors.Join(errs...)
}
