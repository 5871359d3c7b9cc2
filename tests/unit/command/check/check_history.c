/* SPDX-License-Identifier: MIT */
/*
 * What a watch reports as changed, and the pace that it sums up.
 *
 * Fails if an offset that moved goes unseen because each single step was small, if wider
 * intervals around the same offset count as moving, if a rate changes without a word or
 * by noise alone. The pace holds every pace that the offset intervals allow, whenever
 * each bound was reached during its check, and is no wider than that. Fails if distances
 * are taken from one end of the checks to the same end of the next: a check of 2 s every
 * 3 s then promises three times too much. Fails also if other CPUs than at first are
 * compared.
 */
#include <math.h>
#include <string.h>

#include "command/check/check.h"
#include "tap.h"

#define HZ		1e9	/* a tick is 1 ns */
#define SECOND		TW_NS_PER_SECOND
#define CLOCK_ERROR	1e-3	/* the error of the system clock's rate */

static struct tw_check_history history;

static void remember(const struct tw_check *check, uint64_t begin_ns, uint64_t end_ns,
		     const char *should, const char *what)
{
	char *is = tw_check_remember(&history, check, begin_ns, end_ns);

	if (should && !tap_ok(!strcmp(is, should), "%s", what))
		tap_note("is '%s'", is);
	free(is);
}

static void forget(void)
{
	tw_check_forget(&history);
	history = (struct tw_check_history) { 0 };
}

static struct tw_cpu_offset pair(int64_t low_ticks, int64_t high_ticks)
{
	return (struct tw_cpu_offset) {
		.base_cpu = 0, .cpu = 4, .low_ticks = low_ticks, .high_ticks = high_ticks,
	};
}

static void see(struct tw_cpu_offset *pairs, unsigned count, uint64_t begin_ns,
		uint64_t end_ns, const char *should, const char *what)
{
	const struct tw_check check = {
		.result = { .hz = HZ, .offsets = pairs, .pairs = count },
	};

	remember(&check, begin_ns, end_ns, should, what);
}

/* ---- what changed ---- */

static struct tw_check before, now;

/* Compare @now with @before, and make them equal again. */
static void says(const char *should, const char *what)
{
	remember(&before, 0, 1, NULL, NULL);
	remember(&now, 2, 3, should, what);
	now = before;
}

static void facts(void)
{
	before.result.hz = 2.1e9;
	before.machine.kernel_log_khz = 2100000;
	strcpy(before.machine.processor, "A");
	tw_cpu_list_parse(&before.cpus.machine.online, "0-3");
	now = before;
	says("", "nothing changed");
	tw_cpu_list_parse(&now.cpus.machine.online, "0-1,5");
	tw_cpu_list_parse(&now.cpus.judged, "0-1");
	says("online CPUs: 0-1,5, was 0-3\njudged CPUs: 0-1, was unknown\n", "CPUs");
	now.result.hz = 2.1e9 * (1 + 499e-6);
	says("", "noise of the measured rate");
	now.result.hz = 2.1e9 * (1 - 600e-6);
	says("measured rate: 2098.740 MHz, was 2100.000 MHz (-600 ppm)\n",
	     "the measured rate");
	now.machine.kernel_log_khz = 2100001;
	now.machine.perf_page_khz = 2100000;
	says("rate named by the kernel log: 2100.001 MHz, was 2100.000 MHz\n"
	     "rate named by the kernel's perf page: 2100.000 MHz, was none\n",
	     "the kernel's rates");
	now.result.verdict = TW_UNRELIABLE;
	now.result.reasons = TW_REASON_BACKWARDS;
	now.counter.state = TW_COUNTER_TRAPPED;
	now.counter.clock_is_call = 1;
	says("verdict: unreliable, was reliable\n"
	     "because: a later reading was smaller than an earlier one\n"
	     "counter: trapped, was ok\nclock_gettime() is a system call: yes, was no\n",
	     "the verdict, its reason, and the counter's state");
	strcpy(now.machine.processor, "B\x1b[2J\n\x9b\tC");
	strcpy(now.machine.hypervisor, "KVM");
	says("processor: B?[2J???C, was A\nhypervisor: KVM, was none\n",
	     "another host, with a name that a terminal would obey");
	tap_is_u64(history.changes, 9, "checks at which something changed");
	tap_ok(tw_check_worst(&history) == TW_UNRELIABLE, "the worst verdict");
	forget();
}

static void offsets(void)
{
	static const struct {
		int64_t low, high;
		const char *should, *what;
	} steps[] = {
		{ -100, 100, "", "the first" },
		{ -INT64_MAX, INT64_MAX, "", "no bound" },
		{ 50, 250, "", "half of it elsewhere" },
		{ 100, 300, "", "they touch" },
		{ 101, 350, "CPU 4 moved against CPU 0: ahead by +101.0 ns to +350.0 ns, "
		  "was +100.0 ns to +100.0 ns\n", "moved, though each met the one before" },
		{ 300, INT64_MAX, "", "known anew from there on" },
		{ -9, 299, "CPU 4 moved against CPU 0: ahead by -9.0 ns to +299.0 ns, "
		  "was +300.0 ns to +350.0 ns\n", "back again" },
		{ -50, 299, "", "a wider interval on the low side" },
		{ -50, -10, "CPU 4 moved against CPU 0: ahead by -50.0 ns to -10.0 ns, "
		  "was -9.0 ns to +299.0 ns\n", "did not make room for a move there" },
	};
	struct tw_cpu_offset two[] = { pair(900, 999), pair(300, 350) };

	two[0].cpu = 2;
	for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++) {
		struct tw_cpu_offset one = pair(steps[i].low, steps[i].high);

		see(&one, 1, i, i, steps[i].should, steps[i].what);
		if (i == 5)
			see(two, 2, i, i, "", "another pair is new, not moved");
	}
	forget();
}

/* ---- the pace ---- */

/* Within the clock's error, outwards. */
static int is_about(double is_ppb, double exact_ppb, int outwards)
{
	double least = fabs(exact_ppb) * 0.999 * CLOCK_ERROR;
	double out_ppb = outwards * (is_ppb - exact_ppb);

	return out_ppb >= least && out_ppb <= 2.01 * least + 1e-9;
}

static void pace_is(double low_ppb, double high_ppb, const char *what)
{
	if (!tap_ok(is_about(history.pace_low_ppb, low_ppb, -1) &&
		    is_about(history.pace_high_ppb, high_ppb, 1), "%s: %+.1f to %+.1f ppb",
		    what, low_ppb, high_ppb))
		tap_note("is %+.3f to %+.3f", history.pace_low_ppb, history.pace_high_ppb);
}

static void no_pace(const char *what)
{
	tap_ok(history.pace_low_ppb == -INFINITY && history.pace_high_ppb == INFINITY, "%s",
	       what);
}

/*
 * The first check is from 10 s to 12 s, the second from 14 s to 15 s: a moment of the
 * one and a moment of the other are between 2 s and 5 s apart.
 */
static void pace_of_two(void)
{
	static const struct {
		int64_t first[2], second[2];
		double low_ppb, high_ppb;
	} cases[] = {
		/* 0 is possible: both ends over the shortest time. */
		{ { -100, 100 }, { -100, 100 }, -200 / 2.0, 200 / 2.0 },
		/* The offset rose by 300 at least, over 5 s at most; by 700 over 2 s. */
		{ { -100, 100 }, { 400, 600 }, 300 / 5.0, 700 / 2.0 },
		{ { -100, 100 }, { -600, -400 }, -700 / 2.0, -300 / 5.0 },
		{ { 1000, 1100 }, { 1050, 1200 }, -50 / 2.0, 200 / 2.0 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct tw_cpu_offset first = pair(cases[i].first[0], cases[i].first[1]);
		struct tw_cpu_offset second = pair(cases[i].second[0], cases[i].second[1]);

		see(&first, 1, 10 * SECOND, 12 * SECOND, NULL, NULL);
		no_pace("one check alone gives none");
		see(&second, 1, 14 * SECOND, 15 * SECOND, NULL, NULL);
		pace_is(cases[i].low_ppb, cases[i].high_ppb, "two checks");
		forget();
	}
}

/* 2000 offsets at random moments, of a random pace, in intervals that just hold them. */
static void pace_at_random(uint64_t *random)
{
	unsigned held = 0;

	for (unsigned i = 0; i < 2000; i++) {
		double pace_ppb = (double)((int64_t)(tap_random(random) >> 11) % 20001 - 10000);

		for (unsigned check = 5; check < 9; check++) {
			double at1 = (double)(tap_random(random) >> 40) / 0x1p24;
			double at2 = (double)(tap_random(random) >> 40) / 0x1p24;
			struct tw_cpu_offset one = pair(
				(int64_t)floor(pace_ppb * (check + at1 * .9)),
				(int64_t)ceil(pace_ppb * (check + at2 * .9)));

			see(&one, 1, check * SECOND, check * SECOND + SECOND * 9 / 10, NULL,
			    NULL);
		}
		held += history.pace_low_ppb <= pace_ppb && history.pace_high_ppb >= pace_ppb;
		forget();
	}
	tap_is_u64(held, 2000, "paces that lie in the interval");
}

/* Other CPUs, or a missing bound, tell nothing. Of two pairs it is the hull: of the one
 * that can have risen most and the one that can have fallen most. */
static void pace_of_pairs(void)
{
	struct tw_cpu_offset two[2] = { pair(-10, 10), pair(-100, 100) };
	struct tw_cpu_offset open = pair(-10, INT64_MAX);

	two[1].cpu = 2;
	see(two, 2, 0, SECOND, NULL, NULL);
	two[0].low_ticks = -20;
	see(two, 2, 3 * SECOND, 4 * SECOND, NULL, NULL);
	pace_is(-100, 100, "of two pairs the hull");
	see(two, 1, 6 * SECOND, 7 * SECOND, NULL, NULL);
	no_pace("CPUs that went away: begins anew");
	see(two, 1, 8 * SECOND, 9 * SECOND, NULL, NULL);
	pace_is(-30, 30, "and goes on from there");
	see(&open, 1, 10 * SECOND, 11 * SECOND, NULL, NULL);
	no_pace("a bound that is missing: none");
	forget();
}

int main(void)
{
	uint64_t random = tap_seed();

	facts();
	offsets();
	pace_of_two();
	pace_at_random(&random);
	pace_of_pairs();
	return tap_done();
}
