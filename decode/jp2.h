// JPEG 2000 with OpenJPEG, without libvips' own loader: that one decodes an
// untiled picture in windows of 512 × 512, each through the whole codestream,
// lays reduced tiles out wrongly where their sides are no multiple of the
// reduction, ignores palettes, and passes over errors after the first.
#ifndef IIIFD_JP2_H
#define IIIFD_JP2_H

#include <vips/vips.h>

typedef struct {
	int reduce;                   // halvings
	int left, top, width, height; // of the picture to make, in reduced pixels
	int bands;                    // that the header promises, palette applied
	int ycc;                      // channels are luma and chroma
	int interpretation;           // VipsInterpretation of the result
	int rows;                     // decoded at once
} IiifdJp2;

// iiifd_jp2_load returns an image that decodes bands of rows when they are
// asked for, NULL on error. It reads from source as long as it lives.
VipsImage *iiifd_jp2_load(VipsSource *source, const IiifdJp2 *options);

#endif
