// What the parts of the short way share.
#ifndef IIIFD_SHORT_INNER_H
#define IIIFD_SHORT_INNER_H

#include "short.h"

#include <setjmp.h>
#include <stdio.h>

#include <jpeglib.h>

// libjpeg's errors end in a longjmp to where the call into it was made.
typedef struct {
	struct jpeg_error_mgr base;
	jmp_buf back;
	char *message; // of IiifdShort
	int lossy;     // a part of the picture is made up
} JpegErrors;

struct jpeg_error_mgr *short_errors(JpegErrors *errors, char *message);

// --- shrinking (short_resize.c) ----------------------------------------------

// One axis: averaging by a whole factor, then a Lanczos kernel by the rest, as
// vips_resize does.
typedef struct {
	int from, to;
	int box;    // the whole factor
	int boxed;  // pixels after averaging
	double rest;
	int taps;
	float *weights; // taps for each of PHASES + 1 positions between two pixels
	double weights_for;
} Axis;

typedef struct {
	int bands;
	Axis v, h;
	// Vertical pass.
	uint32_t *sums; // of the lines averaged so far
	int summed, boxed_lines, out_line;
	float **ring; // the last lines, at the input's width
	int ring_lines;
	float *memory;
	float *column; // one output line before the horizontal pass
	float *padded; // the same, averaged and with the edges repeated
	unsigned char *line;
	size_t sizes[6];
} Shrinker;

int shrinker_begin(Shrinker *s, int width, int height, int out_width, int out_height, int bands);
// shrinker_line takes the next line; output lines that it completes go to
// emit, whose result other than 0 ends it.
int shrinker_line(Shrinker *s, const unsigned char *line, int (*emit)(void *to, unsigned char *line), void *to);
void shrinker_free(Shrinker *s);

// --- encoding (short_encode.c) -----------------------------------------------

typedef struct {
	struct jpeg_compress_struct jpeg;
	JpegErrors errors;
	struct jpeg_destination_mgr to;
	IiifdShort *shared;
	size_t room;
	int created, failed;
} Encoder;

int encoder_begin(Encoder *e, const IiifdPicture *p);
// encoder_resume is for when what was encoded so far may have been taken.
void encoder_resume(Encoder *e);
int encoder_lines(Encoder *e, unsigned char **lines, int n);
int encoder_end(Encoder *e);
void encoder_free(Encoder *e);

// --- the whole ---------------------------------------------------------------

typedef struct {
	struct jpeg_decompress_struct jpeg;
	JpegErrors errors;
	int created;
	unsigned char *tables; // those loaded into jpeg
	int tables_length;
	unsigned char *line;
	size_t line_size;
} Decoder;

typedef struct {
	IiifdShort shared; // the first member: what Go sees
	IiifdPicture picture;
	Encoder encoder;
	Decoder decoder;
	Shrinker shrinker;
	int resize;
	// Rows decoded that wait for the encoder.
	unsigned char *band;
	size_t band_size;
	int band_rows, band_next;
	int rows_done; // of the picture
	int next;      // tile of the present call
} Short;

int short_fail(Short *s, int code, const char *message);
// short_band makes room for rows of the picture.
int short_band(Short *s, int rows);
// short_drain passes the band on to the encoder; MORE when out is full.
int short_drain(Short *s);

int decoder_tile(Short *s, const unsigned char *tables, int tables_length, const unsigned char *data,
	const IiifdTile *tile);
void decoder_free(Decoder *d);

#endif
