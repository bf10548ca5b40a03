package main

import (
	"fmt"
	"path/filepath"

	"example.com/iiifd/iiif"
	"example.com/iiifd/server"
	"example.com/iiifd/source"
)

// mounts opens the served directory under /iiif/3 and /iiif/2 and what the
// file adds.
func (s *service) mounts(dir string) ([]server.Mount, error) {
	main, err := s.openDirectory(dir)
	if err != nil {
		return nil, err
	}
	s.main = main
	mounts := []server.Mount{
		{Path: "/iiif/3", Version: iiif.V3, Source: main},
		{Path: "/iiif/2", Version: iiif.V2, Source: main},
	}
	for _, m := range s.cfg.Mounts {
		src := main
		if m.Dir != "" {
			sub := m.Dir
			if !filepath.IsAbs(sub) {
				sub = filepath.Join(dir, sub)
			}
			if src, err = s.openDirectory(sub); err != nil {
				return nil, fmt.Errorf("mount %s: %w", m.Path, err)
			}
		}
		added := server.Mount{Path: m.Path, Public: m.Public, Version: iiif.Version(m.Version), Source: src}
		replaced := false
		for i, d := range mounts[:2] {
			if d.Path == m.Path {
				mounts[i], replaced = added, true
			}
		}
		if !replaced {
			mounts = append(mounts, added)
		}
	}
	return mounts, nil
}

func (s *service) openDirectory(dir string) (source.Source, error) {
	d, err := source.NewDirectory(dir, s.cfg.Source)
	if err != nil {
		return nil, err
	}
	s.dirs = append(s.dirs, d)
	if s.sources == nil {
		return d, nil
	}
	return s.sources.Measured(d), nil
}
