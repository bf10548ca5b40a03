package admission

import (
	"math"
	"time"
)

const (
	pressureRetry = 5 * time.Second
	longestRetry  = time.Minute
	retryJitter   = 0.25
)

// average is an exponentially weighted mean of durations.
type average struct {
	seconds float64
	known   bool
}

func (a *average) add(d time.Duration) {
	const weight = 0.1
	if !a.known {
		a.seconds, a.known = d.Seconds(), true
		return
	}
	a.seconds += weight * (d.Seconds() - a.seconds)
}

// retryAfterLocked says when a refused client should come back, in whole
// seconds: for capacity, when what is queued ahead should be served, and no
// sooner than the client already waited; spread, so that shed viewers do not
// return in step. 0 where no retry can help.
func (c *Controller) retryAfterLocked(code Code, lane Lane, waited time.Duration) time.Duration {
	if code.Kind() != KindServer {
		return 0
	}
	base := pressureRetry
	if code != CodePressure && code != CodeDraining {
		base = min(max(waited, c.queueDelayLocked(lane), time.Second), longestRetry)
	}
	return ceilSeconds(time.Duration(float64(base) * (1 + retryJitter*c.facts.Jitter())))
}

// queueDelayLocked estimates how long what waits in a lane will take: the mean
// service time, times the queue's depth in bytes of the budget or in permits,
// whichever is more.
func (c *Controller) queueDelayLocked(lane Lane) time.Duration {
	lines, budget, permits := []lineID{lineTile}, c.sched.cap.tileBytes, c.sched.cap.tileMin
	if lane == LaneFull {
		lines, budget, permits = []lineID{lineFull, lineScript}, c.hardFullLocked(), c.sched.cap.fullMax
	}
	var bytes, count float64
	for _, id := range lines {
		bytes += float64(c.sched.lines[id].bytes)
		count += float64(c.sched.lines[id].count)
	}
	rounds := max(bytes/float64(max(budget, 1)), count/float64(max(permits, 1)))
	return time.Duration(math.Min(c.service[lane].seconds*rounds, longestRetry.Seconds()) * float64(time.Second))
}

func ceilSeconds(d time.Duration) time.Duration {
	return (d + time.Second - 1).Truncate(time.Second)
}
