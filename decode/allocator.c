#include "bridge.h"

#include <jemalloc/jemalloc.h>

/* jemalloc is linked into the program, so it is the allocator however the
 * program is started. It reads its options from this symbol (jemalloc(3),
 * TUNING): free pages go back to the system after a second, by threads of
 * its own, so that memory falls after a burst without further requests. */
const char *malloc_conf =
	"background_thread:true,dirty_decay_ms:1000,muzzy_decay_ms:0,narenas:4";

/* iiifd_return_free gives free pages back now. */
void iiifd_return_free(void)
{
	mallctl("arena.4096.purge", 0, 0, 0, 0); /* 4096 is MALLCTL_ARENAS_ALL */
}
