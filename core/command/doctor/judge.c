/* SPDX-License-Identifier: MIT */
/*
 * Judges the facts about a machine: what each means for measurements, and how
 * to correct it. Writes a line for each. Reads no file and no clock.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "command/doctor/doctor.h"
#include "machine/processor.h"

/* The latency of a fast drive, some 10 us with NVMe flash, shows the time to
 * wake from deeper states. Waking from the states that all processors have
 * takes some 3 us. */
#define MAX_IDLE_US	10
/* Of the time since boot. Above this the host sometimes takes the CPU away
 * during an I/O. */
#define MAX_STOLEN_PERCENT	1.0

#define PRINTF(at, args)	__attribute__((format(printf, at, args)))

static void put(struct tw_doctor_line *line, enum tw_doctor_status status,
		const char *format, ...) PRINTF(3, 4);
static void fix_by(struct tw_doctor_line *line, const char *format, ...) PRINTF(2, 3);

static void put(struct tw_doctor_line *line, enum tw_doctor_status status,
		const char *format, ...)
{
	va_list args;

	line->status = status;
	va_start(args, format);
	vsnprintf(line->text, sizeof(line->text), format, args);
	va_end(args);
}

static void fix_by(struct tw_doctor_line *line, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(line->fix, sizeof(line->fix), format, args);
	va_end(args);
}

/* ---- programs ---- */

static void judge_fio(const struct tw_doctor_facts *facts, struct tw_doctor_line *line)
{
	if (facts->fio.version[0]) {
		put(line, TW_DOCTOR_GOOD, "%s, %s", facts->fio.version, facts->fio.path);
		return;
	}
	put(line, TW_DOCTOR_FIX, "%s: %s", facts->fio.path, facts->fio.why_not);
	fix_by(line, "sudo apt-get install fio");
}

static void judge_engine(const struct tw_doctor_facts *facts,
			 struct tw_doctor_line *line)
{
	if (!facts->engine.path[0]) {
		put(line, TW_DOCTOR_FIX, "there is no tickwise.so next to this program "
		    "and none where it is installed");
		fix_by(line, "tickwise build-engine");
	} else if (!facts->fio.version[0]) {
		put(line, TW_DOCTOR_UNDECIDED, "%s: there is no fio to load it",
		    facts->engine.path);
	} else if (facts->engine.is_loaded) {
		put(line, TW_DOCTOR_GOOD, "%s, loads", facts->engine.path);
	} else {
		put(line, TW_DOCTOR_FIX, "this fio can't load %s%s%s",
		    facts->engine.path, facts->engine.why_not[0] ? ": " : "",
		    facts->engine.why_not);
		fix_by(line, "tickwise build-engine --fio=%s", facts->fio.path);
	}
}

static void judge_refused_ring(const struct tw_doctor_facts *facts,
			       struct tw_doctor_line *line)
{
	if (facts->ring.disabled > 0) {
		put(line, TW_DOCTOR_FIX, "kernel.io_uring_disabled is %d",
		    facts->ring.disabled);
		fix_by(line, "sudo sysctl kernel.io_uring_disabled=0");
		return;
	}
	put(line, TW_DOCTOR_FIX, facts->ring.is_filtered ?
	    "a seccomp filter forbids it, as those of containers do" :
	    "a security module forbids it");
	if (facts->ring.is_filtered)
		fix_by(line, "docker run --security-opt seccomp=unconfined ...");
}

static void judge_ring(const struct tw_doctor_facts *facts, struct tw_doctor_line *line)
{
	switch (-facts->ring.error) {
	case 0:
		put(line, TW_DOCTOR_GOOD, "allowed");
		break;
	case EPERM:
	case EACCES:
		judge_refused_ring(facts, line);
		break;
	case ENOSYS:
		put(line, TW_DOCTOR_FIX, "%s", facts->ring.is_filtered ?
		    "a seccomp filter hides it, or this kernel has none" :
		    "this kernel has none");
		fix_by(line, "a kernel with CONFIG_IO_URING");
		break;
	case ENOMEM:
		put(line, TW_DOCTOR_FIX, "no memory may be locked for a ring");
		fix_by(line, "sudo prlimit --memlock=unlimited --pid $$");
		break;
	default:
		put(line, TW_DOCTOR_UNDECIDED, "%s", strerror(-facts->ring.error));
		break;
	}
}

static void judge_stages(const struct tw_doctor_facts *facts,
			 struct tw_doctor_line *line)
{
	if (facts->stages.is_served) {
		put(line, TW_DOCTOR_GOOD, "a kernel-helper serves this user");
	} else if (facts->stages.is_loaded) {
		put(line, TW_DOCTOR_GOOD, "possible with this user's own privileges");
	} else if (!facts->stages.is_built) {
		put(line, TW_DOCTOR_FIX, "this Tickwise was built without them");
		fix_by(line, "sudo apt-get install clang bpftool libbpf-dev; make");
	} else if (!facts->stages.has_types) {
		put(line, TW_DOCTOR_FIX, "this kernel has no type information "
		    "(/sys/kernel/btf/vmlinux)");
		fix_by(line, "a kernel with CONFIG_DEBUG_INFO_BTF");
	} else if (facts->stages.is_for_others) {
		put(line, TW_DOCTOR_FIX, "the kernel-helper is not for this user");
		fix_by(line, "sudo tickwise kernel-helper --group=GROUP # instead of it");
	} else {
		put(line, TW_DOCTOR_FIX, "%s", facts->stages.why_not);
		fix_by(line, "sudo tickwise kernel-helper # in another terminal");
	}
}

/* It is no fault: only jobs on such a device need it. */
static void judge_split(const struct tw_doctor_facts *facts, struct tw_doctor_line *line)
{
	const char *found = facts->stages.found, *missing = facts->stages.missing;

	if (!found[0] && !missing[0])
		put(line, TW_DOCTOR_NOTE, "not known");
	else if (!missing[0])
		put(line, TW_DOCTOR_GOOD, "%s", found);
	else
		put(line, TW_DOCTOR_NOTE, "%s; neither in this kernel nor in a loaded "
		    "module: %s", found[0] ? found : "none", missing);
}

/* ---- the counter ---- */

/* Return the first reason. `tickwise check` prints all of them. */
static const char *reason_of(const struct tw_doctor_facts *facts)
{
	for (unsigned bit = 1; bit && bit <= facts->counter.reasons; bit <<= 1)
		if (facts->counter.reasons & bit)
			return tw_text(TW_ENUM_REASON, bit);
	return "";
}

static void judge_counter(const struct tw_doctor_facts *facts,
			  struct tw_doctor_line *line)
{
	if (facts->counter.state != TW_COUNTER_OK)
		put(line, TW_DOCTOR_FIX, "%s",
		    tw_text(TW_ENUM_COUNTER_STATE, facts->counter.state));
	else if (facts->counter.error)
		put(line, TW_DOCTOR_UNDECIDED, "could not be measured: %s",
		    strerror(-facts->counter.error));
	else if (facts->counter.verdict == TW_RELIABLE)
		put(line, TW_DOCTOR_GOOD, "reliable on all CPUs of this process");
	else
		put(line, facts->counter.verdict == TW_UNRELIABLE ? TW_DOCTOR_FIX :
		    TW_DOCTOR_UNDECIDED, "%s", reason_of(facts));
	if (line->status == TW_DOCTOR_UNDECIDED)
		fix_by(line, "tickwise check --time-limit=10s");
	else if (line->status == TW_DOCTOR_FIX)
		fix_by(line, "tickwise check");
}

static int is_among(const char *names, const char *name)
{
	size_t length = strlen(name);

	for (; *names; names += strcspn(names, " "), names += strspn(names, " "))
		if (strncmp(names, name, length) == 0 &&
		    (!names[length] || names[length] == ' '))
			return 1;
	return 0;
}

/* Return the name of the counter as a clocksource; NULL on other processors,
 * where it differs. */
static const char *own_clocksource(const struct tw_machine *machine)
{
	return is_among(machine->clocksources, "tsc") ||
	       machine->has_read_with_cpu ? "tsc" : NULL;
}

static void judge_clocksource(const struct tw_doctor_facts *facts,
			      struct tw_doctor_line *line)
{
	const struct tw_machine *machine = &facts->machine;
	const char *own = own_clocksource(machine);

	if (!machine->clocksource[0]) {
		put(line, TW_DOCTOR_UNDECIDED, "not known");
	} else if (!own || strcmp(machine->clocksource, own) == 0) {
		put(line, TW_DOCTOR_GOOD, "%s", machine->clocksource);
	} else if (is_among(machine->clocksources, own)) {
		put(line, TW_DOCTOR_FIX, "%s, though %s is available: the "
		    "counter's rate can't be looked up", machine->clocksource, own);
		fix_by(line, "echo %s | sudo tee /sys/bus/clocksource/devices/*/current*",
			own);
	} else {
		put(line, TW_DOCTOR_FIX, "%s: the kernel does not trust the counter",
		    machine->clocksource);
		fix_by(line, "sudo dmesg | grep -i -e tsc -e clocksource");
	}
}

/* ---- what disturbs ---- */

static void judge_governor(const struct tw_doctor_facts *facts,
			   struct tw_doctor_line *line)
{
	if (!facts->governor[0]) {
		put(line, TW_DOCTOR_NOTE, "none: Linux does not choose the CPUs' frequency, "
		    "so it is not known");
	} else if (strcmp(facts->governor, "performance") == 0) {
		put(line, TW_DOCTOR_GOOD, "performance");
	} else {
		put(line, TW_DOCTOR_FIX, "%s: the CPUs' frequency changes with the load",
		    facts->governor);
		/* Of any kernel; cpupower may not be installed. */
		fix_by(line, "echo performance | "
		       "sudo tee /sys/bus/cpu/*/*/*/*_governor");
	}
}

static void judge_idle(const struct tw_doctor_facts *facts, struct tw_doctor_line *line)
{
	if (!facts->idle_state[0]) {
		put(line, TW_DOCTOR_GOOD, "none that Linux chooses");
	} else if (facts->idle_us <= MAX_IDLE_US) {
		put(line, TW_DOCTOR_GOOD, "at most %u us to wake up (%s)", facts->idle_us,
		    facts->idle_state);
	} else {
		put(line, TW_DOCTOR_FIX, "a CPU takes %u us to wake up from %s, which "
		    "latency contains", facts->idle_us, facts->idle_state);
		fix_by(line, "sudo apt install linux-cpupower; "
		       "sudo cpupower idle-set -D %d", MAX_IDLE_US);
	}
}

/* A guest is not judged as a fault. Other lines tell what a guest can't see. */
static void judge_virtual(const struct tw_doctor_facts *facts,
			  struct tw_doctor_line *line)
{
	if (facts->machine.hypervisor[0])
		put(line, TW_DOCTOR_NOTE, "%s: the stage device includes the host",
		    tw_hypervisor_name(facts->machine.hypervisor));
	else
		put(line, TW_DOCTOR_GOOD, "none");
}

static void judge_stolen(const struct tw_doctor_facts *facts,
			 struct tw_doctor_line *line)
{
	if (facts->stolen_percent < 0) {
		put(line, TW_DOCTOR_UNDECIDED, "not known");
	} else if (facts->stolen_percent <= MAX_STOLEN_PERCENT) {
		put(line, TW_DOCTOR_GOOD, "%.1f %% since boot", facts->stolen_percent);
	} else {
		put(line, TW_DOCTOR_FIX, "%.1f %% since boot: the host gave the CPUs to "
		    "others", facts->stolen_percent);
		fix_by(line, "virsh vcpupin, on the host; or dedicated CPUs");
	}
}

/* ---- all of them ---- */

void tw_doctor_judge(const struct tw_doctor_facts *facts,
		     struct tw_doctor_line lines[TW_DOCTOR_LINES])
{
	static const struct {
		const char *name;
		void (*judge)(const struct tw_doctor_facts *facts,
			      struct tw_doctor_line *line);
	} checks[TW_DOCTOR_LINES] = {
		{ "fio", judge_fio },
		{ "engine", judge_engine },
		{ "io_uring", judge_ring },
		{ "kernel stages", judge_stages },
		{ "split I/Os", judge_split },
		{ "counter", judge_counter },
		{ "clocksource", judge_clocksource },
		{ "governor", judge_governor },
		{ "idle states", judge_idle },
		{ "hypervisor", judge_virtual },
		{ "stolen time", judge_stolen },
	};

	for (int i = 0; i < TW_DOCTOR_LINES; i++) {
		lines[i].name = checks[i].name;
		lines[i].fix[0] = '\0';
		checks[i].judge(facts, &lines[i]);
	}
}

const char *tw_doctor_status_name(enum tw_doctor_status status)
{
	static const char *const names[TW_DOCTOR_STATUSES] = {
		"good", "note", "fix", "undecided",
	};

	return names[status];
}

enum tw_doctor_status tw_doctor_sum(const struct tw_doctor_line lines[TW_DOCTOR_LINES])
{
	enum tw_doctor_status sum = TW_DOCTOR_GOOD;

	for (int i = 0; i < TW_DOCTOR_LINES; i++)
		if (lines[i].status == TW_DOCTOR_FIX ||
		    (lines[i].status == TW_DOCTOR_UNDECIDED && sum == TW_DOCTOR_GOOD))
			sum = lines[i].status;
	return sum;
}
