#include "bridge.h"

#include <jemalloc/jemalloc.h>

/* jemalloc is linked into the program, so it is the allocator however the
 * program is started. It reads its options from this symbol (jemalloc(3),
 * TUNING): free pages go back to the system after a second, by threads of
 * its own, so that memory falls after a burst without further requests. Freed
 * pieces of many MiB are cut for small ones until then: where they are kept
 * whole, as is the default, OpenJPEG's thousands of small blocks take new
 * memory with every tile. */
const char *malloc_conf =
	"background_thread:true,dirty_decay_ms:1000,muzzy_decay_ms:0,narenas:4,lg_extent_max_active_fit:10";

/* dirty_bytes is what is freed and still held. */
static size_t dirty_bytes(void)
{
	uint64_t epoch = 1;
	size_t size = sizeof epoch, pages = 0, page = 0;

	mallctl("epoch", &epoch, &size, &epoch, size);
	size = sizeof pages;
	if (mallctl("stats.arenas.4096.pdirty", &pages, &size, 0, 0) || /* 4096 is MALLCTL_ARENAS_ALL */
		mallctl("arenas.page", &page, &size, 0, 0))
		return 0;
	return pages * page;
}

void iiifd_return_free(void)
{
	/* Where another thread is giving an arena's pages back at this moment,
	 * jemalloc leaves it to that one (pac.c, pac_decay_to_limit), which may
	 * have begun before the pages were free that matter here, and may have
	 * no processor. Then it is tried again, for 30 ms altogether. */
	for (int wait = 1; wait <= 16; wait *= 2) {
		mallctl("arena.4096.purge", 0, 0, 0, 0);
		if (dirty_bytes() <= (1 << 20))
			return;
		g_usleep(1000 * wait);
	}
}
