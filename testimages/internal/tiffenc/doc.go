// Package tiffenc writes TIFF and BigTIFF files of the kinds that command-line
// tools do not write or cannot be told to: planar, float, CIELab, gray with
// alpha, both byte orders, several directories and SubIFDs. It follows TIFF
// 6.0 and, for SubIFDs, Adobe's TIFF Technical Note 1.
package tiffenc
