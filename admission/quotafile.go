package admission

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

const (
	maxQuotaFile = 65_536
	// maxQuota bounds every count, maxWindowSeconds the window.
	maxQuota         = 1_000_000_000
	maxWindowSeconds = 86_400
	// maxRequests and maxAnonymousRequests bound the sliding logs: every
	// grant within the window is remembered, for anonymous clients once for
	// each address prefix.
	maxRequests          = 100_000
	maxAnonymousRequests = 10_000
)

// clientLimits is the quota of one identity.
type clientLimits struct {
	requests int
	window   time.Duration
	active   int
	pending  int
}

// quotaFile is a valid quota file.
type quotaFile struct {
	defaults        clientLimits
	globalActive    int
	globalExecuting int
	clients         map[string]clientLimits
}

// loadQuotaFile reads the quota file; names are the configured API keys,
// threads the permits that there would be without the file.
func loadQuotaFile(path string, names []string, threads int) (*quotaFile, error) {
	data, err := readBounded(path, maxQuotaFile)
	if err != nil {
		return nil, err
	}
	return parseQuotaFile(data, names, threads)
}

// parseQuotaFile reads a quota file. Every value must be there: limits that
// are half written would depend on defaults nobody looked at. Errors name the
// place, never the value.
func parseQuotaFile(data []byte, names []string, threads int) (*quotaFile, error) {
	root, err := parseStrict(data)
	if err != nil {
		return nil, err
	}
	var r quotaReader
	f := &quotaFile{clients: make(map[string]clientLimits)}
	r.only(root, "requests_per_window", "window_seconds", "client_active", "client_pending", "global_active", "global_executing", "clients")
	f.defaults = r.limits(root, "client_active", "client_pending", maxRequests)
	f.globalActive = r.count(root, "global_active", maxQuota)
	f.globalExecuting = r.count(root, "global_executing", maxQuota)
	r.check(f.defaults.active <= f.globalActive, "/client_active: is above /global_active")
	r.check(f.globalExecuting <= f.globalActive, "/global_executing: is above /global_active")
	r.check(f.globalExecuting <= threads, "/global_executing: is above the number of threads")
	clients := root.objects["clients"]
	if clients == nil {
		r.check(false, "/clients: is missing or no object")
		return nil, r.err()
	}
	for name := range clients.numbers {
		r.check(false, clients.path+"/"+name+": is no object")
	}
	for name, client := range clients.objects {
		r.check(name == Anonymous || slices.Contains(names, name), client.path+": is no configured API key")
		r.only(client, "requests_per_window", "window_seconds", "active", "pending")
		most := maxRequests
		if name == Anonymous {
			most = maxAnonymousRequests
		}
		limits := r.limits(client, "active", "pending", most)
		r.check(limits.active <= f.globalActive, client.path+"/active: is above /global_active")
		f.clients[name] = limits
	}
	if len(r.errs) > 0 {
		return nil, r.err()
	}
	return f, nil
}

// quotaReader collects the faults of a quota file.
type quotaReader struct{ errs []error }

func (r *quotaReader) check(ok bool, fault string) {
	if !ok {
		r.errs = append(r.errs, errors.New(fault))
	}
}

// err joins the faults in an order that does not depend on map iteration.
func (r *quotaReader) err() error {
	slices.SortFunc(r.errs, func(a, b error) int { return strings.Compare(a.Error(), b.Error()) })
	return errors.Join(r.errs...)
}

// only refuses members that are not known, which includes another case.
func (r *quotaReader) only(o *strictObject, known ...string) {
	for name := range o.numbers {
		r.check(slices.Contains(known, name), o.path+"/"+name+": is not known")
	}
	for name := range o.objects {
		r.check(slices.Contains(known, name), o.path+"/"+name+": is not known")
	}
}

func (r *quotaReader) limits(o *strictObject, active, pending string, mostRequests int) clientLimits {
	l := clientLimits{
		requests: r.count(o, "requests_per_window", mostRequests),
		window:   time.Duration(r.count(o, "window_seconds", maxWindowSeconds)) * time.Second,
		active:   r.count(o, active, maxQuota),
		pending:  r.count(o, pending, maxQuota),
	}
	r.check(l.active == 0 || l.pending <= l.active, fmt.Sprintf("%s/%s: is above %s/%s", o.path, pending, o.path, active))
	return l
}

func (r *quotaReader) count(o *strictObject, name string, most int) int {
	n, ok := o.numbers[name]
	switch {
	case !ok:
		r.check(false, o.path+"/"+name+": is missing or no number")
	case n < 1:
		r.check(false, o.path+"/"+name+": must be positive")
	case n > int64(most):
		r.check(false, fmt.Sprintf("%s/%s: is above %d", o.path, name, most))
	default:
		return int(n)
	}
	return 0
}
