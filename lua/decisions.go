package lua

import (
	"strings"
	"sync"
	"time"

	"example.com/iiifd/auth"
)

// decisionCache remembers verdicts for a time. Its size is bounded; when it
// is full, any entry may go.
type decisionCache struct {
	ttl   time.Duration
	slots int

	mu      sync.Mutex
	entries map[string]decisionEntry
}

type decisionEntry struct {
	decision auth.Decision
	expires  time.Time
}

func newDecisionCache(ttl time.Duration, slots int) *decisionCache {
	return &decisionCache{ttl: ttl, slots: max(1, slots), entries: make(map[string]decisionEntry)}
}

// decisionKey holds all of a request that remembered verdicts depend on.
func decisionKey(r auth.Request) string {
	use := "image"
	if r.Use == auth.UseFile {
		use = "file"
	}
	return strings.Join([]string{
		use, r.Prefix, r.Identifier,
		strings.Join(r.Header["cookie"], "; "), strings.Join(r.Header["authorization"], ", "),
	}, "\x00")
}

func (c *decisionCache) get(key string) (auth.Decision, bool) {
	if c.ttl <= 0 {
		return auth.Decision{}, false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.entries[key]
	if !ok || !time.Now().Before(e.expires) {
		delete(c.entries, key)
		return auth.Decision{}, false
	}
	return e.decision, true
}

// put remembers a decision, but none that the hook answered itself.
func (c *decisionCache) put(key string, d auth.Decision) {
	if c.ttl <= 0 || d.Kind == auth.Respond {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, known := c.entries[key]; !known && len(c.entries) >= c.slots {
		for k := range c.entries {
			delete(c.entries, k)
			break
		}
	}
	c.entries[key] = decisionEntry{d, time.Now().Add(c.ttl)}
}
