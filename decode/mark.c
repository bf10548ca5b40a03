#include "bridge.h"

// What is opaque in a mark without alpha: enough that black and white, which
// follow in bitonal pictures, still tell it from either.
#define PLAIN_OPACITY 0.6

static double top_sample(VipsImage *image)
{
	return image->BandFmt == VIPS_FORMAT_USHORT ? 65535.0 : 255.0;
}

// turned brings an upright mark into the picture's stored orientation.
static VipsImage *turned(VipsImage *mark, const IiifdMark *place)
{
	static const VipsAngle angles[] = { VIPS_ANGLE_D0, VIPS_ANGLE_D90, VIPS_ANGLE_D180, VIPS_ANGLE_D270 };
	VipsImage *rotated = NULL, *out = NULL;

	if (vips_rot(mark, &rotated, angles[place->degrees / 90 % 4], NULL))
		return NULL;
	if (!place->flip)
		return rotated;
	vips_flip(rotated, &out, VIPS_DIRECTION_HORIZONTAL, NULL);
	g_object_unref(rotated);
	return out;
}

// painted gives the mark the picture's colours and depth, and alpha.
static VipsImage *painted(VipsImage *mark, VipsImage *image)
{
	VipsImage *coloured = NULL, *cast = NULL, *out = NULL;

	if (!vips_colourspace(mark, &coloured, image->Type, NULL) && !vips_cast(coloured, &cast, image->BandFmt, NULL)) {
		if (vips_image_hasalpha(cast)) {
			out = cast;
			g_object_ref(out);
		}
		else
			vips_bandjoin_const1(cast, &out, PLAIN_OPACITY * top_sample(image), NULL);
	}
	VIPS_UNREF(coloured);
	VIPS_UNREF(cast);
	return out;
}

// spread repeats the mark over the whole picture and cuts out what the image
// shows of that.
static VipsImage *spread(VipsImage *mark, VipsImage *image, const IiifdMark *place)
{
	double fit = VIPS_MIN(place->whole_width / mark->Xsize, place->whole_height / mark->Ysize);
	double xscale = image->Xsize / place->width, yscale = image->Ysize / place->height;
	int width = VIPS_MAX(1, VIPS_RINT(mark->Xsize * fit * xscale));
	int height = VIPS_MAX(1, VIPS_RINT(mark->Ysize * fit * yscale));
	int left = VIPS_RINT(place->left * xscale), top = VIPS_RINT(place->top * yscale);
	VipsImage *sized = iiifd_resize(mark, width, height);
	VipsImage *repeated = NULL, *out = NULL;

	// Only the repetitions that are seen are made, so that no side overflows.
	left %= width;
	top %= height;
	if (sized && !vips_replicate(sized, &repeated, (left + image->Xsize) / width + 1, (top + image->Ysize) / height + 1, NULL))
		vips_extract_area(repeated, &out, left, top, image->Xsize, image->Ysize, NULL);
	VIPS_UNREF(sized);
	VIPS_UNREF(repeated);
	return out;
}

// laid blends the mark over the image by the mark's alpha. Transparency of
// the image ends where the mark is.
static VipsImage *laid(VipsImage *mark, VipsImage *image, int bitonal)
{
	VipsImage *t[5] = { NULL, NULL, NULL, NULL, NULL };
	VipsImage *out = NULL;
	double top = top_sample(image);
	double scale = (bitonal ? 4.0 : 1.0) * 255.0 / top;

	if (!vips_extract_band(mark, &t[0], mark->Bands - 1, NULL) &&
		!vips_linear1(t[0], &t[1], scale, 0.0, "uchar", TRUE, NULL) &&
		!vips_extract_band(mark, &t[2], 0, "n", mark->Bands - 1, NULL)) {
		int hidden = image->Bands - t[2]->Bands;

		if (hidden > 0) {
			double opaque[] = { top, top, top, top };
			vips_bandjoin_const(t[2], &t[3], opaque, VIPS_MIN(hidden, 4), NULL);
		}
		else {
			t[3] = t[2];
			g_object_ref(t[3]);
		}
		if (t[3] && !vips_ifthenelse(t[1], t[3], image, &t[4], "blend", TRUE, NULL))
			vips_copy(t[4], &out, "interpretation", image->Type, NULL);
	}
	for (int i = 0; i < 5; i++)
		VIPS_UNREF(t[i]);
	return out;
}

VipsImage *iiifd_mark(VipsImage *image, VipsImage *mark, const IiifdMark *place)
{
	VipsImage *t[3] = { NULL, NULL, NULL };
	VipsImage *out = NULL;

	if ((t[0] = turned(mark, place)) && (t[1] = painted(t[0], image)) && (t[2] = spread(t[1], image, place)))
		out = laid(t[2], image, place->bitonal);
	for (int i = 0; i < 3; i++)
		VIPS_UNREF(t[i]);
	return out;
}
