// One stored JPEG tile of a TIFF: what libtiff and libvips make of it, but
// only the part that is wanted.
#include "short_inner.h"

#include <jerror.h>
#include <stdlib.h>
#include <string.h>

// --- input -------------------------------------------------------------------

static void on_start(j_decompress_ptr jpeg)
{
}

static boolean on_empty(j_decompress_ptr jpeg)
{
	static const JOCTET end[2] = { 0xff, JPEG_EOI };

	WARNMS(jpeg, JWRN_JPEG_EOF);
	jpeg->src->next_input_byte = end;
	jpeg->src->bytes_in_buffer = 2;
	return TRUE;
}

static void on_skip(j_decompress_ptr jpeg, long n)
{
	struct jpeg_source_mgr *from = jpeg->src;

	if (n <= 0)
		return;
	if ((size_t) n > from->bytes_in_buffer) {
		on_empty(jpeg);
		return;
	}
	from->next_input_byte += n;
	from->bytes_in_buffer -= n;
}

// forget makes the next tile get a decoder without any tables.
static void forget(Decoder *d)
{
	if (d->created)
		jpeg_destroy_decompress(&d->jpeg);
	d->created = 0;
	free(d->tables);
	d->tables = NULL;
}

static int decoder_create(Decoder *d, char *message)
{
	if (d->created)
		return 0;
	d->jpeg.err = short_errors(&d->errors, message);
	if (setjmp(d->errors.back))
		return IIIFD_SHORT_MEMORY;
	jpeg_create_decompress(&d->jpeg);
	struct jpeg_source_mgr *from =
		d->jpeg.mem->alloc_small((j_common_ptr) &d->jpeg, JPOOL_PERMANENT, sizeof(struct jpeg_source_mgr));
	from->init_source = on_start;
	from->fill_input_buffer = on_empty;
	from->skip_input_data = on_skip;
	from->resync_to_restart = jpeg_resync_to_restart;
	from->term_source = on_start;
	d->jpeg.src = from;
	d->created = 1;
	return 0;
}

void decoder_free(Decoder *d)
{
	forget(d);
	free(d->line);
}

// own_tables tells whether a tile brings tables that would stay in the decoder.
static int own_tables(const unsigned char *p, int n)
{
	int at = 2;

	while (at + 4 <= n && p[at] == 0xff) {
		int marker = p[at + 1];

		if (marker == 0xff) {
			at++;
			continue;
		}
		if (marker == 0xdb || marker == 0xc4 || marker == 0xcc)
			return 1;
		if (marker == 0xda)
			return 0;
		at += 2 + (p[at + 2] << 8 | p[at + 3]);
	}
	return 1;
}

// load_tables reads the shared tables into a fresh decoder, unless the decoder
// has just these. Tables stay in a decoder until others replace them.
static int load_tables(Decoder *d, char *message, const unsigned char *tables, int n)
{
	volatile int found = -1;

	if (d->created && n > 0 && d->tables && d->tables_length == n && !memcmp(d->tables, tables, n))
		return 0;
	forget(d);
	int failed = decoder_create(d, message);
	if (failed || n <= 0)
		return failed;
	d->jpeg.src->next_input_byte = tables;
	d->jpeg.src->bytes_in_buffer = n;
	if (!setjmp(d->errors.back))
		found = jpeg_read_header(&d->jpeg, FALSE);
	if (found != JPEG_HEADER_TABLES_ONLY)
		return IIIFD_SHORT_FOREIGN;
	jpeg_abort_decompress(&d->jpeg);
	d->tables = malloc(n);
	if (!d->tables)
		return IIIFD_SHORT_MEMORY;
	memcpy(d->tables, tables, n);
	d->tables_length = n;
	return 0;
}

// accept checks the tile's header against the directory's word and says how
// the samples are to be read; libtiff goes by the directory, not by markers.
static int accept(struct jpeg_decompress_struct *jpeg, const IiifdPicture *p)
{
	if ((int) jpeg->image_width != p->tile_width || (int) jpeg->image_height != p->tile_height ||
		jpeg->num_components != p->bands || jpeg->data_precision != 8 || jpeg_has_multiple_scans(jpeg))
		return 0; // several scans are put together in memory
	switch (p->colour) {
	case IIIFD_COLOUR_YCBCR:
		jpeg->jpeg_color_space = JCS_YCbCr;
		jpeg->out_color_space = JCS_RGB;
		return 1;
	case IIIFD_COLOUR_RGB:
		for (int i = 0; i < 3; i++)
			if (jpeg->comp_info[i].h_samp_factor != 1 || jpeg->comp_info[i].v_samp_factor != 1)
				return 0;
		jpeg->jpeg_color_space = JCS_RGB;
		jpeg->out_color_space = JCS_RGB;
		return 1;
	}
	jpeg->jpeg_color_space = JCS_GRAYSCALE;
	jpeg->out_color_space = JCS_GRAYSCALE;
	return 1;
}

// read_part decodes the part of the tile into the band.
static void read_part(Short *s, const IiifdTile *tile)
{
	struct jpeg_decompress_struct *jpeg = &s->decoder.jpeg;
	int bands = s->picture.bands;
	size_t stride = (size_t) s->picture.width * bands;
	// Chroma is interpolated from its neighbours: one block more at each side
	// keeps the part as it is in the whole tile.
	JDIMENSION left = tile->left > 32 ? tile->left - 32 : 0;
	JDIMENSION width = tile->left + tile->width + 32 - left;

	jpeg_start_decompress(jpeg);
	if (left + width >= jpeg->output_width || jpeg->num_components == 1) {
		left = 0;
		width = jpeg->output_width;
	}
	if (width < jpeg->output_width)
		jpeg_crop_scanline(jpeg, &left, &width);
	int direct = left == 0 && (int) width == tile->width && tile->left == 0;
	for (int y = 0; y < tile->top + tile->height; y++) {
		unsigned char *to = s->band + (size_t) (y - tile->top) * stride + (size_t) tile->x * bands;
		unsigned char *line = y >= tile->top && direct ? to : s->decoder.line;

		jpeg_read_scanlines(jpeg, &line, 1);
		if (y >= tile->top && !direct)
			memcpy(to, line + (size_t) (tile->left - left) * bands, (size_t) tile->width * bands);
	}
	// What was decoded is all there; the rest of the tile is not looked at.
	jpeg_abort_decompress(jpeg);
}

// line_room makes room for a line of a tile and what libjpeg may write beyond.
static int line_room(Decoder *d, size_t want)
{
	if (d->line_size >= want)
		return 0;
	free(d->line);
	d->line = malloc(want);
	d->line_size = d->line ? want : 0;
	return d->line ? 0 : IIIFD_SHORT_MEMORY;
}

// read_tile decodes the tile into the band.
static int read_tile(Short *s, const unsigned char *data, const IiifdTile *tile)
{
	Decoder *d = &s->decoder;
	volatile int started = 0;

	d->errors.lossy = 0;
	if (setjmp(d->errors.back))
		return started ? IIIFD_SHORT_CORRUPT : IIIFD_SHORT_FOREIGN;
	d->jpeg.src->next_input_byte = data;
	d->jpeg.src->bytes_in_buffer = tile->length;
	if (jpeg_read_header(&d->jpeg, TRUE) != JPEG_HEADER_OK || !accept(&d->jpeg, &s->picture))
		return IIIFD_SHORT_FOREIGN;
	started = 1;
	read_part(s, tile);
	return d->errors.lossy ? IIIFD_SHORT_CORRUPT : 0;
}

int decoder_tile(Short *s, const unsigned char *tables, int tables_length, const unsigned char *data,
	const IiifdTile *tile)
{
	Decoder *d = &s->decoder;
	int failed = load_tables(d, s->shared.message, tables, tables_length);

	if (!failed)
		failed = line_room(d, (size_t) (s->picture.tile_width + 64) * s->picture.bands);
	if (!failed)
		failed = read_tile(s, data, tile);
	if (failed || own_tables(data, tile->length))
		forget(d);
	return failed;
}
