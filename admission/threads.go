package admission

import "math"

// threads is how the permits are shared out.
type threads struct {
	total   int
	tileMin int
	fullMax int
	// fullCapSet tells that IIIFD_FULL_MAX lowered fullMax.
	fullCapSet bool
}

// deriveThreads shares out n permits. An n of 0 takes the processors, at
// least two. most lowers n where it is positive (global_executing of the
// quota file). One permit is shared by both lanes.
func deriveThreads(c *Config, cpus, most int) threads {
	n := c.Threads
	if n == 0 {
		n = max(2, cpus)
	}
	if most > 0 {
		n = min(n, most)
	}
	t := threads{total: n}
	if n == 1 {
		t.tileMin, t.fullMax = 1, 1
		return t
	}
	t.tileMin = min(max(int(math.Round(float64(n)*c.TilesThreadRatio)), 1), n-1)
	t.fullMax = n - t.tileMin
	if c.FullMax > 0 && c.FullMax < t.fullMax {
		t.fullMax, t.fullCapSet = c.FullMax, true
	}
	return t
}
