// Package lua holds the test of hostile scripts against a live server in a
// memory cgroup. It needs root and a memory controller and is skipped
// elsewhere; it is part of make e2e.
package lua
