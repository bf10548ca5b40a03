// The way around libvips for pictures that need no more than decoding,
// shrinking and encoding: JPEG tiles in, or a JPEG 2000 codestream, and a
// JPEG file out. One call per tile; a large picture is done in several, so
// that neither input nor output is ever held whole.
#ifndef IIIFD_SHORT_H
#define IIIFD_SHORT_H

#include <stddef.h>
#include <stdint.h>

enum {
	IIIFD_SHORT_DONE,    // the tiles given are used up, or the picture is whole
	IIIFD_SHORT_MORE,    // out is full: take it and call again
	IIIFD_SHORT_CORRUPT, // message says what is wrong with the input
	IIIFD_SHORT_FOREIGN, // the input is of a kind that libvips must read
	IIIFD_SHORT_MEMORY,
};

enum { IIIFD_COLOUR_GRAY, IIIFD_COLOUR_RGB, IIIFD_COLOUR_YCBCR };

typedef struct {
	int32_t width, height;         // of the part to be decoded, in pixels, with the padding
	int32_t pad_right, pad_bottom; // columns and rows that repeat the last decoded
	int32_t out_width, out_height; // not larger
	int32_t bands;                 // 1 or 3
	int32_t colour;                // of stored JPEG tiles
	int32_t tile_width, tile_height;
	int32_t quality;
	int32_t full_chroma; // 4:4:4, else 4:2:0
	int32_t out_limit;   // bytes of output after which MORE is returned
} IiifdPicture;

// A stored tile and the part of it that is used.
typedef struct {
	int64_t offset; // in data
	int32_t length;
	int32_t x;                        // where the part goes in its row
	int32_t left, top, width, height; // the part
	int32_t last;                     // of its row
} IiifdTile;

// What JPEG 2000 decoding needs beside the picture, whose width and height
// are those of the part at the reduction.
typedef struct {
	int32_t boxed; // a JP2 file, else a bare codestream
	int32_t reduce;
	int32_t left, top; // the part, in reduced pixels from the picture's corner
} IiifdWavelet;

typedef struct IiifdShort {
	unsigned char *out;
	size_t out_length;
	char message[256];
} IiifdShort;

IiifdShort *iiifd_short_new(void);
void iiifd_short_free(IiifdShort *s);

// iiifd_short_begin starts a picture. What was under way is dropped.
int iiifd_short_begin(IiifdShort *s, const IiifdPicture *picture);

// iiifd_short_tiles decodes the next tiles, row by row from the top, of which
// data holds the bytes; tables are what they share. After MORE it is called
// again with the same arguments and goes on where it stopped.
int iiifd_short_tiles(IiifdShort *s, const unsigned char *tables, int tables_length,
	const unsigned char *data, int64_t data_length, const IiifdTile *tiles, int n);

// iiifd_short_tile is begin and tiles in one call.
int iiifd_short_tile(IiifdShort *s, const IiifdPicture *picture, const unsigned char *tables, int tables_length,
	const unsigned char *data, int64_t data_length, const IiifdTile *tiles, int n);

// iiifd_short_wavelet decodes a codestream that holds the tiles of the part.
// After MORE, iiifd_short_more goes on.
int iiifd_short_wavelet(IiifdShort *s, const IiifdPicture *picture, const IiifdWavelet *wavelet,
	const unsigned char *data, int64_t data_length);
int iiifd_short_more(IiifdShort *s);

#endif
