package main

import (
	"context"
	"fmt"

	"example.com/iiifd/admission"
	"example.com/iiifd/cache"
	"example.com/iiifd/render"
)

// admits says what admission makes of a request on a server that is idle and
// has this configuration and the memory of this machine: whether it may ever
// run. The books are closed as at a start, and the cache is left alone.
func (s *service) admits(ctx context.Context, job *render.Job) (string, error) {
	kept, booked := s.cfg.Cache.Dir, s.bookedDisk
	s.bookedDisk = s.cfg.Cache.BookedBytes()
	s.cfg.Cache.Dir = cache.Off
	defer func() { s.cfg.Cache.Dir, s.bookedDisk = kept, booked }()
	if err := s.openCache(nil); err != nil {
		return "", err
	}
	if err := s.openAdmission(nil); err != nil {
		return "", err
	}
	r := s.admission.Check(ctx, admission.Ask{
		URL: admission.Classify(job.Request.Params, s.cfg.Admission.Threshold), Peak: job.Plan.Peak(), Seconds: job.Plan.Seconds(),
	})
	switch {
	case r == nil:
		return "can be admitted", nil
	case r.Limit > 0:
		return fmt.Sprintf("refused with 413 %s: one request gets at most %s", r.Code, sizeText(r.Limit)), nil
	default:
		return fmt.Sprintf("refused with 413 %s: request-timeout is %v", r.Code, s.cfg.Server.RequestTimeout), nil
	}
}
