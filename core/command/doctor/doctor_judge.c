/* SPDX-License-Identifier: MIT */
/*
 * Judges the facts about a machine: what each means for measurements, and how
 * to correct it. Writes a line for each. Reads no file and no clock.
 */
#include <errno.h>
#include <string.h>

#include "base/allocate.h"
#include "command/doctor/doctor_parts.h"
#include "machine/processor.h"
#include "text_file.h"

/* The latency of a fast drive, some 10 us with NVMe flash, shows the time to
 * wake from deeper states. Waking from the states that all processors have
 * takes some 3 us. */
#define MAX_IDLE_US	10	/* also in the command that fixes it */
/* Of the time since boot. Above this the host sometimes takes the CPU away
 * during an I/O. */
#define MAX_STOLEN_PERCENT	1.0

/* Set a line. @how: a command, or what to do; "": nothing. */
#define put(line, is, how, ...) \
	((line)->status = (is), (line)->fix = (how), (line)->text = tw_format(__VA_ARGS__))

/* ---- programs ---- */

static void judge_fio(const struct tw_doctor_facts *facts, struct tw_doctor_line *line)
{
	if (facts->fio.version)
		put(line, TW_DOCTOR_GOOD, "", "%s, %s", facts->fio.version, facts->fio.path);
	else
		put(line, TW_DOCTOR_FIX, "sudo apt-get install fio", "%s: %s",
		    facts->fio.path, facts->fio.why_not);
}

static void judge_engine(const struct tw_doctor_facts *facts, struct tw_doctor_line *line)
{
	const char *why_not = facts->engine.why_not ? facts->engine.why_not : "";

	if (!facts->engine.path)
		put(line, TW_DOCTOR_FIX, "tickwise build-engine", "there is no tickwise.so "
		    "next to this program and none where it is installed");
	else if (!facts->fio.version)
		put(line, TW_DOCTOR_UNDECIDED, "", "%s: there is no fio to load it",
		    facts->engine.path);
	else if (facts->engine.is_loaded)
		put(line, TW_DOCTOR_GOOD, "", "%s, loads", facts->engine.path);
	else
		put(line, TW_DOCTOR_FIX, tw_format("tickwise build-engine --fio=%s",
						   facts->fio.path),
		    "this fio can't load %s%s%s", facts->engine.path, *why_not ? ": " : "",
		    why_not);
}

static void judge_ring(const struct tw_doctor_facts *facts, struct tw_doctor_line *line)
{
	switch (-facts->ring.error) {
	case 0:
		put(line, TW_DOCTOR_GOOD, "", "allowed");
		break;
	case EPERM:
	case EACCES:
		if (facts->ring.disabled > 0)
			put(line, TW_DOCTOR_FIX, "sudo sysctl kernel.io_uring_disabled=0",
			    "kernel.io_uring_disabled is %d", facts->ring.disabled);
		else if (facts->ring.is_filtered)
			put(line, TW_DOCTOR_FIX,
			    "docker run --security-opt seccomp=unconfined ...",
			    "a seccomp filter forbids it, as those of containers do");
		else
			put(line, TW_DOCTOR_FIX, "", "a security module forbids it");
		break;
	case ENOSYS:
		put(line, TW_DOCTOR_FIX, "a kernel with CONFIG_IO_URING", "%s",
		    facts->ring.is_filtered ?
		    "a seccomp filter hides it, or this kernel has none" :
		    "this kernel has none");
		break;
	case ENOMEM:
		put(line, TW_DOCTOR_FIX, "sudo prlimit --memlock=unlimited --pid $$",
		    "no memory may be locked for a ring");
		break;
	default:
		put(line, TW_DOCTOR_UNDECIDED, "", "%s", strerror(-facts->ring.error));
		break;
	}
}

static void judge_stages(const struct tw_doctor_facts *facts, struct tw_doctor_line *line)
{
	if (facts->stages.is_served)
		put(line, TW_DOCTOR_GOOD, "", "a kernel-helper serves this user");
	else if (facts->stages.is_loaded)
		put(line, TW_DOCTOR_GOOD, "", "possible with this user's own privileges");
	else if (!facts->stages.is_built)
		put(line, TW_DOCTOR_FIX,
		    "make demo # it installs clang, bpftool and libbpf-dev",
		    "this Tickwise was built without them");
	else if (!facts->stages.has_types)
		put(line, TW_DOCTOR_FIX, "a kernel with CONFIG_DEBUG_INFO_BTF",
		    "this kernel has no type information (/sys/kernel/btf/vmlinux)");
	else if (facts->stages.is_for_others)
		put(line, TW_DOCTOR_FIX,
		    "sudo tickwise kernel-helper --group=GROUP # instead of it",
		    "the kernel-helper is not for this user");
	else
		put(line, TW_DOCTOR_FIX, "sudo tickwise kernel-helper # in another terminal",
		    "%s", facts->stages.why_not);
}

/* It has no helper, so it is no fault if this user can't. It needs what the stages need. */
static void judge_attach(const struct tw_doctor_facts *facts, struct tw_doctor_line *line)
{
	if (facts->stages.is_loaded)
		put(line, TW_DOCTOR_GOOD, "", "possible with this user's own privileges");
	else if (!facts->stages.is_built || !facts->stages.has_types)
		put(line, TW_DOCTOR_NOTE, "", "once the kernel stages work");
	else
		put(line, TW_DOCTOR_NOTE, "sudo tickwise attach PID",
		    "%s; a kernel-helper does not change that", facts->stages.why_not);
}

/* What is missing is no fault: few jobs need all of it. Nothing is good without the stages. */
static void judge_part(const struct tw_doctor_facts *facts, enum tw_doctor_part part,
		       struct tw_doctor_line *line)
{
	const char *found = facts->stages.parts[part].found;
	const char *missing = facts->stages.parts[part].missing;
	const int works = facts->stages.is_served || facts->stages.is_loaded;

	found = found ? found : "";
	missing = missing ? missing : "";
	if (!found[0] && !missing[0])
		put(line, TW_DOCTOR_NOTE, "", "not known");
	else
		put(line, works && !missing[0] ? TW_DOCTOR_GOOD : TW_DOCTOR_NOTE, "",
		    "%s%s%s%s", works ? "" : "once the kernel stages work: ",
		    found[0] ? found : "none", missing[0] ? "; missing: " : "", missing);
}

/* ---- the counter ---- */

static void judge_counter(const struct tw_doctor_facts *facts, struct tw_doctor_line *line)
{
	const char *longer = "tickwise check --time-limit=10s", *see = "tickwise check";
	/* The first reason. `tickwise check` prints all of them. */
	unsigned reason = facts->counter.reasons & -facts->counter.reasons;

	if (facts->counter.state != TW_COUNTER_OK)
		put(line, TW_DOCTOR_FIX, see, "%s",
		    tw_text(TW_ENUM_COUNTER_STATE, facts->counter.state));
	else if (facts->counter.error)
		put(line, TW_DOCTOR_UNDECIDED, longer, "could not be measured: %s",
		    strerror(-facts->counter.error));
	else if (facts->counter.verdict == TW_RELIABLE)
		put(line, TW_DOCTOR_GOOD, "", "reliable on all CPUs of this process");
	else if (facts->counter.verdict == TW_UNRELIABLE)
		put(line, TW_DOCTOR_FIX, see, "%s", tw_text(TW_ENUM_REASON, reason));
	else
		put(line, TW_DOCTOR_UNDECIDED, longer, "%s", tw_text(TW_ENUM_REASON, reason));
}

static void judge_clocksource(const struct tw_doctor_facts *facts,
			      struct tw_doctor_line *line)
{
	const char *is = facts->machine.clocksource, *others = facts->machine.clocksources;
	/* On other processors the counter's clocksource has another name. */
	int has_tsc = tw_text_has_word(others, "tsc", " ", " ") || facts->machine.has_read_with_cpu;

	if (!is[0])
		put(line, TW_DOCTOR_UNDECIDED, "", "not known");
	else if (!has_tsc || strcmp(is, "tsc") == 0)
		put(line, TW_DOCTOR_GOOD, "", "%s", is);
	else if (tw_text_has_word(others, "tsc", " ", " "))
		put(line, TW_DOCTOR_FIX,
		    "echo tsc | sudo tee /sys/bus/clocksource/devices/*/current*",
		    "%s, though tsc is available: the counter's rate can't be looked up", is);
	else
		put(line, TW_DOCTOR_FIX, "sudo dmesg | grep -i -e tsc -e clocksource",
		    "%s: the kernel does not trust the counter", is);
}

/* ---- what disturbs ---- */

static void judge_governor(const struct tw_doctor_facts *facts, struct tw_doctor_line *line)
{
	if (!facts->governor[0])
		put(line, TW_DOCTOR_NOTE, "", "none: Linux does not choose the CPUs' "
		    "frequency, so it is not known");
	else if (strcmp(facts->governor, "performance") == 0)
		put(line, TW_DOCTOR_GOOD, "", "performance");
	else
		/* On any kernel; cpupower may not be installed. */
		put(line, TW_DOCTOR_FIX,
		    "echo performance | sudo tee /sys/bus/cpu/*/*/*/*_governor",
		    "%s: the CPUs' frequency changes with the load", facts->governor);
}

static void judge_idle(const struct tw_doctor_facts *facts, struct tw_doctor_line *line)
{
	if (!facts->idle_state[0])
		put(line, TW_DOCTOR_GOOD, "", "none that Linux chooses");
	else if (facts->idle_us <= MAX_IDLE_US)
		put(line, TW_DOCTOR_GOOD, "", "at most %u us to wake up (%s)",
		    facts->idle_us, facts->idle_state);
	else
		put(line, TW_DOCTOR_FIX, "sudo apt install linux-cpupower; "
		    "sudo cpupower idle-set -D 10", "a CPU takes %u us to wake up from %s, "
		    "which latency contains", facts->idle_us, facts->idle_state);
}

/* A guest is not judged as a fault. Other lines tell what a guest can't see. */
static void judge_virtual(const struct tw_doctor_facts *facts, struct tw_doctor_line *line)
{
	if (facts->machine.hypervisor[0])
		put(line, TW_DOCTOR_NOTE, "", "%s: the stage device includes the host",
		    tw_hypervisor_name(facts->machine.hypervisor));
	else
		put(line, TW_DOCTOR_GOOD, "", "none");
}

static void judge_stolen(const struct tw_doctor_facts *facts, struct tw_doctor_line *line)
{
	if (facts->stolen_percent < 0)
		put(line, TW_DOCTOR_UNDECIDED, "", "not known");
	else if (facts->stolen_percent <= MAX_STOLEN_PERCENT)
		put(line, TW_DOCTOR_GOOD, "", "%.1f %% since boot", facts->stolen_percent);
	else
		put(line, TW_DOCTOR_FIX, "virsh vcpupin, on the host; or dedicated CPUs",
		    "%.1f %% since boot: the host gave the CPUs to others",
		    facts->stolen_percent);
}

/* ---- all of them ---- */

void tw_doctor_judge(const struct tw_doctor_facts *facts,
		     struct tw_doctor_line lines[TW_DOCTOR_LINES])
{
	static const struct {
		const char *name;
		void (*judge)(const struct tw_doctor_facts *facts,
			      struct tw_doctor_line *line);	/* NULL: it is of a part */
		enum tw_doctor_part part;
	} checks[TW_DOCTOR_LINES] = {
		{ "fio", .judge = judge_fio },
		{ "engine", .judge = judge_engine },
		{ "io_uring", .judge = judge_ring },
		{ "kernel stages", .judge = judge_stages },
		{ "split I/Os", .part = TW_DOCTOR_SPLIT },
		{ "causes", .part = TW_DOCTOR_CAUSES },
		{ "sync parts", .part = TW_DOCTOR_SYNCS },
		{ "attach", .judge = judge_attach },
		{ "counter", .judge = judge_counter },
		{ "clocksource", .judge = judge_clocksource },
		{ "governor", .judge = judge_governor },
		{ "idle states", .judge = judge_idle },
		{ "hypervisor", .judge = judge_virtual },
		{ "stolen time", .judge = judge_stolen },
	};

	for (int i = 0; i < TW_DOCTOR_LINES; i++) {
		lines[i].name = checks[i].name;
		if (checks[i].judge)
			checks[i].judge(facts, &lines[i]);
		else
			judge_part(facts, checks[i].part, &lines[i]);
	}
}
