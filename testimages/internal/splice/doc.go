// Package splice makes image files of hundreds of megapixels out of small
// ones, at the speed of copying: it repeats the parts that formats allow to
// be decoded on their own (restart intervals, tiles, strips, flushed deflate
// blocks). What comes out is an ordinary file of its kind.
package splice
