#include "bridge.h"
#include "_cgo_export.h"

// --- streams ---------------------------------------------------------------

static gint64 on_read(VipsSourceCustom *source, void *buffer, gint64 length, void *handle)
{
	return iiifdRead((uintptr_t) handle, buffer, length);
}

static gint64 on_seek(VipsSourceCustom *source, gint64 offset, int whence, void *handle)
{
	return iiifdSeek((uintptr_t) handle, offset, whence);
}

static gint64 on_write(VipsTargetCustom *target, const void *data, gint64 length, void *handle)
{
	return iiifdWrite((uintptr_t) handle, (void *) data, length);
}

VipsSource *iiifd_source_new(uintptr_t handle)
{
	VipsSourceCustom *source = vips_source_custom_new();

	if (source) {
		g_signal_connect(source, "read", G_CALLBACK(on_read), (void *) handle);
		g_signal_connect(source, "seek", G_CALLBACK(on_seek), (void *) handle);
	}
	return (VipsSource *) source;
}

VipsTarget *iiifd_target_new(uintptr_t handle)
{
	VipsTargetCustom *target = vips_target_custom_new();

	if (target)
		g_signal_connect(target, "write", G_CALLBACK(on_write), (void *) handle);
	return (VipsTarget *) target;
}

// --- opening ---------------------------------------------------------------

VipsImage *iiifd_load(VipsSource *source, const char *loader, const IiifdLoad *o)
{
	VipsOperation *operation = vips_operation_new(loader);
	VipsImage *out = NULL;

	if (!operation)
		return NULL;
	g_object_set(operation, "source", source, "access", o->access, "fail_on", o->fail_on, NULL);
	if (o->page >= 0)
		g_object_set(operation, "page", o->page, NULL);
	if (o->subifd >= 0)
		g_object_set(operation, "subifd", o->subifd, NULL);
	if (o->shrink > 1)
		g_object_set(operation, "shrink", o->shrink, NULL);
	if (o->scale > 0)
		g_object_set(operation, "scale", o->scale, NULL);
	if (o->dpi > 0)
		g_object_set(operation, "dpi", o->dpi, NULL);
	if (!vips_cache_operation_buildp(&operation))
		g_object_get(operation, "out", &out, NULL);
	vips_object_unref_outputs(VIPS_OBJECT(operation));
	g_object_unref(operation);
	return out;
}

int iiifd_advance(VipsImage *image, int y)
{
	VipsRegion *region = vips_region_new(image);
	int result = 0;

	if (!region)
		return -1;
	for (int top = 0; top < y && !result; top += 16) {
		VipsRect strip = { 0, top, 1, VIPS_MIN(16, y - top) };
		result = vips_region_prepare(region, &strip);
	}
	g_object_unref(region);
	return result;
}

// --- saving ----------------------------------------------------------------

int iiifd_save(VipsImage *image, const char *suffix, VipsTarget *target)
{
	return vips_image_write_to_target(image, suffix, target, NULL);
}

int iiifd_save_whole(VipsImage *image, const char *suffix, VipsTarget *target)
{
	VipsTarget *memory = vips_target_new_to_memory();
	VipsBlob *blob = NULL;
	int result = -1;

	if (memory && !vips_image_write_to_target(image, suffix, memory, NULL)) {
		size_t length;

		g_object_get(memory, "blob", &blob, NULL);
		const void *data = vips_blob_get(blob, &length);
		result = vips_target_write(target, data, length) || vips_target_end(target);
		vips_area_unref(VIPS_AREA(blob));
	}
	VIPS_UNREF(memory);
	return result;
}

static int write_rows(VipsRegion *region, VipsRect *area, void *target)
{
	size_t line = VIPS_REGION_SIZEOF_LINE(region);

	for (int y = 0; y < area->height; y++)
		if (vips_target_write((VipsTarget *) target, VIPS_REGION_ADDR(region, area->left, area->top + y), line))
			return -1;
	return 0;
}

int iiifd_save_pyramid(VipsImage *image, const char *file, int quality, int tile)
{
	return vips_tiffsave(image, file, "compression", VIPS_FOREIGN_TIFF_COMPRESSION_JPEG, "Q", quality,
		"tile", TRUE, "tile_width", tile, "tile_height", tile, "pyramid", TRUE, "subifd", TRUE,
		"strip", FALSE, "bigtiff", (gint64) image->Xsize * image->Ysize > G_GINT64_CONSTANT(1000000000), NULL);
}

int iiifd_save_rows(VipsImage *image, VipsTarget *target)
{
	if (vips_image_pio_input(image) || vips_sink_disc(image, write_rows, target))
		return -1;
	return vips_target_end(target);
}

// --- operations ------------------------------------------------------------

// Enlarging is not left to vips_resize: it places the samples half a pixel
// off (resize.c gives vips_affine the input's displacement but not the
// output's).
static VipsImage *enlarge(VipsImage *image, int width, int height)
{
	VipsInterpolate *interpolate = vips_interpolate_new("bicubic");
	VipsArrayInt *area = vips_array_int_newv(4, 0, 0, width, height);
	VipsImage *out = NULL;

	if (interpolate)
		vips_affine(image, &out, (double) width / image->Xsize, 0.0, 0.0, (double) height / image->Ysize,
			"interpolate", interpolate, "oarea", area, "idx", 0.5, "idy", 0.5, "odx", -0.5, "ody", -0.5,
			"extend", VIPS_EXTEND_COPY, "premultiplied", TRUE, NULL);
	VIPS_UNREF(interpolate);
	vips_area_unref(VIPS_AREA(area));
	return out;
}

// resize reduces what is to be smaller, then enlarges what is to be larger.
static VipsImage *resize(VipsImage *image, int width, int height)
{
	double hscale = VIPS_MIN(1.0, (double) width / image->Xsize);
	double vscale = VIPS_MIN(1.0, (double) height / image->Ysize);
	VipsImage *small = NULL;

	if (hscale == 1.0 && vscale == 1.0)
		return enlarge(image, width, height);
	if (vips_resize(image, &small, hscale, "vscale", vscale, NULL))
		return NULL;
	if (small->Xsize == width && small->Ysize == height)
		return small;
	VipsImage *out = enlarge(small, width, height);
	g_object_unref(small);
	return out;
}

// With alpha resizing works on premultiplied floats. The way back rounds:
// libvips' cast truncates, which would darken every pixel by half a step.
VipsImage *iiifd_resize(VipsImage *image, int width, int height)
{
	VipsImage *t[4] = { NULL, NULL, NULL, NULL };
	VipsImage *out = NULL;

	if (!vips_image_hasalpha(image))
		return resize(image, width, height);
	if (!vips_premultiply(image, &t[0], NULL) &&
		(t[1] = resize(t[0], width, height)) &&
		!vips_unpremultiply(t[1], &t[2], NULL) &&
		!vips_rint(t[2], &t[3], NULL))
		vips_cast(t[3], &out, image->BandFmt, NULL);
	for (int i = 0; i < 4; i++)
		VIPS_UNREF(t[i]);
	return out;
}

static VipsInterpretation deep_interpretation(VipsImage *image)
{
	if (image->Type == VIPS_INTERPRETATION_CMYK)
		return image->Type;
	return image->Bands < 3 ? VIPS_INTERPRETATION_GREY16 : VIPS_INTERPRETATION_RGB16;
}

// unit_to_ushort multiplies so that 1 becomes 65535 and rounds.
static VipsImage *unit_to_ushort(VipsImage *image)
{
	VipsImage *scaled = NULL, *out = NULL;

	if (!vips_linear1(image, &scaled, 65535.0, 0.5, NULL))
		vips_cast(scaled, &out, VIPS_FORMAT_USHORT, NULL);
	VIPS_UNREF(scaled);
	return out;
}

VipsImage *iiifd_whole_samples(VipsImage *image)
{
	VipsImage *cast = NULL, *out = NULL;

	switch (image->BandFmt) {
	case VIPS_FORMAT_UINT:
	case VIPS_FORMAT_INT:
		vips_cast(image, &cast, VIPS_FORMAT_USHORT, "shift", TRUE, NULL);
		break;
	case VIPS_FORMAT_CHAR:
		vips_cast(image, &out, VIPS_FORMAT_UCHAR, NULL);
		return out;
	case VIPS_FORMAT_SHORT:
		vips_cast(image, &cast, VIPS_FORMAT_USHORT, NULL);
		break;
	case VIPS_FORMAT_FLOAT:
	case VIPS_FORMAT_DOUBLE:
		// libvips knows what floats in Lab and in linear RGB mean.
		if (image->Type != VIPS_INTERPRETATION_LAB && image->Type != VIPS_INTERPRETATION_scRGB) {
			cast = unit_to_ushort(image);
			break;
		}
		// fall through
	default:
		g_object_ref(image);
		return image;
	}
	if (cast)
		vips_copy(cast, &out, "interpretation", deep_interpretation(cast), NULL);
	VIPS_UNREF(cast);
	return out;
}

VipsImage *iiifd_threshold(VipsImage *image, double level)
{
	VipsImage *out = NULL;

	vips_moreeq_const1(image, &out, level, NULL);
	return out;
}

VipsImage *iiifd_rotate(VipsImage *image, double degrees, const double *background, int n)
{
	VipsArrayDouble *array = vips_array_double_new(background, n);
	VipsImage *out = NULL;

	vips_rotate(image, &out, degrees, "background", array, NULL);
	vips_area_unref(VIPS_AREA(array));
	return out;
}

VipsImage *iiifd_flatten(VipsImage *image, const double *background, int n)
{
	VipsArrayDouble *array = vips_array_double_new(background, n);
	VipsImage *out = NULL;

	vips_flatten(image, &out, "background", array, NULL);
	vips_area_unref(VIPS_AREA(array));
	return out;
}

VipsImage *iiifd_bare(VipsImage *image, int keep_profile)
{
	VipsImage *out = NULL;

	if (vips_copy(image, &out, "xres", 1.0, "yres", 1.0, NULL))
		return NULL;
	char **fields = vips_image_get_fields(out);
	for (int i = 0; fields && fields[i]; i++) {
		// Operations on a sequential image must know that it is one: they
		// cache lines then, as no line can be had twice.
		if (strcmp(fields[i], VIPS_META_SEQUENTIAL) == 0 || (keep_profile && strcmp(fields[i], VIPS_META_ICC_NAME) == 0))
			continue;
		vips_image_remove(out, fields[i]);
	}
	g_strfreev(fields);
	return out;
}

VipsImage *iiifd_copy_memory(VipsImage *image)
{
	return vips_image_copy_memory(image);
}

// --- what this libvips can do ----------------------------------------------

int iiifd_blocks(const char *class_name, int blocked)
{
	if (!g_type_from_name(class_name))
		return -1;
	vips_operation_block_set(class_name, blocked);
	return 0;
}

int iiifd_has_saver(const char *operation)
{
	return vips_type_find("VipsOperation", operation) != 0;
}

char *iiifd_take_error(void)
{
	return vips_error_buffer_copy();
}
