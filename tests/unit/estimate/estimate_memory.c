/* SPDX-License-Identifier: MIT */
/*
 * The collector's memory is touched before the readings that go there, and never
 * written beyond its end, however long the collecting goes on. The words that order
 * the probes are alone on their cache lines, whatever size this machine reports.
 *
 * Fails if a burst begins on memory that has yet to be mapped, or if probes that
 * run out of room go on (under AddressSanitizer). Fails also if a word shares its
 * line with something that is written.
 */
#include <malloc.h>
#include <string.h>

#include "machine/cpus.h"
#include "estimate/probe_worker.h"
#include "tap.h"

static struct tw_probe_run *collect(uint64_t room_ns, uint64_t run_ns,
				    enum tw_reliability_method method)
{
	struct tw_probe_goal goal = {
		.deadline_ns = tw_probe_now_ns() + run_ns,
		.least_switches = UINT64_MAX,
		.min_span_ns = UINT64_MAX / 2,
	};
	struct tw_probe_run *run = NULL;
	unsigned *cpus;
	unsigned count;

	if (tw_allowed_cpus(&cpus, &count))
		exit(1);
	if (tw_probe_new(&run, method, cpus, count, room_ns, NULL))
		exit(1);
	tap_ok(tw_probe_collect(run, &goal) >= 0, "collected");
	free(cpus);
	return run;
}

/*
 * For this test, fresh memory is not filled with 0. So the memory that a burst left
 * unused behind its last sample was touched before.
 */
static void try_touched(void)
{
	static const struct tw_sample none;
	struct tw_probe_run *run;
	unsigned seen = 0, touched = 0;
	unsigned i;

	mallopt(M_PERTURB, 0x5a);
	run = collect(2000000, 8000000, TW_METHOD_CAS);
	mallopt(M_PERTURB, 0);
	for (i = 0; i < run->count; i++) {
		const struct tw_probe_worker *worker = &run->workers[i];

		if (!worker->count || worker->count == run->capacity)
			continue;
		seen++;
		touched += !memcmp(&worker->samples[worker->count], &none,
				   sizeof(none));
	}
	tap_is_u64(touched, seen, "CPUs whose memory was touched before");
	tw_probe_free(run);
}

static void try_full(enum tw_reliability_method method, const char *what)
{
	struct tw_probe_run *run = collect(1000000, 60000000, method);
	unsigned i;
	int within = 1;

	for (i = 0; i < run->count; i++)
		within &= run->workers[i].count <= run->capacity;
	tap_ok(within, "%s: no more than there is room for", what);
	tw_probe_free(run);
}

int main(void)
{
	tap_ok(sizeof(struct tw_probe_word) == 128 &&
	       _Alignof(struct tw_probe_word) == 128, "each word is alone");
	tap_ok(sizeof(struct tw_probe_worker) % 128 == 0 &&
	       _Alignof(struct tw_probe_worker) == 128,
	       "and so is each thread's own");
	try_touched();
	try_full(TW_METHOD_CAS, "threads on all CPUs");
	try_full(TW_METHOD_SWITCH, "one thread moved");
	return tap_done();
}
