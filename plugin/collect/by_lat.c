/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sums of stages by lat: see by_lat.h.
 */
#include "by_lat.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define LINE	64		/* bytes of a cache line */

int tw_by_lat_init(struct tw_by_lat *by_lat)
{
	const size_t size = TW_LAT_SLICES * sizeof(*by_lat->sum_ns);

	by_lat->sum_ns = aligned_alloc(LINE, (size + LINE - 1) / LINE * LINE);
	if (!by_lat->sum_ns)
		return -ENOMEM;
	/* Touch the memory now, so that the first I/O of a slice does not wait for it. */
	memset(by_lat->sum_ns, 0, size);
	return 0;
}

void tw_by_lat_free(struct tw_by_lat *by_lat)
{
	free(by_lat->sum_ns);
	by_lat->sum_ns = NULL;
}
