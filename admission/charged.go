package admission

// MemoryState sets what is booked and charged at this moment beside what the
// process really takes, in bytes. Where the charges are honest, the resident
// memory stays below their sum but for what allocators keep.
type MemoryState struct {
	// ResidentBytes is 0 where it cannot be read.
	ResidentBytes int64 `json:"resident_bytes"`
	ChargedBytes  int64 `json:"charged_bytes"`
	// The parts of ChargedBytes: the idle process as booked, running tiles,
	// fulls and scripts, the memory cache, and the two ledgers.
	Idle    int64 `json:"idle_bytes"`
	Tiles   int64 `json:"tile_bytes"`
	Fulls   int64 `json:"full_bytes"`
	Scripts int64 `json:"script_bytes"`
	Cache   int64 `json:"cache_bytes"`
	Egress  int64 `json:"egress_bytes"`
	Ingest  int64 `json:"ingest_bytes"`
}

// outsideMemory reads what is not under the controller's lock.
func (c *Controller) outsideMemory() MemoryState {
	m := MemoryState{}
	m.ResidentBytes, _ = call(c.facts.RSS)
	if c.facts.Cached != nil {
		m.Cache = c.facts.Cached()
	}
	return m
}

// chargeLocked adds what the controller charges.
func (c *Controller) chargeLocked(m *MemoryState) {
	m.Idle = c.books.IdleFloor + c.idleGrowth
	m.Tiles, m.Fulls = c.sched.use.tileBytes, c.sched.use.fullBytes
	m.Scripts = int64(c.sched.use.scripts) * c.facts.ScriptMemory
	m.Egress, _ = c.Egress.InUse()
	m.Ingest, _ = c.Ingest.InUse()
	m.ChargedBytes = m.Idle + m.Tiles + m.Fulls + m.Scripts + m.Cache + m.Egress + m.Ingest
}
