// A part of a JPEG 2000 picture with OpenJPEG, from a codestream in memory
// that holds the main header and the tile-parts which the part touches.
#include "short_inner.h"

#include <openjpeg.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK (8 * 1024)

// --- input -------------------------------------------------------------------

typedef struct {
	const unsigned char *data;
	OPJ_OFF_T length, at;
} Memory;

static OPJ_SIZE_T on_read(void *buffer, OPJ_SIZE_T n, void *data)
{
	Memory *m = (Memory *) data;
	OPJ_SIZE_T rest = (OPJ_SIZE_T) (m->length - m->at);

	if (rest == 0)
		return (OPJ_SIZE_T) -1;
	n = n < rest ? n : rest;
	memcpy(buffer, m->data + m->at, n);
	m->at += (OPJ_OFF_T) n;
	return n;
}

static OPJ_BOOL on_seek(OPJ_OFF_T at, void *data)
{
	Memory *m = (Memory *) data;

	if (at < 0 || at > m->length)
		return OPJ_FALSE;
	m->at = at;
	return OPJ_TRUE;
}

static OPJ_OFF_T on_skip(OPJ_OFF_T n, void *data)
{
	Memory *m = (Memory *) data;

	return n >= 0 && n <= m->length - m->at && on_seek(m->at + n, data) ? n : -1;
}

// --- the decoder -------------------------------------------------------------

typedef struct {
	Short *s;
	Memory memory;
	opj_stream_t *stream;
	opj_codec_t *codec;
	opj_image_t *image;
	int failed;
} Wavelet;

static void on_error(const char *message, void *data)
{
	Wavelet *w = (Wavelet *) data;

	if (!w->failed)
		snprintf(w->s->shared.message, sizeof(w->s->shared.message), "%.*s", (int) strcspn(message, "\n"), message);
	w->failed = 1;
}

static void on_message(const char *message, void *data)
{
}

static void finish(Wavelet *w)
{
	if (w->image)
		opj_image_destroy(w->image);
	if (w->codec)
		opj_destroy_codec(w->codec);
	if (w->stream)
		opj_stream_destroy(w->stream);
}

static int open_stream(Wavelet *w, const IiifdWavelet *want)
{
	opj_dparameters_t parameters;

	w->codec = opj_create_decompress(want->boxed ? OPJ_CODEC_JP2 : OPJ_CODEC_J2K);
	w->stream = opj_stream_create(CHUNK, OPJ_TRUE);
	if (!w->codec || !w->stream)
		return IIIFD_SHORT_MEMORY;
	opj_stream_set_user_data(w->stream, &w->memory, NULL);
	opj_stream_set_user_data_length(w->stream, (OPJ_UINT64) w->memory.length);
	opj_stream_set_read_function(w->stream, on_read);
	opj_stream_set_skip_function(w->stream, on_skip);
	opj_stream_set_seek_function(w->stream, on_seek);
	opj_set_error_handler(w->codec, on_error, w);
	opj_set_warning_handler(w->codec, on_message, w);
	opj_set_info_handler(w->codec, on_message, w);
	opj_set_default_decoder_parameters(&parameters);
	parameters.cp_reduce = (OPJ_UINT32) want->reduce;
	if (!opj_setup_decoder(w->codec, &parameters))
		return IIIFD_SHORT_CORRUPT;
#if OPJ_VERSION_MAJOR > 2 || OPJ_VERSION_MINOR >= 5
	opj_decoder_set_strict_mode(w->codec, OPJ_TRUE);
#endif
	return opj_read_header(w->stream, w->codec, &w->image) && !w->failed ? 0 : IIIFD_SHORT_CORRUPT;
}

// plain tells that the samples are 8-bit gray or RGB, none subsampled, from
// the grid's corner.
static int plain(const opj_image_t *image, int bands)
{
	if ((int) image->numcomps != bands || image->x0 != 0 || image->y0 != 0 ||
		image->color_space == OPJ_CLRSPC_SYCC || image->color_space == OPJ_CLRSPC_EYCC ||
		image->color_space == OPJ_CLRSPC_CMYK)
		return 0;
	for (OPJ_UINT32 i = 0; i < image->numcomps; i++) {
		const opj_image_comp_t *c = &image->comps[i];

		if (c->dx != 1 || c->dy != 1 || c->prec != 8 || c->sgnd || c->alpha)
			return 0;
	}
	return 1;
}

static OPJ_INT32 smaller(int64_t a, OPJ_UINT32 b)
{
	return (OPJ_INT32) (a < (int64_t) b ? a : (int64_t) b);
}

static int decode(Wavelet *w, const IiifdPicture *p, const IiifdWavelet *want)
{
	int failed = open_stream(w, want);

	if (failed)
		return failed;
	if (!plain(w->image, p->bands) || p->pad_right || p->pad_bottom)
		return IIIFD_SHORT_FOREIGN;
	OPJ_UINT32 x1 = w->image->x1, y1 = w->image->y1;

	if (!opj_set_decode_area(w->codec, w->image, want->left << want->reduce, want->top << want->reduce,
			smaller((int64_t) (want->left + p->width) << want->reduce, x1),
			smaller((int64_t) (want->top + p->height) << want->reduce, y1)) ||
		!opj_decode(w->codec, w->stream, w->image) || w->failed)
		return IIIFD_SHORT_CORRUPT;
	for (int i = 0; i < p->bands; i++) {
		const opj_image_comp_t *c = &w->image->comps[i];

		if (!c->data || (int) c->w != p->width || (int) c->h != p->height)
			return short_fail(w->s, IIIFD_SHORT_CORRUPT, "another size decoded than asked for");
	}
	return 0;
}

static inline unsigned char clip(OPJ_INT32 v)
{
	return v < 0 ? 0 : v > 255 ? 255 : (unsigned char) v;
}

// pack makes pixels of planes.
static void pack(unsigned char *restrict to, const opj_image_t *image, int bands)
{
	size_t n = (size_t) image->comps[0].w * image->comps[0].h;
	const OPJ_INT32 *r = image->comps[0].data;

	if (bands == 1) {
		for (size_t i = 0; i < n; i++)
			to[i] = clip(r[i]);
		return;
	}
	const OPJ_INT32 *g = image->comps[1].data, *b = image->comps[2].data;

	for (size_t i = 0; i < n; i++) {
		to[3 * i] = clip(r[i]);
		to[3 * i + 1] = clip(g[i]);
		to[3 * i + 2] = clip(b[i]);
	}
}

int iiifd_short_wavelet(IiifdShort *shared, const IiifdPicture *picture, const IiifdWavelet *want,
	const unsigned char *data, int64_t data_length)
{
	Short *s = (Short *) shared;
	Wavelet w = { .s = s, .memory = { data, data_length, 0 } };
	int failed = iiifd_short_begin(shared, picture);

	if (!failed)
		failed = decode(&w, picture, want);
	if (!failed)
		failed = short_band(s, picture->height);
	if (!failed)
		pack(s->band, w.image, picture->bands);
	finish(&w);
	return failed ? failed : short_drain(s);
}
