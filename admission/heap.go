package admission

// heapID names one of the orders in which a line keeps its flows.
type heapID int

const (
	// byFinish: the flow whose head is served next.
	byFinish heapID = iota
	// bySize: the flow with the smallest head.
	bySize
	// byCount: the flow with most waiters.
	byCount
	// byBytes: the flow with most bytes waiting.
	byBytes
	heapCount
)

// before is the order of each heap.
func (id heapID) before(a, b *flow) bool {
	switch id {
	case byFinish:
		if a.finish != b.finish {
			return a.finish < b.finish
		}
		return a.head().seq < b.head().seq
	case bySize:
		if x, y := a.head().bytes, b.head().bytes; x != y {
			return x < y
		}
		return a.head().seq < b.head().seq
	case byCount:
		return a.count > b.count
	default:
		return a.bytes > b.bytes
	}
}

// flowHeap is a binary heap whose members know their places, so that one
// whose key changed is put right in logarithmic time.
type flowHeap struct {
	id    heapID
	flows []*flow
}

func (h *flowHeap) top() *flow { return h.flows[0] }

func (h *flowHeap) push(f *flow) {
	f.pos[h.id] = len(h.flows)
	h.flows = append(h.flows, f)
	h.up(f.pos[h.id])
}

func (h *flowHeap) remove(f *flow) {
	at, end := f.pos[h.id], len(h.flows)-1
	if at != end {
		h.swap(at, end)
	}
	h.flows[end] = nil
	h.flows = h.flows[:end]
	if at != end {
		h.fix(h.flows[at])
	}
}

func (h *flowHeap) fix(f *flow) {
	if at := f.pos[h.id]; !h.down(at) {
		h.up(at)
	}
}

func (h *flowHeap) swap(i, j int) {
	h.flows[i], h.flows[j] = h.flows[j], h.flows[i]
	h.flows[i].pos[h.id], h.flows[j].pos[h.id] = i, j
}

func (h *flowHeap) up(i int) {
	for i > 0 {
		parent := (i - 1) / 2
		if !h.id.before(h.flows[i], h.flows[parent]) {
			return
		}
		h.swap(i, parent)
		i = parent
	}
}

// down reports whether anything moved.
func (h *flowHeap) down(i int) bool {
	from := i
	for {
		child := 2*i + 1
		if child >= len(h.flows) {
			break
		}
		if right := child + 1; right < len(h.flows) && h.id.before(h.flows[right], h.flows[child]) {
			child = right
		}
		if !h.id.before(h.flows[child], h.flows[i]) {
			break
		}
		h.swap(i, child)
		i = child
	}
	return i != from
}
