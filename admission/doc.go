// Package admission decides which decode may run, and when.
//
// # Lanes
//
// Work is a tile (small, a viewer waits for it) or a full (anything whose
// estimated peak reaches the threshold, and every script). Classify guesses
// the lane from the URL; the price of the plan, where there is one, decides.
// Both verdicts are compared and counted.
//
// # Capacity
//
// Of n permits, tile_min can be taken by tiles alone, and fulls take at most
// full_max = n - tile_min. Tiles burst into whatever is free. Fulls share the
// full budget of bytes, tiles the tile reserve, so that a tile waits only
// behind tiles. The top of the full budget, the healthy headroom, is usable
// only while memory pressure is normal. The books (closeBooks) share the
// memory limit out between all that the process holds, decodes or not, and
// their sum never exceeds four fifths of it.
//
// # One step
//
// A Lease is a permit and bytes, taken together once the price is known, so
// nobody waits while holding half. Work inside a lease (the images of a
// script) is charged to that lease and refused rather than parked.
//
// # Queue
//
// Each lane has one queue, with a sub-queue for each client key that exists
// only while somebody of that key waits. The sub-queues are served by
// self-clocked fair queueing over bytes: every key carries a virtual finish
// time for its head, the least goes first, and a key that starts to wait
// starts at the clock. Where the head that is due does not fit, the smallest
// head that does may pass it, twice; then what becomes free is kept for it.
// Within a key whose oldest tile has waited for half a second the newest tile
// goes first. A full queue sheds from the longest sub-queue, so a burst of one
// client never refuses another's single request. Every step costs the
// logarithm of the number of keys at most.
//
// The scheduler (scheduler.go, park.go, shed.go, line.go) is the algorithm
// alone: it is given the time and has neither lock nor goroutine. The
// Controller gives it both. In basic mode a second scheduler with every bound
// in force is given the same arrivals, and counts what advanced mode would
// refuse.
//
// # Pressure, quotas, adaptive limit
//
// A tracker samples memory pressure every second: at high, waits are cut and
// speculative work stops; at critical fulls are refused and tiles run only at
// once. Quotas limit clients where a quota file says so; only grants count.
// The adaptive limit takes permits away while decodes are slower than their
// price says they should be, never below the tiles' floor and never the last
// full.
//
// # Refusals
//
// Every refusal is a Rejection with a code, and has consumed nothing. Every
// decision stands in the ring (Decisions), in the metrics and, as a state
// whose sums hold, in the Snapshot.
package admission
