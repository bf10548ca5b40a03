// Package testimages holds sample images of every kind the server reads,
// drawn and written by the project's own code, and what tests need beside
// them: the manifest of what each file is, the picture each file must show,
// a tolerant comparison, generated files of hundreds of megapixels, and
// broken files.
//
// The pictures are test cards (see Card) that look different under each of
// the eight EXIF orientations and whose outermost lines have known colours,
// so that a picture that is turned, mirrored or moved by a single pixel does
// not pass as right.
//
// The files are committed; "go run ./testimages/gen" writes them anew.
package testimages
