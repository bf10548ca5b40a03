package server

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"strings"

	"example.com/iiifd/auth"
	"example.com/iiifd/docroot"
	"example.com/iiifd/render"
	"example.com/iiifd/source"
)

// Gallery tells the landing page what a source serves.
type Gallery struct {
	source   source.Source
	lister   source.Lister
	renderer *render.Renderer
}

// NewGallery makes the gallery of a source that can be listed.
func NewGallery(src interface {
	source.Source
	source.Lister
}, r *render.Renderer,
) *Gallery {
	return &Gallery{source: src, lister: src, renderer: r}
}

// List implements docroot.Lister.
func (g *Gallery) List(ctx context.Context, dir, query, after string, limit int) (docroot.Listing, error) {
	l, err := g.lister.List(ctx, dir, query, after, limit)
	if err != nil {
		return docroot.Listing{}, listError(err)
	}
	out := docroot.Listing{Dir: dir, Next: l.Next, Total: l.Total}
	for _, e := range l.Entries {
		if e.Dir {
			out.Folders = append(out.Folders, docroot.Folder{Name: path.Base(e.Identifier), Dir: e.Identifier})
			continue
		}
		item := docroot.Item{ID: e.Identifier, Name: path.Base(e.Identifier), Size: e.Size, Modified: e.ModTime}
		if query != "" {
			item.Name = strings.TrimPrefix(strings.TrimPrefix(e.Identifier, dir), "/")
		}
		out.Items = append(out.Items, item)
	}
	for i := range out.Items {
		if err := g.facts(ctx, &out.Items[i]); err != nil {
			return docroot.Listing{}, err
		}
	}
	return out, nil
}

// Describe implements docroot.Describer.
func (g *Gallery) Describe(ctx context.Context, id string) (docroot.Item, error) {
	info, err := g.source.Stat(ctx, id)
	if err != nil {
		return docroot.Item{}, listError(err)
	}
	item := docroot.Item{ID: id, Name: info.Name, Size: info.Size, Modified: info.ModTime}
	return item, g.facts(ctx, &item)
}

// facts adds what the header says, or why it cannot be read; only the end of
// the context is an error.
func (g *Gallery) facts(ctx context.Context, item *docroot.Item) error {
	d, err := g.renderer.Info(ctx, render.Subject{Source: g.source, Identifier: item.ID}, "about:blank", auth.Size{})
	if err == nil {
		item.Width, item.Height, item.Pages = d.Width, d.Height, d.Pages
		return nil
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	p := problemOf(ctx, err)
	item.Error = p.Detail
	item.Other = p.Code == codeUnsupported && !strings.HasPrefix(fileType(item.Name), "image/")
	return nil
}

func listError(err error) error {
	if errors.Is(err, source.ErrNotFound) {
		return errors.Join(fs.ErrNotExist, err)
	}
	return err
}
