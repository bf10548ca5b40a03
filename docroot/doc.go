// Package docroot holds what iiifd serves beside images: the embedded landing
// page and viewer (Viewer), and the operator's own static tree with the
// decision which of its paths are scripts (Root).
//
// The package knows neither images nor Lua. A Viewer is given a Lister for
// the collection, and a Root says that a path is a script without running it.
package docroot
