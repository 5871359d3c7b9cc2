/* SPDX-License-Identifier: MIT */
/*
 * Prints what changed since the check before: verdict and reasons, CPUs that
 * came and went, and what kernel and processor report; see sequel.h.
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "command/check/sequel.h"
#include "trust.h"
#include "base/plain_text.h"
#include "machine/processor.h"

static void say_bits(FILE *out, const char *what, unsigned before, unsigned now,
		     enum tw_enum which)
{
	for (unsigned bit = 1; bit && bit <= (before | now); bit <<= 1)
		if ((before ^ now) & bit)
			fprintf(out, "%s%s: %s\n", now & bit ? "" : "no longer ",
				what, tw_text(which, bit));
}

void tw_check_compare_verdicts(FILE *out, const struct tw_check *before,
			       const struct tw_check *now)
{
	const char *is = now->machine.clocksource;
	const char *was = before->machine.clocksource;

	if (before->result.verdict != now->result.verdict)
		fprintf(out, "verdict: %s, was %s\n",
			tw_name(TW_ENUM_VERDICT, now->result.verdict),
			tw_name(TW_ENUM_VERDICT, before->result.verdict));
	say_bits(out, "because", before->result.reasons, now->result.reasons,
		 TW_ENUM_REASON);
	say_bits(out, "contradiction", before->contradictions, now->contradictions,
		 TW_ENUM_CONTRADICTION);
	if (strcmp(is, was))
		fprintf(out, "the kernel keeps time by %s, before by %s\n",
			*is ? is : "?", *was ? was : "?");
}

static void say_some(FILE *out, const char *what,
		     const struct tw_cpu_list *some, const char *how)
{
	if (!tw_cpu_list_count(some))
		return;
	fprintf(out, "%s: ", what);
	tw_cpu_list_print(some, out);
	fprintf(out, " %s\n", how);
}

static void compare_list(FILE *out, const char *what,
			 const struct tw_cpu_list *before,
			 const struct tw_cpu_list *now)
{
	struct tw_cpu_list some;

	tw_cpu_list_without(&some, before, now);
	say_some(out, what, &some, "gone");
	tw_cpu_list_without(&some, now, before);
	say_some(out, what, &some, "new");
}

void tw_check_compare_cpus(FILE *out, const struct tw_check *before,
			   const struct tw_check *now)
{
	const struct tw_machine_cpus *was = &before->cpus.machine;
	const struct tw_machine_cpus *is = &now->cpus.machine;

	compare_list(out, "online CPUs", &was->online, &is->online);
	compare_list(out, "CPUs of the cpuset", &was->cpuset, &is->cpuset);
	compare_list(out, "allowed CPUs", &was->allowed, &is->allowed);
	compare_list(out, "judged CPUs", &before->cpus.judged,
		     &now->cpus.judged);
}

static void say_rate(FILE *out, const char *who, uint64_t before_khz,
		     uint64_t now_khz)
{
	if (before_khz == now_khz)
		return;
	fprintf(out, "rate named by %s: ", who);
	if (now_khz)
		fprintf(out, "%.3f MHz", (double)now_khz / 1e3);
	else
		fprintf(out, "none");
	if (before_khz)
		fprintf(out, ", was %.3f MHz\n", (double)before_khz / 1e3);
	else
		fprintf(out, ", was none\n");
}

static void compare_rates(FILE *out, const struct tw_machine *before,
			  const struct tw_machine *now)
{
	say_rate(out, "CPUID leaf 0x15", before->cpuid_khz, now->cpuid_khz);
	say_rate(out, "the hypervisor", before->hypervisor_khz,
		 now->hypervisor_khz);
	say_rate(out, "/proc/cpuinfo", before->cpuinfo_khz, now->cpuinfo_khz);
	say_rate(out, "the kernel log", before->kernel_log_khz,
		 now->kernel_log_khz);
	say_rate(out, "the kernel's perf page", before->perf_page_khz,
		 now->perf_page_khz);
	if (before->declared_hz != now->declared_hz)
		fprintf(out, "rate declared by the firmware: %" PRIu64
			" Hz, was %" PRIu64 " Hz\n", now->declared_hz,
			before->declared_hz);
}

static void compare_measured_rate(FILE *out, double before_hz, double now_hz)
{
	double moved_ppm = before_hz > 0 && now_hz > 0 ?
			   (now_hz / before_hz - 1) * 1e6 : 0;

	/* Each check measures the rate for a few milliseconds only. */
	if (fabs(moved_ppm) > TW_TRUST_RATE_APART_PPM)
		fprintf(out, "measured rate: %.3f MHz, was %.3f MHz "
			"(%+.0f ppm)\n", now_hz / 1e6, before_hz / 1e6,
			moved_ppm);
}

/* Print a text that changed. Kernel and hypervisor may put any bytes into
 * it. */
static void say_text(FILE *out, const char *what, const char *before,
		     const char *now)
{
	char line[1024];

	if (!strcmp(before, now))
		return;
	snprintf(line, sizeof(line), "%s: %s, was %s", what, *now ? now : "none",
		 *before ? before : "none");
	fprintf(out, "%s\n", tw_plain_text(line));
}

static void say_truth(FILE *out, const char *what, int before, int now)
{
	static const char *const words[] = { "unknown", "no", "yes" };

	if (before != now)
		fprintf(out, "%s: %s, was %s\n", what, words[now + 1],
			words[before + 1]);
}

static void compare_counter(FILE *out, const struct tw_counter_facts *before,
			    const struct tw_counter_facts *now)
{
	if (before->state != now->state)
		fprintf(out, "counter: %s (%s), was %s\n",
			tw_name(TW_ENUM_COUNTER_STATE, now->state),
			tw_text(TW_ENUM_COUNTER_STATE, now->state),
			tw_name(TW_ENUM_COUNTER_STATE, before->state));
	say_truth(out, "clock_gettime() is a system call",
		  before->clock_is_call, now->clock_is_call);
	if (before->monotonic_offset_ns != now->monotonic_offset_ns ||
	    before->boottime_offset_ns != now->boottime_offset_ns)
		fprintf(out, "time namespace: CLOCK_MONOTONIC shifted by %+"
			PRId64 " ns, was %+" PRId64 " ns\n",
			now->monotonic_offset_ns, before->monotonic_offset_ns);
}

void tw_check_compare_facts(FILE *out, const struct tw_check *before,
			    const struct tw_check *now)
{
	const struct tw_machine *was = &before->machine, *is = &now->machine;

	compare_counter(out, &before->counter, &now->counter);
	compare_measured_rate(out, before->result.hz, now->result.hz);
	compare_rates(out, was, is);
	say_text(out, "clocksources to choose from", was->clocksources,
		 is->clocksources);
	say_text(out, "processor", was->processor, is->processor);
	say_text(out, "hypervisor", tw_hypervisor_name(was->hypervisor),
		 tw_hypervisor_name(is->hypervisor));
	say_truth(out, "invariant counter", was->invariant, is->invariant);
	say_truth(out, "synchronized clock", was->ntp_synchronized,
		  is->ntp_synchronized);
}
