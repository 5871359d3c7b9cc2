/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Behaviour: the parts of a sync add up to the stage kernel, whatever the stamps are, and each
 * is where it was. A sync that never moved on has neither journal nor flush. The flush is no
 * longer than the wait that has it. On a block device the rest of this wait is data. What a
 * sync waited for a commit that was running is a part of journal, without flushes. Without
 * a begin, an end or a disk nothing is known. The stamps of another sync are not taken.
 *
 * Defect: a part below 0, a part that is counted twice, a flush before the sync has moved on.
 */
#include "kernel/sync/syncs.h"

#include "tap.h"

#define BASE_NS		3000000000000
#define SPLITS		1000000

static uint64_t random_state;

/* Both clocks are the same but for BASE_NS. */
static const struct tw_clock_map map = {
	.first = { 0, BASE_NS, 1 },
	.before = { 1000000000, BASE_NS + 1000000000, 1 },
	.last = { 2000000000, BASE_NS + 2000000000, 1 },
	.rate = 1, .older_rate = 1, .error_ns = 1, .max_error_ns = 1,
};

static struct tw_sync sync_at(uint64_t begun_ns, uint64_t moved_on_ns, uint64_t ended_ns,
			      uint64_t flush_ns)
{
	return (struct tw_sync) {
		.key = 7, .disk = 1, .flush_ns = flush_ns,
		.begun_ns = BASE_NS + begun_ns,
		.moved_on_ns = moved_on_ns ? BASE_NS + moved_on_ns : 0,
		.ended_ns = BASE_NS + ended_ns,
	};
}

static void are(const struct tw_sync_parts *parts, const uint64_t ns[TW_SYNC_PARTS],
		const char *what)
{
	int same = parts->known;

	for (unsigned i = 0; i < TW_SYNC_PARTS; i++)
		same &= parts->ns[i] == ns[i];
	if (!same)
		for (unsigned i = 0; i < TW_SYNC_PARTS; i++)
			printf("# part %u: %llu, should be %llu\n", i,
			       (unsigned long long)parts->ns[i], (unsigned long long)ns[i]);
	tap_ok(same, "%s", what);
}

/* The stage kernel is from 1000 to 2000 ns. */
static struct tw_sync_parts of(const struct tw_sync *sync)
{
	return tw_sync_parts(&map, sync, 1000, 1000);
}

static void test_known(void)
{
	struct tw_sync sync = sync_at(1100, 1300, 1800, 400);
	struct tw_sync_parts parts = of(&sync);

	are(&parts, (uint64_t[]) { 100, 200, 100, 400, 200 }, "each part is where it was");
	sync.flags = TW_SYNC_OF_DEVICE;
	parts = of(&sync);
	are(&parts, (uint64_t[]) { 100, 300, 0, 400, 200 }, "a block device has no journal");
	sync = sync_at(1100, 1300, 1800, 600);
	parts = of(&sync);
	are(&parts, (uint64_t[]) { 100, 200, 0, 500, 200 },
	    "the flush is no longer than the wait");
	sync = sync_at(1100, 0, 1800, 0);
	parts = of(&sync);
	are(&parts, (uint64_t[]) { 100, 700, 0, 0, 200 }, "a sync that writes data alone");
	sync = sync_at(900, 950, 2100, 100);
	parts = of(&sync);
	are(&parts, (uint64_t[]) { 0, 0, 900, 100, 0 },
	    "stamps outside of the stage count as its ends");
	sync = sync_at(1800, 1300, 1100, 10);
	parts = of(&sync);
	are(&parts, (uint64_t[]) { 800, 0, 0, 0, 200 }, "none is below 0");
}

static void test_unknown(void)
{
	struct tw_sync sync = sync_at(1100, 1300, 1800, 400), read;
	const struct tw_syncs syncs = { .by_index = &sync };

	tap_ok(tw_syncs_read(&syncs, 0, 7, &read) && of(&read).known, "its own stamps are read");
	tap_ok(!tw_syncs_read(&syncs, 0, 8, &read) && !of(&read).known,
	   "those of another sync are not");
	sync.disk = 0;
	tap_ok(!of(&sync).known, "without a disk the flush is not known");
	sync = sync_at(1100, 1300, 1800, 400);
	sync.begun_ns = 0;
	tap_ok(!of(&sync).known, "nor without a begin");
	sync = sync_at(1100, 1300, 1800, 400);
	sync.ended_ns = 0;
	tap_ok(!of(&sync).known, "nor without an end");
	sync = sync_at(1100, 1300, 1800, 400);
	sync.flags = TW_SYNC_CUT;
	tap_ok(!of(&sync).known, "nor where flushes are missing");
}

static uint64_t below(uint64_t limit)
{
	return tap_random(&random_state) % limit;
}

static void test_sum(void)
{
	int adds_up = 1;

	for (unsigned i = 0; i < SPLITS; i++) {
		const uint64_t kernel_ns = below(4000);
		const struct tw_sync sync = {
			.disk = 1,
			.begun_ns = BASE_NS + below(4000), .ended_ns = BASE_NS + below(4000),
			.moved_on_ns = below(4) ? BASE_NS + below(4000) : 0,
			.flush_ns = below(4000), .flags = (__u32)below(2),
		};
		const struct tw_sync_parts parts = tw_sync_parts(&map, &sync, 500, kernel_ns);
		uint64_t sum_ns = 0;

		for (unsigned part = 0; part < TW_SYNC_PARTS; part++) {
			sum_ns += parts.ns[part];
			adds_up &= parts.ns[part] <= kernel_ns;
		}
		adds_up &= parts.known && sum_ns == kernel_ns;
	}
	tap_ok(adds_up, "the parts of %d random syncs add up", SPLITS);
}

int main(void)
{
	random_state = tap_seed();
	test_known();
	test_unknown();
	test_sum();
	return tap_done();
}
