#include "short_inner.h"

#include <stdlib.h>
#include <string.h>

IiifdShort *iiifd_short_new(void)
{
	Short *s = calloc(1, sizeof(Short));

	if (!s)
		return NULL;
	s->encoder.shared = &s->shared;
	return &s->shared;
}

void iiifd_short_free(IiifdShort *shared)
{
	Short *s = (Short *) shared;

	encoder_free(&s->encoder);
	decoder_free(&s->decoder);
	shrinker_free(&s->shrinker);
	free(s->band);
	free(s);
}

int short_fail(Short *s, int code, const char *message)
{
	snprintf(s->shared.message, sizeof(s->shared.message), "%s", message);
	return code;
}

int short_band(Short *s, int rows)
{
	size_t want = (size_t) s->picture.width * s->picture.bands * (rows + s->picture.pad_bottom);

	if (s->band_size < want) {
		free(s->band);
		s->band_size = 0;
		s->band = malloc(want);
		if (!s->band)
			return IIIFD_SHORT_MEMORY;
		s->band_size = want;
	}
	s->band_rows = rows;
	s->band_next = 0;
	return 0;
}

static int emit_line(void *to, unsigned char *line)
{
	return encoder_lines((Encoder *) to, &line, 1);
}

#define LINES 16 // as many as a block of 4:2:0 is high

// write_lines passes the next lines of the band on.
static int write_lines(Short *s)
{
	size_t stride = (size_t) s->picture.width * s->picture.bands;
	unsigned char *lines[LINES];
	int n = s->band_rows - s->band_next;

	if (n > LINES)
		n = LINES;
	for (int i = 0; i < n; i++)
		lines[i] = s->band + (size_t) (s->band_next + i) * stride;
	s->band_next += n;
	s->rows_done += n;
	if (!s->resize)
		return encoder_lines(&s->encoder, lines, n);
	for (int i = 0; i < n; i++) {
		int failed = shrinker_line(&s->shrinker, lines[i], emit_line, &s->encoder);

		if (failed)
			return failed;
	}
	return 0;
}

int short_drain(Short *s)
{
	while (s->band_next < s->band_rows) {
		if (s->shared.out_length >= (size_t) s->picture.out_limit)
			return IIIFD_SHORT_MORE;
		int failed = write_lines(s);
		if (failed)
			return failed;
	}
	if (s->rows_done < s->picture.height)
		return 0;
	return encoder_end(&s->encoder);
}

// pad repeats the last column of the band, and the last row of the picture.
static void pad(Short *s)
{
	const IiifdPicture *p = &s->picture;
	size_t bands = p->bands, stride = p->width * bands;

	for (int y = 0; y < s->band_rows && p->pad_right > 0; y++) {
		unsigned char *end = s->band + (y + 1) * stride;

		for (int i = 0; i < p->pad_right; i++)
			memcpy(end - (p->pad_right - i) * bands, end - (p->pad_right + 1) * bands, bands);
	}
	if (s->rows_done + s->band_rows + p->pad_bottom < p->height)
		return;
	for (int i = 0; i < p->pad_bottom; i++, s->band_rows++)
		memcpy(s->band + s->band_rows * stride, s->band + (s->band_rows - 1) * stride, stride);
}

int iiifd_short_begin(IiifdShort *shared, const IiifdPicture *p)
{
	Short *s = (Short *) shared;

	s->picture = *p;
	s->shared.message[0] = 0;
	s->rows_done = s->band_rows = s->band_next = s->next = 0;
	s->resize = p->width != p->out_width || p->height != p->out_height;
	if (s->resize && shrinker_begin(&s->shrinker, p->width, p->height, p->out_width, p->out_height, p->bands))
		return IIIFD_SHORT_MEMORY;
	return encoder_begin(&s->encoder, p);
}

// fits checks a tile against the picture and its row, whatever the caller
// computed.
static int fits(const Short *s, const IiifdTile *t, int64_t data_length)
{
	const IiifdPicture *p = &s->picture;

	return t->offset >= 0 && t->length > 3 && t->offset <= data_length - t->length &&
		t->left >= 0 && t->top >= 0 && t->width > 0 && t->height > 0 && t->x >= 0 &&
		t->left + t->width <= p->tile_width && t->top + t->height <= p->tile_height &&
		t->x + t->width <= p->width - p->pad_right && s->rows_done + t->height <= p->height - p->pad_bottom;
}

int iiifd_short_tiles(IiifdShort *shared, const unsigned char *tables, int tables_length,
	const unsigned char *data, int64_t data_length, const IiifdTile *tiles, int n)
{
	Short *s = (Short *) shared;

	encoder_resume(&s->encoder);
	// After MORE the present row is already decoded.
	int failed = s->band_next < s->band_rows ? short_drain(s) : 0;

	for (; !failed && s->next < n; s->next++) {
		const IiifdTile *t = &tiles[s->next];

		if (!fits(s, t, data_length))
			return short_fail(s, IIIFD_SHORT_CORRUPT, "a tile out of its place");
		if (t->x == 0)
			failed = short_band(s, t->height);
		else if (t->height != s->band_rows)
			return short_fail(s, IIIFD_SHORT_CORRUPT, "tiles of one row differ in height");
		s->band_next = s->band_rows; // nothing to drain yet
		if (!failed)
			failed = decoder_tile(s, tables, tables_length, data + t->offset, t);
		if (!failed && t->last) {
			s->band_next = 0;
			pad(s);
			failed = short_drain(s);
			if (failed == IIIFD_SHORT_MORE) {
				s->next++;
				return failed;
			}
		}
	}
	if (!failed)
		s->next = 0;
	return failed;
}

int iiifd_short_tile(IiifdShort *s, const IiifdPicture *picture, const unsigned char *tables, int tables_length,
	const unsigned char *data, int64_t data_length, const IiifdTile *tiles, int n)
{
	int failed = iiifd_short_begin(s, picture);

	return failed ? failed : iiifd_short_tiles(s, tables, tables_length, data, data_length, tiles, n);
}

int iiifd_short_more(IiifdShort *shared)
{
	Short *s = (Short *) shared;

	encoder_resume(&s->encoder);
	return short_drain(s);
}
