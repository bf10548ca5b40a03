// What Go and libvips say to each other: streams in both directions, one
// call to open an image, one to save it, and the few operations that the
// Go binding does not offer.
#ifndef IIIFD_BRIDGE_H
#define IIIFD_BRIDGE_H

#include <stdint.h>
#include <vips/vips.h>

// Options of a loader; negative (or zero for doubles) means unset.
typedef struct {
	int access;
	int fail_on;
	int page;
	int subifd;
	int shrink;
	double scale;
	double dpi;
} IiifdLoad;

VipsSource *iiifd_source_new(uintptr_t handle);
VipsTarget *iiifd_target_new(uintptr_t handle);

// iiifd_load opens an image with the loader named, NULL on error.
VipsImage *iiifd_load(VipsSource *source, const char *loader, const IiifdLoad *options);
// iiifd_save writes an image with the saver that suffix names.
int iiifd_save(VipsImage *image, const char *suffix, VipsTarget *target);
// iiifd_save_whole does the same for savers that seek back in what they
// wrote: the whole file is made in memory first.
int iiifd_save_whole(VipsImage *image, const char *suffix, VipsTarget *target);
// iiifd_save_rows writes the pixels alone, row after row.
int iiifd_save_rows(VipsImage *image, VipsTarget *target);
// iiifd_advance leads a sequential image to line y.
int iiifd_advance(VipsImage *image, int y);

// iiifd_resize makes the image width × height, with alpha multiplied in.
VipsImage *iiifd_resize(VipsImage *image, int width, int height);
// iiifd_whole_samples makes unsigned samples: 32-bit ones and gray floats are
// scaled to 16 bits, negative ones become 0; others it leaves alone.
VipsImage *iiifd_whole_samples(VipsImage *image);
VipsImage *iiifd_threshold(VipsImage *image, double level);
VipsImage *iiifd_rotate(VipsImage *image, double degrees, const double *background, int n);
VipsImage *iiifd_flatten(VipsImage *image, const double *background, int n);
VipsImage *iiifd_bare(VipsImage *image, int keep_profile);
VipsImage *iiifd_copy_memory(VipsImage *image);

// Where a watermark lies, in pixels of the whole picture: it is repeated over
// whole_width × whole_height, of which the image shows the rest.
typedef struct {
	int degrees, flip; // what turns it as the picture is stored
	double whole_width, whole_height;
	double left, top, width, height;
	int bitonal; // black and white follow: the mark must outlast that
} IiifdMark;

// iiifd_mark lays mark, an image in memory, over an image of 8 or 16 bits.
VipsImage *iiifd_mark(VipsImage *image, VipsImage *mark, const IiifdMark *place);
// iiifd_save_pyramid writes a file of JPEG tiles with levels as SubIFDs.
int iiifd_save_pyramid(VipsImage *image, const char *file, int quality, int tile);

int iiifd_blocks(const char *class_name, int blocked);
int iiifd_has_saver(const char *operation);
char *iiifd_take_error(void);

// iiifd_return_free gives what C code has freed back to the system now.
void iiifd_return_free(void);

#endif
