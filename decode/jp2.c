#include "bridge.h"
#include "jp2.h"

#include <openjpeg.h>
#include <string.h>

#define CHUNK (64 * 1024)

// How many pixels are decoded at once at most, unless one tile has more.
#define PIECE (1 << 20)

typedef struct {
	VipsSource *source;
	IiifdJp2 want;
	GMutex lock; // the source has one position
	// The columns of tiles; a width of 0 stands for a picture of one tile.
	gint64 tile_left, tile_width;
	// Rows above the picture that the first band begins with, so that bands
	// begin where tiles do.
	int phase;
	int origin_left; // of the whole picture, reduced
} Jp2;

// What one decoding collects.
typedef struct {
	opj_stream_t *stream;
	opj_codec_t *codec;
	opj_image_t *image;
	int failed;
} Decoding;

// --- reading ---------------------------------------------------------------

static OPJ_SIZE_T read_source(void *buffer, OPJ_SIZE_T length, void *source)
{
	gint64 n = vips_source_read((VipsSource *) source, buffer, length);

	return n > 0 ? (OPJ_SIZE_T) n : (OPJ_SIZE_T) -1; // one value for end and error
}

static OPJ_OFF_T skip_source(OPJ_OFF_T length, void *source)
{
	return vips_source_seek((VipsSource *) source, length, SEEK_CUR) < 0 ? -1 : length;
}

static OPJ_BOOL seek_source(OPJ_OFF_T position, void *source)
{
	return vips_source_seek((VipsSource *) source, position, SEEK_SET) >= 0;
}

static void on_error(const char *message, void *decoding)
{
	((Decoding *) decoding)->failed = 1;
	vips_error("OpenJPEG", "%s", message);
}

static void on_warning(const char *message, void *decoding)
{
	vips_error("OpenJPEG", "warning: %s", message);
}

static void ignore(const char *message, void *decoding)
{
}

static void end(Decoding *d)
{
	if (d->image)
		opj_image_destroy(d->image);
	if (d->codec)
		opj_destroy_codec(d->codec);
	if (d->stream)
		opj_stream_destroy(d->stream);
	memset(d, 0, sizeof(*d));
}

// begin reads the headers.
static int begin(Decoding *d, Jp2 *jp2)
{
	opj_dparameters_t parameters;
	unsigned char *magic;

	memset(d, 0, sizeof(*d));
	if (vips_source_rewind(jp2->source) || vips_source_sniff_at_most(jp2->source, &magic, 4) < 4)
		return -1;
	d->codec = opj_create_decompress(memcmp(magic, "\xff\x4f\xff\x51", 4) ? OPJ_CODEC_JP2 : OPJ_CODEC_J2K);
	d->stream = opj_stream_create(CHUNK, TRUE);
	if (!d->codec || !d->stream || vips_source_rewind(jp2->source))
		return -1;
	opj_stream_set_user_data(d->stream, jp2->source, NULL);
	opj_stream_set_user_data_length(d->stream, vips_source_length(jp2->source));
	opj_stream_set_read_function(d->stream, read_source);
	opj_stream_set_skip_function(d->stream, skip_source);
	opj_stream_set_seek_function(d->stream, seek_source);
	opj_set_error_handler(d->codec, on_error, d);
	opj_set_warning_handler(d->codec, on_warning, d);
	opj_set_info_handler(d->codec, ignore, d);
	opj_set_default_decoder_parameters(&parameters);
	parameters.cp_reduce = jp2->want.reduce;
	if (!opj_setup_decoder(d->codec, &parameters))
		return -1;
#if OPJ_VERSION_MAJOR > 2 || OPJ_VERSION_MINOR >= 5
	opj_decoder_set_strict_mode(d->codec, OPJ_TRUE);
#endif
	if (!opj_read_header(d->stream, d->codec, &d->image) || d->failed)
		return -1;
	return 0;
}

// --- from OpenJPEG's planes to pixels --------------------------------------

static int ceil_shift_wide(gint64 a, int n)
{
	return (int) ((a + ((gint64) 1 << n) - 1) >> n);
}

static int ceil_shift(int a, int n)
{
	return ceil_shift_wide(a, n);
}

// sample brings a value to 8 or 16 bits, whatever its precision.
static inline int sample(const opj_image_comp_t *c, int value, int top)
{
	if (c->sgnd)
		value += 1 << (c->prec - 1);
	if (c->prec > 16) {
		value >>= c->prec - 16;
		return VIPS_CLIP(0, value, 65535);
	}
	int most = (1 << c->prec) - 1;

	value = VIPS_CLIP(0, value, most);
	return most == top ? value : (int) (((gint64) value * top + most / 2) / most);
}

static void ycc_to_rgb(int *p, int top)
{
	double y = p[0], cb = p[1] - (top + 1) / 2, cr = p[2] - (top + 1) / 2;
	int r = (int) (y + 1.402 * cr + 0.5), g = (int) (y - 0.344136 * cb - 0.714136 * cr + 0.5),
		b = (int) (y + 1.772 * cb + 0.5);

	p[0] = VIPS_CLIP(0, r, top);
	p[1] = VIPS_CLIP(0, g, top);
	p[2] = VIPS_CLIP(0, b, top);
}

// check compares what was decoded with what was asked for: every channel
// must cover the rectangle (in reduced grid coordinates).
static int check(const Jp2 *jp2, const opj_image_t *image, const VipsRect *grid)
{
	if ((int) image->numcomps != jp2->want.bands) {
		vips_error("jp2", "%d channels where the header promises %d", (int) image->numcomps, jp2->want.bands);
		return -1;
	}
	for (OPJ_UINT32 i = 0; i < image->numcomps; i++) {
		const opj_image_comp_t *c = &image->comps[i];
		int dx = VIPS_MAX(1, (int) c->dx), dy = VIPS_MAX(1, (int) c->dy);

		if (!c->data || c->w * dx + dx < (unsigned) grid->width || c->h * dy + dy < (unsigned) grid->height ||
			c->prec < 1 || c->prec > 31) {
			vips_error("jp2", "channel %d is incomplete", (int) i);
			return -1;
		}
	}
	return 0;
}

static void pack_row(const Jp2 *jp2, const opj_image_t *image, const VipsRect *grid, int y, VipsPel *out, int wide)
{
	int bands = jp2->want.bands, top = wide ? 65535 : 255;
	int pixel[VIPS_MAX(3, bands)];

	for (int x = 0; x < grid->width; x++) {
		for (int i = 0; i < bands; i++) {
			const opj_image_comp_t *c = &image->comps[i];
			int cx = (grid->left + x) / (int) c->dx - ceil_shift(c->x0, jp2->want.reduce);
			int cy = (grid->top + y) / (int) c->dy - ceil_shift(c->y0, jp2->want.reduce);

			cx = VIPS_CLIP(0, cx, (int) c->w - 1);
			cy = VIPS_CLIP(0, cy, (int) c->h - 1);
			pixel[i] = sample(c, c->data[(size_t) cy * c->w + cx], top);
		}
		if (jp2->want.ycc && bands >= 3)
			ycc_to_rgb(pixel, top);
		for (int i = 0; i < bands; i++)
			if (wide)
				((unsigned short *) out)[i] = (unsigned short) pixel[i];
			else
				out[i] = (VipsPel) pixel[i];
		out += bands * (wide ? 2 : 1);
	}
}

// pack_plain_row is pack_row for what nearly all files are: channels of 8
// unsigned bits, none subsampled, no conversion.
static void pack_plain_row(const opj_image_t *image, int width, int y, VipsPel *out)
{
	int bands = (int) image->numcomps;

	for (int i = 0; i < bands; i++) {
		const OPJ_INT32 *p = image->comps[i].data + (size_t) y * image->comps[i].w;

		for (int x = 0; x < width; x++)
			out[x * bands + i] = (VipsPel) VIPS_CLIP(0, p[x], 255);
	}
}

static int plain(const Jp2 *jp2, const opj_image_t *image, const VipsRect *grid)
{
	for (OPJ_UINT32 i = 0; i < image->numcomps; i++) {
		const opj_image_comp_t *c = &image->comps[i];

		if (c->dx != 1 || c->dy != 1 || c->prec != 8 || c->sgnd ||
			(int) c->w != grid->width || (int) c->h != grid->height)
			return 0;
	}
	return !jp2->want.ycc;
}

// boundary is the first edge of tiles beyond at, in reduced coordinates.
static int boundary(int at, gint64 first, gint64 side, int reduce)
{
	gint64 n = (((gint64) at << reduce) - first) / side;
	int edge;

	do
		edge = ceil_shift_wide(first + side * ++n, reduce);
	while (edge <= at);
	return edge;
}

// decode fills a piece of a band, which is given in the coordinates of out.
static int decode(Jp2 *jp2, Decoding *d, VipsRegion *out, const VipsRect *r)
{
	int reduce = jp2->want.reduce, wide = out->im->BandFmt == VIPS_FORMAT_USHORT;

	if (begin(d, jp2))
		return -1;
	opj_image_t *image = d->image;
	VipsRect grid = {
		ceil_shift(image->x0, reduce) + jp2->want.left + r->left,
		ceil_shift(image->y0, reduce) + jp2->want.top + r->top - jp2->phase,
		r->width, r->height,
	};
	gint64 left = VIPS_MAX((gint64) grid.left << reduce, (gint64) image->x0);
	gint64 top = VIPS_MAX((gint64) grid.top << reduce, (gint64) image->y0);
	gint64 right = VIPS_MIN((gint64) VIPS_RECT_RIGHT(&grid) << reduce, (gint64) image->x1);
	gint64 bottom = VIPS_MIN((gint64) VIPS_RECT_BOTTOM(&grid) << reduce, (gint64) image->y1);

	if (!opj_set_decode_area(d->codec, image, left, top, right, bottom) ||
		!opj_decode(d->codec, d->stream, image) || d->failed || check(jp2, image, &grid))
		return -1;
	int simple = plain(jp2, image, &grid);
	for (int y = 0; y < r->height; y++) {
		VipsPel *row = VIPS_REGION_ADDR(out, r->left, r->top + y);

		if (simple)
			pack_plain_row(image, r->width, y, row);
		else
			pack_row(jp2, image, &grid, y, row, wide);
	}
	return 0;
}

// piece_width is how much of a band of rows, from column left on, is decoded
// at once: whole tiles as far as they go.
static int piece_width(const Jp2 *jp2, int left, int right, int rows)
{
	int reduce = jp2->want.reduce, origin = jp2->origin_left + jp2->want.left, end;

	if (!jp2->tile_width)
		return right - left;
	end = boundary(origin + left, jp2->tile_left, jp2->tile_width, reduce) - origin;
	for (int next = end; next < right && (gint64) (next - left) * rows <= PIECE;
		next = boundary(origin + next, jp2->tile_left, jp2->tile_width, reduce) - origin)
		end = next;
	return VIPS_MIN(end, right) - left;
}

// decode_band goes through a band piece by piece: what OpenJPEG holds of a
// piece is many times the band's own pixels.
static int decode_band(Jp2 *jp2, VipsRegion *out)
{
	VipsRect band = out->valid;
	int result = 0;

	if (band.top < jp2->phase) {
		band.height -= jp2->phase - band.top;
		band.top = jp2->phase;
	}
	for (int left = band.left; band.height > 0 && left < VIPS_RECT_RIGHT(&band) && !result;) {
		Decoding d = { 0 };
		VipsRect piece = { left, band.top, piece_width(jp2, left, VIPS_RECT_RIGHT(&band), band.height), band.height };

		result = decode(jp2, &d, out, &piece);
		end(&d);
		// Without tiles each band takes hundreds of MiB of all sizes anew;
		// the freed ones must not add up while they wait to be reused.
		if (!jp2->tile_width && (gint64) piece.width * piece.height >= PIECE)
			iiifd_return_free();
		left += piece.width;
	}
	return result;
}

static int generate(VipsRegion *out, void *seq, void *a, void *b, gboolean *stop)
{
	Jp2 *jp2 = (Jp2 *) a;

	g_mutex_lock(&jp2->lock);
	int result = decode_band(jp2, out);
	g_mutex_unlock(&jp2->lock);
	return result;
}

// --- the image -------------------------------------------------------------

static void release(VipsImage *image, Jp2 *jp2)
{
	g_mutex_clear(&jp2->lock);
	g_object_unref(jp2->source);
	g_free(jp2);
}

// lay_out notes the columns of tiles and where bands begin. Bands of fewer rows
// than a tile has begin with the picture.
static void lay_out(Jp2 *jp2, const Decoding *d)
{
	opj_codestream_info_v2_t *info = opj_get_cstr_info(d->codec);
	int reduce = jp2->want.reduce;

	jp2->origin_left = ceil_shift(d->image->x0, reduce);
	if (info && (gint64) info->tw * info->th > 1 && info->tdx && info->tdy) {
		int top = ceil_shift(d->image->y0, reduce) + jp2->want.top;
		gint64 row = (((gint64) top << reduce) - info->ty0) / info->tdy;
		int above = ceil_shift_wide(info->ty0 + row * info->tdy, reduce);

		jp2->tile_left = info->tx0;
		jp2->tile_width = info->tdx;
		if (above < top && jp2->want.rows >= ceil_shift_wide(info->tdy, reduce))
			jp2->phase = top - above;
	}
	opj_destroy_cstr_info(&info);
}

// describe sets the result's header from the file's.
static int describe(Jp2 *jp2, VipsImage *out)
{
	Decoding d = { 0 };
	int result = begin(&d, jp2);

	if (!result && d.image->numcomps > 0) {
		int wide = d.image->comps[0].prec > 8;

		lay_out(jp2, &d);
		vips_image_init_fields(out, jp2->want.width, jp2->want.height + jp2->phase, jp2->want.bands,
			wide ? VIPS_FORMAT_USHORT : VIPS_FORMAT_UCHAR, VIPS_CODING_NONE,
			jp2->want.interpretation, 1.0, 1.0);
		jp2->want.ycc |= d.image->color_space == OPJ_CLRSPC_SYCC || d.image->color_space == OPJ_CLRSPC_EYCC;
		if (d.image->icc_profile_buf && d.image->icc_profile_len > 0)
			vips_image_set_blob_copy(out, VIPS_META_ICC_NAME, d.image->icc_profile_buf, d.image->icc_profile_len);
		result = vips_image_pipelinev(out, VIPS_DEMAND_STYLE_SMALLTILE, NULL);
	}
	end(&d);
	return result;
}

VipsImage *iiifd_jp2_load(VipsSource *source, const IiifdJp2 *options)
{
	VipsImage *image = vips_image_new(), *bands = NULL, *out = NULL;
	Jp2 *jp2 = g_new0(Jp2, 1);

	jp2->source = source;
	jp2->want = *options;
	g_object_ref(source);
	g_mutex_init(&jp2->lock);
	g_signal_connect(image, "close", G_CALLBACK(release), jp2);
	if (!describe(jp2, image) && !vips_image_generate(image, NULL, generate, NULL, jp2, NULL) &&
		!vips_tilecache(image, &bands, "tile_width", options->width, "tile_height", options->rows, "max_tiles", 2, NULL))
		vips_extract_area(bands, &out, 0, jp2->phase, options->width, options->height, NULL);
	VIPS_UNREF(bands);
	g_object_unref(image);
	return out;
}
