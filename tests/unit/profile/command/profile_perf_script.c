/* SPDX-License-Identifier: MIT */
/*
 * The output of perf script is read in each of its forms: with and without call
 * chains, with and without the fields before the event, with several events, and
 * without the kernel's frames. Another text is refused. Fails if a word before the event
 * is taken for the event, or if a weight or a frame is lost. fuzz/profile.c cuts and changes
 * texts.
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

/* A text; its event; its samples, each as "WEIGHT FUNCTION...", with a k for those in the
 * kernel. */
struct text {
	const char *text, *event;
	int has_chains, other_events;
	const char *samples[4];
	const char *what;
};

static void is_read(const struct text *wanted)
{
	struct perf_samples samples;
	char is[256];
	int failed = parse(&samples, wanted->text, strlen(wanted->text));

	tap_ok(!failed && strcmp(samples.event, wanted->event) == 0 &&
	       samples.has_chains == wanted->has_chains &&
	       samples.other_events == wanted->other_events, "%s: event '%s'", wanted->what,
	       samples.event);
	for (size_t i = 0; !failed && i < samples.sample_count; i++) {
		const struct perf_sample *sample = &samples.samples[i];
		int length = snprintf(is, sizeof(is), "%g%s", sample->weight,
				      sample->in_kernel ? " k" : "");

		for (size_t j = 0; j < sample->frames; j++)
			length += snprintf(is + length, sizeof(is) - (size_t)length, " %s",
					   samples.frames[sample->first_frame + j]->name);
		tap_ok(i < 4 && wanted->samples[i] && !strcmp(is, wanted->samples[i]),
		       "sample %zu: %s", i, is);
	}
	tap_ok(samples.sample_count == 4 || !wanted->samples[samples.sample_count],
	       "%zu samples", samples.sample_count);
	if (wanted->text == chains)
		tap_ok(samples.frames[0] == samples.frames[4] &&
		       samples.frames[0]->row == TW_ROW_UNKNOWN,
		       "one symbol for a name, of no row so far");
	tw_perf_samples_free(&samples);
}

static const char events[] =
	"         1 page-faults: \n\t 1100 a (/x)\n\n"
	"       300   cpu-clock: \n\t 1200 b (/x)\n\n"
	"         1 page-faults: \n\t 1300 c (/x)\n\n"
	"         5      cycles: \n\t 1400 d (/x)\n\n"
	"       400   cpu-clock: \n\t 1500 e (/x)\n\n";

static const struct text texts[] = {
	{ chains, "cpu-clock:u", 1, 0, { "250000 work main [unknown]",
	  "125000 k _ZN1AplERKS_.isra.0 work", "250000" }, "with chains" },
	/* As printed without -F, and without chains. */
	{ "Web Content  5525/5526 [003]   910.236892:     250000 cycles:      "
	  "5649df8c51fc work+0x2c (/tmp/plain)\n"
	  "           plain  5525   910.237129:  cycles:  ffffffff81633e4d "
	  "__kmalloc+0x3fd ([kernel.kallsyms])\n"
	  "           plain  5525   910.237130:          7 cycles:  7f00 "
	  "main+0xff+0x1c (/tmp/plain)\n", "cycles", 0, 0,
	  { "250000 work", "1 k", "7 main+0xff" }, "all fields" },
	{ events, "cpu-clock", 1, 1, { "300 b", "400 e" }, "the first of time" },
	{ " 1 sched:sched_switch: prev_comm=swapper/0 prev_pid=0\n"
	  " 2 page-faults:  1300 c (/x)\n"
	  " 1 sched:sched_switch: abcdef=x (y)\n", "sched:sched_switch", 0, 1,
	  { "1", "1" }, "none of time: the first of all" },
};

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

int main(void)
{
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		is_read(&texts[i]);
	unreadable();
	return tap_done();
}
