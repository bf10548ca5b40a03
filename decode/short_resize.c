// Shrinking as vips_resize does it (resize.c, reducev.cpp, reduceh.cpp of
// libvips 8.14): averaging by half the factor's whole part, then a Lanczos
// kernel of three lobes by the rest, each axis for itself, edges repeated.
// Like there, weights are cut off to whole 4096ths and each pass ends in whole
// numbers from 0 to 255: the result is what libvips gets without its vector unit,
// whose weights are whole 64ths, but where a pixel's place is just between two
// of the kernel's positions: which it takes depends on how libvips adds up.
#include "short_inner.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3")
#endif

#define LOBES 3
#define MOST_TAPS 32 // the rest of a factor is below 4: 25
#define PHASES 64 // positions between two pixels, VIPS_TRANSFORM_SCALE
#define PARTS 4096 // of which weights are whole numbers, VIPS_INTERPOLATE_SCALE

typedef float Four __attribute__((vector_size(16)));

// grow makes room without keeping what was there.
static int grow(void *place, size_t *have, size_t want)
{
	void **p = (void **) place;

	if (*have >= want)
		return 0;
	free(*p);
	*have = 0;
	if (posix_memalign(p, 64, want)) {
		*p = NULL;
		return -1;
	}
	*have = want;
	return 0;
}

static double lanczos(double x)
{
	if (x <= -LOBES || x >= LOBES)
		return 0;
	if (fabs(x) < 1e-9)
		return 1;
	return LOBES * sin(M_PI * x) * sin(M_PI * x / LOBES) / (M_PI * M_PI * x * x);
}

static int axis_begin(Axis *a, size_t *have, int from, int to)
{
	a->from = from;
	a->to = to;
	double factor = (double) from / to;
	a->box = (int) (factor / 2) > 1 ? (int) (factor / 2) : 1;
	a->boxed = (from + a->box - 1) / a->box;
	a->rest = factor / a->box;
	a->taps = a->rest > 1 ? 2 * (int) rint(LOBES * a->rest) + 1 : 1;
	if (a->taps > MOST_TAPS)
		return -1;
	if (grow(&a->weights, have, sizeof(float) * a->taps * (PHASES + 1))) {
		a->weights_for = 0;
		return -1;
	}
	if (a->weights_for == a->rest)
		return 0;
	a->weights_for = a->rest;
	for (int phase = 0; phase <= PHASES; phase++) {
		float *w = a->weights + phase * a->taps;
		double sum = 0, middle = (double) phase / PHASES + a->taps / 2.0 - 1;

		if (a->taps == 1) {
			w[0] = 1;
			continue;
		}
		for (int i = 0; i < a->taps; i++)
			sum += w[i] = (float) lanczos((i - middle) / a->rest);
		for (int i = 0; i < a->taps; i++)
			w[i] = (float) (int) (w[i] / sum * PARTS) / PARTS;
	}
	return 0;
}

// axis_at says where output pixel i begins to read, counted in averaged
// pixels, and with which weights.
static int axis_at(const Axis *a, int i, const float **weights)
{
	if (a->taps == 1) {
		*weights = a->weights;
		return i;
	}
	double at = (i + 0.5) * a->rest;
	int whole = (int) at;

	*weights = a->weights + (int) ((at - whole) * PHASES + 0.5) * a->taps;
	return whole - a->taps / 2;
}

int shrinker_begin(Shrinker *s, int width, int height, int out_width, int out_height, int bands)
{
	size_t n = (size_t) width * bands;

	s->bands = bands;
	s->summed = s->boxed_lines = s->out_line = 0;
	if (axis_begin(&s->v, &s->sizes[0], height, out_height) || axis_begin(&s->h, &s->sizes[1], width, out_width))
		return -1;
	s->ring_lines = s->v.taps;
	size_t stride = (n + 15) & ~(size_t) 15;
	// The sums, the ring, and one line.
	if (grow(&s->memory, &s->sizes[2], sizeof(float) * stride * (s->ring_lines + 2)) ||
		grow(&s->ring, &s->sizes[3], sizeof(float *) * s->ring_lines) ||
		grow(&s->padded, &s->sizes[4], sizeof(Four) * (s->h.boxed + 2 * s->h.taps + 2)) ||
		grow(&s->line, &s->sizes[5], (size_t) out_width * bands + 16))
		return -1;
	s->sums = (uint32_t *) s->memory;
	s->column = s->memory + stride;
	for (int i = 0; i < s->ring_lines; i++)
		s->ring[i] = s->memory + stride * (i + 2);
	memset(s->sums, 0, n * sizeof(uint32_t));
	// What lies between a line's end and the next line is read, and not used.
	for (int i = 0; i < s->ring_lines; i++)
		memset(s->ring[i] + n, 0, (stride - n) * sizeof(float));
	return 0;
}

void shrinker_free(Shrinker *s)
{
	free(s->v.weights);
	free(s->h.weights);
	free(s->memory);
	free(s->ring);
	free(s->padded);
	free(s->line);
}

// rounded is v as a whole number of the range of bytes. The bounds are looked
// at last, in whole numbers, which compilers do for several at once.
static inline int rounded(float v)
{
	int i = (int) (v + 0.5f);

	i = i < 0 ? 0 : i;
	return i > 255 ? 255 : i;
}

static inline float byte(float v)
{
	return (float) rounded(v);
}

// expand_line spreads the column's pixels to four floats each, averaged, and
// repeats the first and the last one for the kernel.
static void expand_line(Shrinker *s)
{
	const Axis *h = &s->h;
	Four *out = (Four *) s->padded + h->taps;
	const float *in = s->column;
	int bands = s->bands;

	for (int x = 0; x < h->boxed; x++) {
		Four sum = { 0, 0, 0, 0 };

		for (int k = 0; k < h->box; k++) {
			int from = x * h->box + k < h->from ? x * h->box + k : h->from - 1;
			const float *p = in + (size_t) from * bands;

			sum += bands == 3 ? (Four) { p[0], p[1], p[2], 0 } : (Four) { p[0], 0, 0, 0 };
		}
		out[x] = h->box == 1 ? sum : (Four) {
			byte(sum[0] / h->box), byte(sum[1] / h->box), byte(sum[2] / h->box), 0
		};
	}
	for (int x = 1; x <= h->taps; x++) {
		out[-x] = out[0];
		out[h->boxed - 1 + x] = out[h->boxed - 1];
	}
}

static void shrink_row(Shrinker *s)
{
	const Axis *h = &s->h;
	const Four *in = (const Four *) s->padded + h->taps;
	unsigned char *out = s->line;

	for (int x = 0; x < h->to; x++) {
		const float *w;
		const Four *p = in + axis_at(h, x, &w);
		Four sum = p[0] * w[0];

		for (int i = 1; i < h->taps; i++)
			sum += p[i] * w[i];
		*out++ = (unsigned char) rounded(sum[0]);
		if (s->bands == 3) {
			*out++ = (unsigned char) rounded(sum[1]);
			*out++ = (unsigned char) rounded(sum[2]);
		}
	}
}

// weigh is the vertical kernel: out = Σ weight · line. Lines are as long in
// memory as a multiple of 16 samples, of which the sums stay in registers.
static void weigh(Shrinker *s, int first, const float *w)
{
	size_t n = (size_t) s->h.from * s->bands;
	const float *lines[MOST_TAPS];
	float *restrict out = s->column;

	for (int i = 0; i < s->v.taps; i++) {
		int y = first + i;

		y = y < 0 ? 0 : y >= s->v.boxed ? s->v.boxed - 1 : y;
		lines[i] = s->ring[y % s->ring_lines];
	}
	for (size_t x = 0; x < n; x += 16) {
		Four a = { 0 }, b = { 0 }, c = { 0 }, d = { 0 };

		for (int i = 0; i < s->v.taps; i++) {
			const Four *in = (const Four *) (lines[i] + x);

			a += in[0] * w[i];
			b += in[1] * w[i];
			c += in[2] * w[i];
			d += in[3] * w[i];
		}
		Four *to = (Four *) (out + x);

		to[0] = a;
		to[1] = b;
		to[2] = c;
		to[3] = d;
	}
	for (size_t x = 0; x < n; x++)
		out[x] = byte(out[x]);
}

// flush makes the output lines for which all input is there.
static int flush(Shrinker *s, int (*emit)(void *, unsigned char *), void *to)
{
	while (s->out_line < s->v.to) {
		const float *w;
		int first = axis_at(&s->v, s->out_line, &w);
		int last = first + s->v.taps - 1;

		if ((last < s->v.boxed - 1 ? last : s->v.boxed - 1) >= s->boxed_lines)
			return 0;
		weigh(s, first, w);
		expand_line(s);
		shrink_row(s);
		s->out_line++;
		int result = emit(to, s->line);
		if (result)
			return result;
	}
	return 0;
}

// averaged puts the sums of the last lines into the ring.
static void averaged(Shrinker *s)
{
	size_t n = (size_t) s->h.from * s->bands;
	float *restrict out = s->ring[s->boxed_lines % s->ring_lines];
	uint32_t *restrict sums = s->sums;
	float part = 1.0f / s->summed;

	for (size_t x = 0; x < n; x++) {
		out[x] = (float) (int) ((float) (int32_t) sums[x] * part + 0.5f);
		sums[x] = 0;
	}
	s->summed = 0;
	s->boxed_lines++;
}

int shrinker_line(Shrinker *s, const unsigned char *line, int (*emit)(void *, unsigned char *), void *to)
{
	size_t n = (size_t) s->h.from * s->bands;

	if (s->v.box == 1) {
		float *restrict out = s->ring[s->boxed_lines % s->ring_lines];

		for (size_t x = 0; x < n; x++)
			out[x] = line[x];
		s->boxed_lines++;
		return flush(s, emit, to);
	}
	uint32_t *restrict sums = s->sums;
	// The last line stands for those that its box lacks.
	int missing = s->v.box - s->summed;
	int times = s->boxed_lines * s->v.box + s->summed + 1 == s->v.from ? missing : 1;

	for (size_t x = 0; x < n; x++)
		sums[x] += line[x] * times;
	s->summed += times;
	if (s->summed < s->v.box)
		return 0;
	averaged(s);
	return flush(s, emit, to);
}
