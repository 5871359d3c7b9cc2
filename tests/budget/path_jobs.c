/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Jobs of the engine for path.t, which counts the instructions of an I/O.
 *
 *	path_jobs KIND COUNT	do a job of this kind, with COUNT reads
 *
 * The engine is that of its unit tests: the source and the flags of the plugin, with fio, the
 * kernel and the counter made by hand. A stamp is then a load in place of a read of the
 * counter. Time passes by the job's own steps, so each run has the same instructions.
 */
#include <stdio.h>

#include "unit/plugin/engine/engine_block_files.h"

#define INTERVAL_US	3600000000U	/* no line is due before the end */

static struct tw_padded_stamps entries[WORLD_DEPTH];

/* The kernel's programs stamp an I/O that was chosen, and no other: none is slow. */
static void stamp(unsigned i)
{
	const uint64_t now_ns = world_monotonic_ns(engine_now_ticks);

	if (world.ios[i].sqe.user_data & TW_KEY_CHOSEN)
		entries[i].stamps = world_stamps(i, now_ns - 400, now_ns - 300, now_ns - 100,
					   now_ns - 50);
}

static void of_kernel(unsigned every)
{
	world.options.kernel = TW_KERNEL_REQUIRE;
	world.options.kernel_every = every;
	world.kernel_entries = entries;
	world.appeared = stamp;
}

static void plain(void) { }
static void no_stages(void) { world.options.stages = 0; }
static void chosen(void) { of_kernel(1); }
static void not_chosen(void) { of_kernel(1U << TW_CHOOSE_SHIFT_MAX); }
static void with_rate(void) { world.td.rate_bps[DDIR_READ] = 1 << 20; }
static void with_interval(void) { world.options.interval_us = INTERVAL_US; }
static void of_devices(void) { world_block_files(3); }

static const struct {
	const char *name;
	void (*set)(void);
} kinds[] = {
	{ "plain", plain },
	{ "tw_stages=0", no_stages },
	{ "kernel, chosen", chosen },
	{ "kernel, not chosen", not_chosen },
	{ "rate", with_rate },
	{ "devices", of_devices },
	{ "tw_interval", with_interval },
};

/* What callgrind counts. */
__attribute__((noinline)) void path_jobs_ios(unsigned ios);
void path_jobs_ios(unsigned ios)
{
	for (unsigned i = 0; i < ios; i++) {
		const unsigned u = i % WORLD_DEPTH;

		/* Spread the times over the bins, and the I/Os over the devices. */
		world.enter_ticks = 500 + i * 2654435761U % 1024;
		world.io_us[u].file = world.list[i % (unsigned)world.td.files_index];
		world_queue(u, DDIR_READ);
		world_pass(100);
		if (u == WORLD_DEPTH - 1)
			world_reap(WORLD_DEPTH);
	}
}

int main(int argc, char **argv)
{
	const unsigned ios = argc == 3 ? (unsigned)atoi(argv[2]) : 0;
	unsigned kind;

	for (kind = 0; ios && kind < 7 && strcmp(argv[1], kinds[kind].name); kind++)
		;
	if (!ios || ios % WORLD_DEPTH || kind == 7)
		return 2;
	world_forget();
	world.td.o.iodepth = WORLD_DEPTH;
	world.td.epoch.tv_nsec = 1;
	world.options.slowest = 10;
	world.options.report = (char *)"/dev/null";
	world.at_once = true;
	kinds[kind].set();
	world_start();
	path_jobs_ios(ios);
	world_end();
	return world_number("ios.read") != ios;
}
