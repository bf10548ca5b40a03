package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"example.com/iiifd/decode"
	"example.com/iiifd/decode/plan"
)

// priceAgain reads what an earlier run measured on the files of dir (its
// -out file) and prices the same requests with the present formulas.
func priceAgain(dir, path string) ([]result, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	e, err := startEngine()
	if err != nil {
		return nil, err
	}
	defer e.Close()
	var results []result
	for lines := json.NewDecoder(f); ; {
		var r result
		if err := lines.Decode(&r); errors.Is(err, io.EOF) {
			return results, nil
		} else if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		if r.Refused == "" {
			if err := r.price(e, dir); err != nil {
				return nil, fmt.Errorf("%s %s: %w", r.File, r.Params, err)
			}
		}
		results = append(results, r)
	}
}

// price replaces what plans said.
func (r *result) price(e *decode.Engine, dir string) error {
	r.Estimate, r.Seconds, r.Parts = 0, 0, nil
	for _, w := range r.Work {
		p, err := planOf(e, filepath.Join(dir, filepath.Base(w.Path)), w.Params)
		if err != nil {
			return err
		}
		r.charge(&p)
	}
	return nil
}

// charge adds what p says it costs. The process in which it is measured is
// itself the one that a drawing is charged for.
func (r *result) charge(p *plan.Plan) {
	r.Estimate += p.Peak()
	for _, part := range p.Parts() {
		if part.Stage == plan.StageProcess {
			r.Estimate -= part.Bytes
		}
	}
	r.Seconds += p.Seconds()
	r.Parts = append(r.Parts, p.Parts()...)
}

func planOf(e *decode.Engine, path, params string) (plan.Plan, error) {
	obj, err := openFile(path)
	if err != nil {
		return plan.Plan{}, err
	}
	defer obj.Close()
	return newPlan(e, obj, params)
}
