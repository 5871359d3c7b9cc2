/* SPDX-License-Identifier: MIT */
/*
 * The output of perf script is read in each of its forms: with and without call
 * chains, with and without the fields before the event, with several events, and
 * without the kernel's frames. Another text, or one with any wrong byte, is refused
 * or read, never past its end (run it with SAN=1). Fails if a word before the event
 * is taken for the event, or if a weight or a frame is lost.
 */
#include <errno.h>
#include <string.h>

#include "profile/command/profiles.h"
#include "tap.h"

static unsigned line;

static int parse(struct perf_samples *samples, const char *text, size_t length)
{
	FILE *stream = fmemopen((void *)(uintptr_t)text, length, "r");
	int failed = tw_perf_script_parse(samples, stream, &line);

	fclose(stream);
	return failed;
}

/*
 * True if sample @index has that weight, and its functions are @names, each with a
 * space behind it.
 */
static int is_sample(const struct perf_samples *samples, size_t index,
		     double weight, const char *names)
{
	const struct perf_sample *sample = &samples->samples[index];
	char all[256] = "";

	for (size_t i = 0; i < sample->frames; i++) {
		strcat(all, samples->frames[sample->first_frame + i]->name);
		strcat(all, " ");
	}
	if (strcmp(all, names) == 0 && sample->weight == weight)
		return 1;
	tap_note("sample %zu: weight %g, '%s'", index, sample->weight, all);
	return 0;
}

static const char chains[] =
	"# a comment\n"
	"    250000 cpu-clock:u: \n"
	"\t            11fc work+0x2c (/tmp/a b (deleted))\n"
	"\t            1094 main+0x24 (/tmp/plain)\n"
	"\t               0 [unknown] ([unknown])\n"
	"\n"
	"    125000 cpu-clock:u: \n"
	"\tffffffff821cc96d work+0x45d ([kernel.kallsyms])\n"
	"\t            2f00 _ZN1AplERKS_.isra.0 (/tmp/plain)\n"
	"\t            11fc work (/tmp/plain)\n"
	"\n"
	"    250000 cpu-clock:u: \n"
	"\n";

static void with_chains(void)
{
	struct perf_samples samples;

	if (!tap_ok(parse(&samples, chains, strlen(chains)) == 0, "is read"))
		return;
	tap_ok(strcmp(samples.event, "cpu-clock:u") == 0 &&
	       !samples.other_events, "one event, '%s'", samples.event);
	tap_ok(samples.has_chains, "with chains");
	tap_is_u64(samples.sample_count, 3, "all samples");
	tap_ok(is_sample(&samples, 0, 250000, "work main [unknown] ") &&
	       !samples.samples[0].in_kernel, "innermost first");
	tap_ok(is_sample(&samples, 1, 125000, "_ZN1AplERKS_.isra.0 work ") &&
	       samples.samples[1].in_kernel, "without the kernel's");
	tap_ok(is_sample(&samples, 2, 250000, "") &&
	       !samples.samples[2].in_kernel, "of no function");
	tap_ok(samples.frames[0] == samples.frames[4], "one symbol for a name");
	tap_ok(samples.frames[0]->row == TW_ROW_UNKNOWN, "of no row so far");
	tw_perf_samples_free(&samples);
}

/* As printed without -F, and without chains. */
static void with_all_fields(void)
{
	static const char text[] =
		"Web Content  5525/5526 [003]   910.236892:     250000 "
		"cycles:      5649df8c51fc work+0x2c (/tmp/plain)\n"
		"           plain  5525   910.237129:  cycles:  "
		"ffffffff81633e4d __kmalloc+0x3fd ([kernel.kallsyms])\n"
		"           plain  5525   910.237130:          7 cycles:  "
		"7f00 main+0xff+0x1c (/tmp/plain)\n";
	struct perf_samples samples;

	if (!tap_ok(parse(&samples, text, strlen(text)) == 0,
		    "other fields: is read"))
		return;
	tap_ok(strcmp(samples.event, "cycles") == 0, "event '%s'",
	       samples.event);
	tap_ok(!samples.has_chains, "without chains");
	tap_is_u64(samples.sample_count, 3, "all samples");
	tap_ok(is_sample(&samples, 0, 250000, "work "), "its period");
	tap_ok(is_sample(&samples, 1, 1, "") && samples.samples[1].in_kernel,
	       "no period: 1; the kernel's");
	tap_ok(is_sample(&samples, 2, 7, "main+0xff "), "one offset is cut");
	tw_perf_samples_free(&samples);
}

static const char events[] =
	"         1 page-faults: \n\t 1100 a (/x)\n\n"
	"       300   cpu-clock: \n\t 1200 b (/x)\n\n"
	"         1 page-faults: \n\t 1300 c (/x)\n\n"
	"         5      cycles: \n\t 1400 d (/x)\n\n"
	"       400   cpu-clock: \n\t 1500 e (/x)\n\n";

static void of_several_events(void)
{
	static const char others[] =
		" 1 sched:sched_switch: prev_comm=swapper/0 prev_pid=0\n"
		" 2 page-faults:  1300 c (/x)\n"
		" 1 sched:sched_switch: abcdef=x (y)\n";
	struct perf_samples samples;

	if (!tap_ok(parse(&samples, events, strlen(events)) == 0,
		    "several events: is read"))
		return;
	tap_ok(strcmp(samples.event, "cpu-clock") == 0 && samples.other_events,
	       "the first of time counts");
	tap_ok(samples.sample_count == 2 && is_sample(&samples, 0, 300, "b ") &&
	       is_sample(&samples, 1, 400, "e "), "and no other");
	tw_perf_samples_free(&samples);

	if (!tap_ok(parse(&samples, others, strlen(others)) == 0,
		    "none of time: is read"))
		return;
	tap_ok(strcmp(samples.event, "sched:sched_switch") == 0 &&
	       samples.sample_count == 2 && samples.other_events,
	       "the first of all counts");
	tap_ok(is_sample(&samples, 0, 1, "") && is_sample(&samples, 1, 1, ""),
	       "its words are no function");
	tw_perf_samples_free(&samples);
}

static void refused(const char *text, unsigned wrong, const char *what)
{
	struct perf_samples samples;
	int failed = parse(&samples, text, strlen(text));

	if (!failed)
		tw_perf_samples_free(&samples);
	tap_ok(failed == -EINVAL && line == wrong, "%s: refused", what);
}

static void unreadable(void)
{
	refused("tickwise-profile 1\n", 1, "no event");
	refused("\t 1100 a (/x)\n", 1, "a frame of no sample");
	refused("\n 1 cpu-clock: \n\t 11g0 a (/x)\n", 3, "no address");
	refused(" 1 cpu-clock: \n\t (/x)\n", 2, "no symbol");
	refused("comm 5525 910.237129: \n", 1, "a time is no event");
}

/* Cut the text off anywhere, and change bytes: it only has to end well. */
static void damaged(uint64_t *state)
{
	struct perf_samples samples;
	int read = 0;

	for (int i = 0; i < 20000; i++) {
		char text[sizeof(chains) + sizeof(events)];
		size_t length;

		strcpy(text, chains);
		strcat(text, events);
		length = tap_random(state) % strlen(text) + 1;
		for (uint64_t n = tap_random(state) % 4; n--;)
			text[tap_random(state) % length] =
				(char)tap_random(state);
		if (parse(&samples, text, length))
			continue;
		read++;
		tw_perf_samples_free(&samples);
	}
	tap_ok(read > 0 && read < 20000, "with bytes wrong: %d of 20000 read",
	       read);
}

int main(void)
{
	uint64_t state = tap_seed();

	with_chains();
	with_all_fields();
	of_several_events();
	unreadable();
	damaged(&state);
	return tap_done();
}
