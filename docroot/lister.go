package docroot

import (
	"context"
	"time"
)

// Lister gives the landing page what there is to show.
type Lister interface {
	// List returns one page of directory dir, a slash-separated path below
	// the source's top, "" for the top itself. dir never contains empty, "."
	// or ".." elements.
	//
	// A query that is not empty restricts the listing to names that contain
	// it; letter case is ignored.
	//
	// after is "" or the Next of the page before, with the same dir and
	// query; an after that makes no sense may start anew or end the list.
	// limit is the largest number of Folders plus Items to return; folders
	// come first.
	//
	// The error wraps fs.ErrNotExist where there is no such directory.
	List(ctx context.Context, dir, query, after string, limit int) (Listing, error)
}

// Describer is what a Lister may be as well: it gives the viewer the facts of
// one image. The error wraps fs.ErrNotExist where there is no such image.
type Describer interface {
	Describe(ctx context.Context, id string) (Item, error)
}

// Listing is a page of a directory.
type Listing struct {
	// Dir is the directory listed.
	Dir     string   `json:"dir"`
	Folders []Folder `json:"folders"`
	Items   []Item   `json:"items"`
	// Next is where the following page begins; empty at the end. A page may
	// be empty and still have a Next, where a search is long.
	Next string `json:"next,omitzero"`
	// Total is the number of folders and items in all pages; 0 where it is
	// not known.
	Total int `json:"total,omitzero"`
}

// Folder is a directory that can be listed.
type Folder struct {
	// Name is shown; Dir is what List takes.
	Name string `json:"name"`
	Dir  string `json:"dir"`
}

// Item is an image, or a file beside images that cannot be shown.
type Item struct {
	// ID is the identifier, not escaped.
	ID string `json:"id"`
	// Name is shown.
	Name string `json:"name"`
	// Size is in bytes.
	Size     int64     `json:"size,omitzero"`
	Modified time.Time `json:"modified,omitzero"`
	// Width and Height are in pixels; 0 where they are not known yet.
	Width  int `json:"width,omitzero"`
	Height int `json:"height,omitzero"`
	// Pages is the number of pages that can be asked for; 0 where it is not
	// known.
	Pages int `json:"pages,omitzero"`
	// Error says why the file cannot be shown, as a sentence that visitors
	// may read: no paths and no text of libraries.
	Error string `json:"error,omitzero"`
	// Other tells that the file is no image and does not pretend to be one,
	// such as metadata beside scans. Error says so, too.
	Other bool `json:"other,omitzero"`
}
