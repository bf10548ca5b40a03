// Encoding as libvips' jpegsave does it (vips2jpeg.c), into memory.
#include "short_inner.h"

#include <jerror.h>
#include <stdlib.h>
#include <string.h>

// --- errors ------------------------------------------------------------------

static void on_error(j_common_ptr jpeg)
{
	JpegErrors *errors = (JpegErrors *) jpeg->err;
	char text[JMSG_LENGTH_MAX];

	errors->base.format_message(jpeg, text);
	snprintf(errors->message, sizeof(((IiifdShort *) 0)->message), "%s", text);
	longjmp(errors->back, 1);
}

// on_message notes the warnings that tell of missing data (jerror.h); others
// are about tidiness.
static void on_message(j_common_ptr jpeg, int level)
{
	JpegErrors *errors = (JpegErrors *) jpeg->err;

	if (level >= 0)
		return;
	errors->base.num_warnings++;
	switch (errors->base.msg_code) {
	case JWRN_HIT_MARKER:
	case JWRN_HUFF_BAD_CODE:
	case JWRN_JPEG_EOF:
	case JWRN_BOGUS_PROGRESSION:
	case JWRN_MUST_RESYNC:
	case JWRN_ARITH_BAD_CODE:
		if (!errors->lossy)
			errors->base.format_message(jpeg, errors->message);
		errors->lossy = 1;
	}
}

static void on_output(j_common_ptr jpeg)
{
}

struct jpeg_error_mgr *short_errors(JpegErrors *errors, char *message)
{
	jpeg_std_error(&errors->base);
	errors->base.error_exit = on_error;
	errors->base.emit_message = on_message;
	errors->base.output_message = on_output;
	errors->message = message;
	return &errors->base;
}

// --- output ------------------------------------------------------------------

#define FIRST_ROOM (64 * 1024)

static void point_at_rest(Encoder *e)
{
	e->to.next_output_byte = e->shared->out + e->shared->out_length;
	e->to.free_in_buffer = e->room - e->shared->out_length;
}

static void on_start(j_compress_ptr jpeg)
{
	point_at_rest((Encoder *) jpeg->client_data);
}

static boolean on_full(j_compress_ptr jpeg)
{
	Encoder *e = (Encoder *) jpeg->client_data;
	size_t room = e->room * 2;
	unsigned char *out = realloc(e->shared->out, room);

	if (!out)
		ERREXIT1(jpeg, JERR_OUT_OF_MEMORY, 0);
	e->shared->out = out;
	e->shared->out_length = e->room;
	e->room = room;
	point_at_rest(e);
	return TRUE;
}

static void settle(Encoder *e)
{
	e->shared->out_length = e->room - e->to.free_in_buffer;
}

static void on_end(j_compress_ptr jpeg)
{
	settle((Encoder *) jpeg->client_data);
}

// --- the encoder -------------------------------------------------------------

static int encoder_create(Encoder *e)
{
	if (!e->shared->out) {
		e->shared->out = malloc(FIRST_ROOM);
		e->room = FIRST_ROOM;
		if (!e->shared->out)
			return IIIFD_SHORT_MEMORY;
	}
	if (e->created)
		return 0;
	e->jpeg.err = short_errors(&e->errors, e->shared->message);
	e->jpeg.client_data = e;
	if (setjmp(e->errors.back))
		return IIIFD_SHORT_MEMORY;
	jpeg_create_compress(&e->jpeg);
	e->to.init_destination = on_start;
	e->to.empty_output_buffer = on_full;
	e->to.term_destination = on_end;
	e->jpeg.dest = &e->to;
	e->created = 1;
	return 0;
}

int encoder_begin(Encoder *e, const IiifdPicture *p)
{
	struct jpeg_compress_struct *jpeg = &e->jpeg;
	int failed = encoder_create(e);

	if (failed)
		return failed;
	if (setjmp(e->errors.back))
		return IIIFD_SHORT_MEMORY;
	jpeg_abort_compress(jpeg);
	e->shared->out_length = 0;
	jpeg->image_width = p->out_width;
	jpeg->image_height = p->out_height;
	jpeg->input_components = p->bands;
	jpeg->in_color_space = p->bands == 3 ? JCS_RGB : JCS_GRAYSCALE;
	jpeg_set_defaults(jpeg);
	jpeg_set_quality(jpeg, p->quality, TRUE);
	if (p->full_chroma)
		for (int i = 0; i < jpeg->num_components; i++)
			jpeg->comp_info[i].h_samp_factor = jpeg->comp_info[i].v_samp_factor = 1;
	jpeg->write_JFIF_header = FALSE; // as with the option strip
	jpeg_start_compress(jpeg, TRUE);
	settle(e);
	return 0;
}

void encoder_resume(Encoder *e)
{
	point_at_rest(e);
}

int encoder_lines(Encoder *e, unsigned char **lines, int n)
{
	if (setjmp(e->errors.back))
		return IIIFD_SHORT_MEMORY;
	jpeg_write_scanlines(&e->jpeg, lines, n);
	settle(e);
	return 0;
}

int encoder_end(Encoder *e)
{
	if (setjmp(e->errors.back))
		return IIIFD_SHORT_MEMORY;
	jpeg_finish_compress(&e->jpeg);
	return 0;
}

void encoder_free(Encoder *e)
{
	if (e->created)
		jpeg_destroy_compress(&e->jpeg);
	free(e->shared->out);
}
