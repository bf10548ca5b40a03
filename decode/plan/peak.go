package plan

// Peak returns the bytes of memory that carrying out the plan takes at its
// peak, as growth of the process's resident memory, encoder included. It is
// the sum of Parts, never below what was measured (docs/estimator.md), and
// does not wrap: an impossible request costs the largest int64.
func (p *Plan) Peak() int64 { return total(p.Parts()) }
