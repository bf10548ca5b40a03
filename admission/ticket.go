package admission

import "time"

// lineID names one of the scheduler's three lines. Scripts are fulls that
// need a script slot instead of bytes; a line of their own keeps them from
// standing in front of fulls that could run.
type lineID int

const (
	lineTile lineID = iota
	lineFull
	lineScript
	lineCount
)

type ticketState int

const (
	ticketIdle ticketState = iota
	ticketWaiting
	ticketRunning
	ticketGone
)

// ticket is one ask as the scheduler sees it.
type ticket struct {
	line  lineID
	key   string
	bytes int64 // charged to the lane's budget while it runs
	held  int64 // really held while it waits
	owner settler

	state     ticketState
	seq       uint64 // order of arrival
	since     time.Duration
	granted   time.Duration
	overtaken int
	// blockedBy is why the ticket was last passed over.
	blockedBy shortage

	// Of the sub-queue that the ticket waits in.
	flow       *flow
	prev, next *ticket
}

// shortage is what a waiting ticket lacks.
type shortage int

const (
	shortOfNothing shortage = iota
	shortOfPermits
	shortOfBytes
	shortOfSlots
)

// settler is told what became of a ticket that was parked. It is called with
// the scheduler's owner's lock held and must not call back.
type settler interface {
	grantedAt(now time.Duration)
	refusedAt(now time.Duration, code Code)
}
