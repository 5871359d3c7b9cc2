/* SPDX-License-Identifier: MIT */
/*
 * Compares a check of a watch with those before: see check.h.
 */
#include "command/check/check.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/allocate.h"
#include "base/plain_text.h"
#include "machine/processor.h"
#include "machine/steering.h"
#include "trust.h"

/* ---- facts ---- */

/* Write "NAME<tab>TEXT" and a newline. Kernel and hypervisor may put any bytes into a
 * text. */
static void put_text(FILE *out, const char *name, const char *text)
{
	char plain[1024];

	snprintf(plain, sizeof(plain), "%s", *text ? text : "none");
	fprintf(out, "%s\t%s\n", name, tw_plain_text(plain));
}

static void put_truth(FILE *out, const char *name, int truth)
{
	static const char *const words[] = { "unknown", "no", "yes" };

	put_text(out, name, words[truth + 1]);
}

static void put_rate(FILE *out, const char *who, uint64_t khz)
{
	if (khz)
		fprintf(out, "rate named by %s\t%.3f MHz\n", who, (double)khz / 1e3);
	else
		fprintf(out, "rate named by %s\tnone\n", who);
}

static void put_cpus(FILE *out, const char *name, const struct tw_cpu_list *list)
{
	char *text = tw_check_cpus_text(list);

	put_text(out, name, text ? text : "unknown");
	free(text);
}

/* Return what a watch compares as it is: a line for each fact, in the same order for
 * each check. To be freed. */
static char *facts_of(const struct tw_check *check)
{
	const struct tw_machine_cpus *cpus = &check->cpus.machine;
	const struct tw_machine *machine = &check->machine;
	char *text = NULL;
	size_t size;
	FILE *out = tw_text_open(&text, &size);

	put_text(out, "clocksource of the kernel", machine->clocksource);
	put_text(out, "clocksources to choose from", machine->clocksources);
	put_cpus(out, "online CPUs", &cpus->online);
	put_cpus(out, "CPUs of the cpuset", &cpus->cpuset);
	put_cpus(out, "allowed CPUs", &cpus->allowed);
	put_cpus(out, "judged CPUs", &check->cpus.judged);
	put_text(out, "counter", tw_name(TW_ENUM_COUNTER_STATE, check->counter.state));
	put_truth(out, "clock_gettime() is a system call", check->counter.clock_is_call);
	fprintf(out, "time namespace shifts CLOCK_MONOTONIC by\t%+" PRId64 " ns\n",
		check->counter.monotonic_offset_ns);
	put_rate(out, "CPUID leaf 0x15", machine->cpuid_khz);
	put_rate(out, "the hypervisor", machine->hypervisor_khz);
	put_rate(out, "/proc/cpuinfo", machine->cpuinfo_khz);
	put_rate(out, "the kernel log", machine->kernel_log_khz);
	put_rate(out, "the kernel's perf page", machine->perf_page_khz);
	put_rate(out, "the firmware", machine->declared_hz / 1000);
	put_text(out, "processor", machine->processor);
	put_text(out, "hypervisor", tw_hypervisor_name(machine->hypervisor));
	put_truth(out, "invariant counter", machine->invariant);
	put_truth(out, "synchronized clock", machine->ntp_synchronized);
	tw_text_close(out);
	return text;
}

static void compare_facts(FILE *out, const char *before, const char *now)
{
	while (*now) {
		int name = (int)strcspn(now, "\t") + 1;
		int is = (int)strcspn(now, "\n"), was = (int)strcspn(before, "\n");

		if (is != was || strncmp(now, before, (size_t)is))
			fprintf(out, "%.*s: %.*s, was %.*s\n", name - 1, now, is - name,
				now + name, was - name, before + name);
		now += is + 1;
		before += was + 1;
	}
}

static void compare_bits(FILE *out, const char *what, unsigned before, unsigned now,
			 enum tw_enum which)
{
	for (unsigned bit = 1; bit && bit <= (before | now); bit <<= 1)
		if ((before ^ now) & bit)
			fprintf(out, "%s%s: %s\n", now & bit ? "" : "no longer ", what,
				tw_text(which, bit));
}

/* ---- offsets that move ---- */

static void print_interval(FILE *out, const struct tw_cpu_offset *offset, double hz)
{
	const int64_t ends[] = { offset->low_ticks, offset->high_ticks };

	for (int i = 0; i < 2; i++) {
		fputs(i ? " to " : "", out);
		if (ends[i] == INT64_MAX || ends[i] == -INT64_MAX)
			fputc('?', out);
		else if (hz > 0)
			fprintf(out, "%+.1f ns", (double)ends[i] / hz * 1e9);
		else
			fprintf(out, "%+" PRId64 " ticks", ends[i]);
	}
}

static int is_same_pair(const struct tw_cpu_offset *one, const struct tw_cpu_offset *other)
{
	return one->base_cpu == other->base_cpu && one->cpu == other->cpu;
}

/* Find a pair; NULL: not there. Pairs come in the same order in every check, so the
 * search begins where the last one ended. */
static const struct tw_cpu_offset *find(const struct tw_check_history *history,
					const struct tw_cpu_offset *pair, unsigned *next)
{
	for (unsigned i = 0; i < history->within_pairs; i++) {
		unsigned at = (*next + i) % history->within_pairs;

		if (is_same_pair(&history->within[at], pair)) {
			*next = at + 1;
			return &history->within[at];
		}
	}
	return NULL;
}

static void take_in(FILE *out, const struct tw_cpu_offset *before,
		    struct tw_cpu_offset *now, double hz)
{
	if (now->low_ticks > before->high_ticks || now->high_ticks < before->low_ticks) {
		fprintf(out, "CPU %u moved against CPU %u: ahead by ", now->cpu,
			now->base_cpu);
		print_interval(out, now, hz);
		fputs(", was ", out);
		print_interval(out, before, hz);
		fputc('\n', out);
		return;
	}
	if (now->low_ticks < before->low_ticks)
		now->low_ticks = before->low_ticks;
	if (now->high_ticks > before->high_ticks)
		now->high_ticks = before->high_ticks;
}

/*
 * A constant offset lies in the interval of every check, so it lies in their
 * intersection. If a new interval does not meet the intersection, the offset was not
 * constant. Then a line is printed, and the intersection starts again with this
 * interval. New pairs are added; pairs that are gone are removed.
 */
static void compare_offsets(FILE *out, struct tw_check_history *history,
			    const struct tw_reliability *result)
{
	struct tw_cpu_offset *within = tw_zalloc(result->pairs, sizeof(*within));
	unsigned next = 0;

	for (unsigned i = 0; i < result->pairs; i++) {
		const struct tw_cpu_offset *before = find(history, &result->offsets[i], &next);

		within[i] = result->offsets[i];
		if (before)
			take_in(out, before, &within[i], result->hz);
	}
	free(history->within);
	history->within = within;
	history->within_pairs = result->pairs;
}

/* ---- pace ---- */

static int is_bounded(const struct tw_cpu_offset *offset)
{
	return offset->low_ticks != -INT64_MAX && offset->high_ticks != INT64_MAX;
}

/* Relative error of the distance in ticks. The system clock can be this far off while
 * NTP steers it, and the rate is from a short measurement. */
#define DISTANCE_ERROR	(TW_NTP_MAX_PPM / 1e6)

/* In ticks, between any moment of the first check and any moment of this check. */
struct distance {
	double min_ticks;
	double max_ticks;
};

/*
 * Return the smallest slope of a rise. A bound holds at some moment of its check, and it
 * is not known at which. So a rise is divided by the longest possible time between the
 * two moments, a fall by the shortest.
 */
static double min_ppb(double rise_ticks, const struct distance *distance)
{
	return rise_ticks / (rise_ticks > 0 ? distance->max_ticks : distance->min_ticks) * 1e9;
}

/* Widen the interval of pace by one pair. The lower bound leads from the highest possible
 * offset then to the lowest possible offset now, the upper bound from the lowest to the
 * highest. */
static void widen_pace(struct tw_check_history *history, const struct tw_cpu_offset *first,
		       const struct tw_cpu_offset *now, const struct distance *distance)
{
	double low_ppb = -INFINITY, high_ppb = INFINITY;

	if (is_bounded(first) && is_bounded(now) && distance->min_ticks > 0) {
		low_ppb = min_ppb((double)now->low_ticks - (double)first->high_ticks, distance);
		high_ppb = -min_ppb((double)first->low_ticks - (double)now->high_ticks,
				    distance);
	}
	history->pace_low_ppb = fmin(history->pace_low_ppb, low_ppb);
	history->pace_high_ppb = fmax(history->pace_high_ppb, high_ppb);
}

static void bound_pace(struct tw_check_history *history,
		       const struct tw_reliability *result, uint64_t begin_ns, uint64_t end_ns)
{
	const double hz = result->hz / 1e9;
	struct distance distance = { 0 };
	unsigned same = 0;

	while (same < result->pairs && same < history->pairs &&
	       is_same_pair(&history->first[same], &result->offsets[same]))
		same++;
	if (!history->first || same != result->pairs || same != history->pairs) {
		/* Other CPUs: later checks are compared with this one. */
		free(history->first);
		history->first = tw_zalloc(result->pairs, sizeof(*history->first));
		for (unsigned i = 0; i < result->pairs; i++)
			history->first[i] = result->offsets[i];
		history->pairs = result->pairs;
		history->first_begin_ns = begin_ns;
		history->first_end_ns = end_ns;
	}
	if (begin_ns > history->first_end_ns)
		distance.min_ticks = (double)(begin_ns - history->first_end_ns) * hz *
				     (1 - DISTANCE_ERROR);
	distance.max_ticks = (double)(end_ns - history->first_begin_ns) * hz *
			     (1 + DISTANCE_ERROR);
	history->pace_low_ppb = result->pairs ? INFINITY : -INFINITY;
	history->pace_high_ppb = -history->pace_low_ppb;
	for (unsigned i = 0; i < result->pairs; i++)
		widen_pace(history, &history->first[i], &result->offsets[i], &distance);
}

/* ---- all of it ---- */

char *tw_check_remember(struct tw_check_history *history, const struct tw_check *check,
			uint64_t begin_ns, uint64_t end_ns)
{
	const struct tw_reliability *result = &check->result;
	double was_hz = history->last.hz, ppm =
		was_hz > 0 && result->hz > 0 ? (result->hz / was_hz - 1) * 1e6 : 0;
	char *changes = NULL, *facts = facts_of(check);
	size_t size;
	FILE *out = tw_text_open(&changes, &size);

	if (history->checks) {
		if (history->last.verdict != result->verdict)
			fprintf(out, "verdict: %s, was %s\n",
				tw_name(TW_ENUM_VERDICT, result->verdict),
				tw_name(TW_ENUM_VERDICT, history->last.verdict));
		compare_bits(out, "because", history->last.reasons, result->reasons,
			     TW_ENUM_REASON);
		compare_bits(out, "contradiction", history->last_contradictions,
			     check->contradictions, TW_ENUM_CONTRADICTION);
		compare_facts(out, history->facts, facts);
		/* Each check measures the rate for a few milliseconds only. */
		if (fabs(ppm) > TW_TRUST_RATE_APART_PPM)
			fprintf(out, "measured rate: %.3f MHz, was %.3f MHz (%+.0f ppm)\n",
				result->hz / 1e6, was_hz / 1e6, ppm);
	} else {
		history->begin_ns = end_ns;
	}
	compare_offsets(out, history, result);
	tw_text_close(out);
	bound_pace(history, result, begin_ns, end_ns);
	free(history->facts);
	history->facts = facts;
	history->last = *result;
	history->last_contradictions = check->contradictions;
	history->last_ns = end_ns;
	history->checks++;
	history->verdicts[result->verdict]++;
	history->reasons |= result->reasons;
	history->changes += *changes != '\0';
	return changes;
}

void tw_check_forget(struct tw_check_history *history)
{
	free(history->first);
	free(history->within);
	free(history->facts);
}

enum tw_verdict tw_check_worst(const struct tw_check_history *history)
{
	if (history->verdicts[TW_UNRELIABLE])
		return TW_UNRELIABLE;
	return history->verdicts[TW_UNDECIDED] ? TW_UNDECIDED : TW_RELIABLE;
}
