// Times what a tile costs without a server: reading a stored JPEG tile, and
// decoding and encoding it with libtiff and libjpeg. Prints CPU milliseconds.
#include <stdio.h>

#include <jpeglib.h>
#include <stdlib.h>
#include <tiffio.h>
#include <time.h>

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec * 1e3 + t.tv_nsec / 1e6;
}

static unsigned long encode(const unsigned char *rgb, int width, int height)
{
	struct jpeg_compress_struct c;
	struct jpeg_error_mgr errors;
	unsigned char *out = NULL;
	unsigned long length = 0;

	c.err = jpeg_std_error(&errors);
	jpeg_create_compress(&c);
	jpeg_mem_dest(&c, &out, &length);
	c.image_width = width;
	c.image_height = height;
	c.input_components = 3;
	c.in_color_space = JCS_RGB;
	jpeg_set_defaults(&c);
	jpeg_set_quality(&c, 80, TRUE);
	jpeg_start_compress(&c, TRUE);
	while (c.next_scanline < c.image_height) {
		JSAMPROW row = (JSAMPROW) rgb + (size_t) c.next_scanline * width * 3;

		jpeg_write_scanlines(&c, &row, 1);
	}
	jpeg_finish_compress(&c);
	jpeg_destroy_compress(&c);
	free(out);
	return length;
}

int main(int argc, char **argv)
{
	TIFF *tiff = argc == 2 ? TIFFOpen(argv[1], "r") : NULL;
	uint32_t width = 0, height = 0;

	if (!tiff || !TIFFGetField(tiff, TIFFTAG_TILEWIDTH, &width) || !TIFFGetField(tiff, TIFFTAG_TILELENGTH, &height)) {
		fprintf(stderr, "usage: limit TILED.tif\n");
		return 2;
	}
	uint32_t n = TIFFNumberOfTiles(tiff), count = n < 400 ? n : 400;
	unsigned char *raw = malloc(1 << 20), *rgb = malloc((size_t) width * height * 3);
	double start = now();

	for (uint32_t i = 0; i < count; i++)
		if (TIFFReadRawTile(tiff, (uint32_t) ((unsigned long) i * 7919 % n), raw, 1 << 20) < 0)
			return 1;
	printf("| stored tile read | %.3f ms |\n", (now() - start) / count);
	TIFFSetField(tiff, TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB);
	start = now();
	for (uint32_t i = 0; i < count; i++)
		if (TIFFReadEncodedTile(tiff, (uint32_t) ((unsigned long) i * 7919 % n), rgb, (tmsize_t) width * height * 3) < 0 ||
			!encode(rgb, (int) width, (int) height))
			return 1;
	printf("| decoded and encoded, quality 80 | %.3f ms |\n", (now() - start) / count);
	TIFFClose(tiff);
	free(raw);
	free(rgb);
	return 0;
}
