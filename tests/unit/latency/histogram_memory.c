/* SPDX-License-Identifier: MIT */
/*
 * A histogram of 5 digits spans 50 MB and costs only the pages that values fall
 * into, also after it was read and reset. Fails if bins are cleared one by one, if
 * they come in huge pages, or if a reset writes zeros over all.
 */

#include "latency/histogram.h"
#include "tap.h"
#include "tickwise.h"

static struct tw_histogram histogram;

/*
 * Return the memory that this process has written, in KiB. Pages that are only read
 * are all the same page of zeros, and not the process's own. -1 if the kernel does
 * not tell.
 */
static long private_kib(void)
{
	FILE *file = fopen("/proc/self/smaps_rollup", "re");
	char line[256];
	long kib = -1;

	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "Private_Dirty: %ld kB", &kib) == 1)
			break;
	if (file)
		fclose(file);
	return kib;
}

int main(void)
{
	long before = private_kib(), used;

	if (before < 0) {
		tap_skip("no /proc/self/smaps_rollup");
		return tap_done();
	}
	if (!tap_ok(!tw_histogram_init(&histogram, 5), "init"))
		return tap_done();
	tw_histogram_add(&histogram, 3);
	tw_histogram_add(&histogram, UINT64_MAX);
	tap_note("p50 %" PRIu64, tw_histogram_percentile(&histogram, 50));
	tap_note("stddev %g", tw_histogram_stddev_ns(&histogram));
	tw_histogram_reset(&histogram);
	tw_histogram_add(&histogram, 3);
	used = private_kib() - before;
	tap_note("%ld KiB", used);
	/* Two pages of bins and, at 8 bytes an entry, 100 KiB of page tables
	 * that this count leaves out; the rest of 1 MiB is stdio and libc. */
#if defined(__SANITIZE_THREAD__)
	tap_skip("ThreadSanitizer writes notes on every page that is read");
#else
	tap_ok(used < 1024, "less than 1 MiB of %zu used",
	       histogram.bin_count * sizeof(*histogram.bins));
#endif
	tw_histogram_free(&histogram);
	return tap_done();
}
