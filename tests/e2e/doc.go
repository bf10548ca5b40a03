// Package e2e holds the tests that need other programs: the official
// validator of the Image API and nginx. "make e2e" installs them and runs the
// tests against the built binary; without the build tag e2e there are none.
package e2e
