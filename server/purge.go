package server

import (
	"errors"
	"time"

	"example.com/iiifd/cache"
)

// PurgeOrder is the body of POST /cache/purge: which derivatives to forget.
// Its fields narrow each other; All must be set to choose everything.
type PurgeOrder struct {
	IDs    []string `json:"ids,omitempty"`
	Prefix string   `json:"prefix,omitempty"`
	// OlderThan is a duration such as "24h".
	OlderThan string `json:"older_than,omitempty"`
	All       bool   `json:"all,omitempty"`
}

// Selectors turns the order into what the cache takes. An order that selects
// nothing is an error.
func (p PurgeOrder) Selectors(now time.Time) ([]cache.Selector, error) {
	base := cache.Selector{Prefix: p.Prefix, All: p.All}
	if p.OlderThan != "" {
		age, err := time.ParseDuration(p.OlderThan)
		if err != nil || age < 0 {
			return nil, errors.New("older_than is a duration such as 24h")
		}
		base.Before = now.Add(-age)
	}
	if len(p.IDs) == 0 {
		if base == (cache.Selector{}) {
			return nil, errors.New("nothing is selected: give identifiers, a prefix, an age or all")
		}
		return []cache.Selector{base}, nil
	}
	var out []cache.Selector
	for _, id := range p.IDs {
		if id == "" {
			return nil, errors.New("an identifier is empty")
		}
		sel := base
		sel.Object = id
		out = append(out, sel)
	}
	return out, nil
}
