/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Behaviour: of several times that CPUs write at once, the earliest stays as the time of
 * the dispatch and the latest as that of the completion, whatever the order. Defect: the
 * last writer's time stays, though its CPU was interrupted between its clock and its
 * write. The other CPU is simulated: it writes just before this one's exchange.
 */
#include <stdbool.h>
#include <stdint.h>

static unsigned long long exchange(unsigned long long *at, unsigned long long old,
				   unsigned long long new);
#define TW_STAMP_EXCHANGE(at, old, new)	exchange(at, old, new)

#include "kernel/stages/stamp.h"
#include "tap.h"

/* What other CPUs write, one before each exchange; 0: nothing. */
static const __u64 *others;
static unsigned exchanges;

static unsigned long long exchange(unsigned long long *at, unsigned long long old,
				   unsigned long long new)
{
	unsigned long long is;

	exchanges++;
	if (others && *others)
		*at = *others++;
	is = *at;
	if (is == old)
		*at = new;
	return is;
}

static void meets(__u64 is, __u64 ns, const __u64 *written, __u64 earliest,
		  __u64 latest, const char *what)
{
	__u64 first = is, last = is;

	others = written;
	tw_stamp_earliest(&first, ns);
	others = written;
	tw_stamp_latest(&last, ns);
	if (!tap_ok(first == earliest && last == latest, "%s", what))
		tap_note("earliest %llu, latest %llu", (unsigned long long)first,
			 (unsigned long long)last);
}

#define WRITES(...)	((const __u64[]) { __VA_ARGS__, 0 })

/* All orders of four times. */
static void any_order(void)
{
	unsigned wrong = 0;

	for (unsigned order = 0; order < 256; order++) {
		__u64 first = 0, last = 0, least = ~0ULL, most = 0;

		others = NULL;
		for (unsigned i = 0; i < 4; i++) {
			__u64 ns = 100 + (order >> 2 * i & 3);

			tw_stamp_earliest(&first, ns);
			tw_stamp_latest(&last, ns);
			least = ns < least ? ns : least;
			most = ns > most ? ns : most;
		}
		wrong += first != least || last != most;
	}
	tap_ok(!wrong, "four times in any order: the earliest and the latest");
}

int main(void)
{
	static const __u64 always[100] = {
#define TEN(n)	n + 1, n + 2, n + 3, n + 4, n + 5, n + 6, n + 7, n + 8, n + 9, n + 10
		TEN(100), TEN(110), TEN(120), TEN(130), TEN(140), TEN(150), TEN(160),
		TEN(170), TEN(180),
	};
	__u64 last = 100;

	any_order();
	meets(0, 500, NULL, 500, 500, "no time yet");
	meets(0, 500, WRITES(400), 400, 500, "another CPU writes an earlier one meanwhile");
	meets(0, 500, WRITES(600), 500, 600, "it writes a later one");
	meets(0, 500, WRITES(600, 450), 450, 600, "two others write");
	exchanges = 0;
	others = always;
	tw_stamp_latest(&last, 1000);
	tap_ok(exchanges == TW_STAMP_ATTEMPTS && last > 100,
	       "others that write all the time: it ends");
	exchanges = 0;
	tw_stamp_latest(&last, 90);
	tap_ok(!exchanges, "a time that is not wanted is not written");
	return tap_done();
}
