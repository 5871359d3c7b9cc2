/* SPDX-License-Identifier: MIT */
/*
 * Reads facts about this machine: the counter, io_uring, files of /sys and /proc, and
 * what other programs know. fio tells its version and whether it loads the engine;
 * tickwise-kernel-helper tells what the kernel allows.
 */
#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/allocate.h"
#include "command/check/check.h"
#include "command/child.h"
#include "command/doctor/doctor_parts.h"
#include "command/own_files.h"
#include "command/run/run_parts.h"
#include "text_file.h"

#define HELPER		"tickwise-kernel-helper"
#define HELPER_SAYS	"kernel-helper: "
#define LONGEST_LINE	511	/* of what other programs print */

/* Since Linux 5.1 the number is the same on all processors. Older headers do
 * not have it. */
#ifndef SYS_io_uring_setup
#define SYS_io_uring_setup	425
#endif
#define RING_PARAMS_SIZE	120	/* sizeof(struct io_uring_params) */

/* ---- files ---- */

/* Read the first line of a file below @root; "" if it can't be read. */
static void read_line(const char *root, const char *path, char *text, size_t size)
{
	tw_text_file_begin(tw_format("%s%s", root, path), text, size);
	text[strcspn(text, "\n")] = '\0';
}

static int read_number(const char *root, const char *path, int otherwise)
{
	char text[32];

	read_line(root, path, text, sizeof(text));
	return *text ? atoi(text) : otherwise;
}

/* Find the files of all CPUs that match a pattern; to be freed by globfree(). */
static glob_t find_files(const char *root, const char *pattern)
{
	glob_t found = { 0 };

	glob(tw_format("%s/sys/devices/system/cpu/cpu[0-9]*/%s", root, pattern), 0, NULL, &found);
	return found;
}

/* Keep the first CPU's governor that is not performance. */
static void read_governor(const char *root, struct tw_doctor_facts *facts)
{
	glob_t files = find_files(root, "cpufreq/scaling_governor");
	int is_other = 0;

	for (size_t i = 0; i < files.gl_pathc && !is_other; i++) {
		char governor[sizeof(facts->governor)];

		read_line(files.gl_pathv[i], "", governor, sizeof(governor));
		if (*governor)
			strcpy(facts->governor, governor);
		is_other = *governor && strcmp(governor, "performance") != 0;
	}
	globfree(&files);
}

/* Keep the idle state with the longest latency of all CPUs. Disabled states are left
 * out, since no CPU enters them. */
static void read_idle_state(const char *root, struct tw_doctor_facts *facts)
{
	glob_t states = find_files(root, "cpuidle/state*");

	for (size_t i = 0; i < states.gl_pathc; i++) {
		const char *state = states.gl_pathv[i];
		int latency_us = read_number(state, "/latency", 0);

		if (read_number(state, "/disable", 0) ||
		    (facts->idle_state[0] && latency_us <= (int)facts->idle_us))
			continue;
		read_line(state, "/name", facts->idle_state, sizeof(facts->idle_state));
		facts->idle_us = (unsigned)latency_us;
	}
	globfree(&states);
}

/* The line is "cpu user nice system idle iowait irq softirq steal guest
 * guest_nice". The last two are left out: user and nice contain them. */
static double stolen_percent(const char *root)
{
	unsigned long long ticks[8] = { 0 }, all = 0;
	char text[512];

	read_line(root, "/proc/stat", text, sizeof(text));
	if (sscanf(text, "cpu %llu %llu %llu %llu %llu %llu %llu %llu", &ticks[0],
		   &ticks[1], &ticks[2], &ticks[3], &ticks[4], &ticks[5], &ticks[6],
		   &ticks[7]) != 8)
		return -1;
	for (int i = 0; i < 8; i++)
		all += ticks[i];
	return all ? 100.0 * (double)ticks[7] / (double)all : -1;
}

static int is_filtered(const char *root)
{
	char text[8192], *field;

	tw_text_file_begin(tw_format("%s/proc/self/status", root), text, sizeof(text));
	field = strstr(text, "\nSeccomp:");
	return field && atoi(field + strlen("\nSeccomp:")) > 0;
}

void tw_doctor_read_files(struct tw_doctor_facts *facts, const char *root)
{
	facts->ring.disabled = read_number(root, "/proc/sys/kernel/io_uring_disabled",
					   -1);
	facts->ring.is_filtered = is_filtered(root);
	facts->stages.has_types = access(tw_format("%s/sys/kernel/btf/vmlinux", root), R_OK) == 0;
	read_governor(root, facts);
	read_idle_state(root, facts);
	facts->stolen_percent = stolen_percent(root);
}

/* Return the line that starts at @from, up to this length. */
static const char *line_at(const char *from)
{
	const size_t length = strcspn(from, "\n");

	return tw_format("%.*s", length < LONGEST_LINE ? (int)length : LONGEST_LINE, from);
}

/* Return the rest of the line of @text that begins with @begin; "": there is none. */
static const char *rest_of(const char *text, const char *begin)
{
	for (; text; text = strchr(text, '\n'), text += text != NULL)
		if (!strncmp(text, begin, strlen(begin)))
			return line_at(text + strlen(begin));
	return "";
}

/* ---- fio and the engine ---- */

static void read_fio(struct tw_doctor_facts *facts, const char *fio)
{
	char *argv[] = { facts->fio.path, (char []){ "--version" }, NULL };
	char *text;
	int code;

	tw_child_find(facts->fio.path, fio);
	text = tw_child_output(argv, &code);
	if (!text)
		facts->fio.why_not = tw_copy_text(strerror(errno));
	else if (code || strncmp(text, "fio-", 4) != 0)
		facts->fio.why_not = "this is no fio";
	else
		facts->fio.version = line_at(text);
	free(text);
}

/* Find the engine that `tickwise run` would use. */
static void read_engine(struct tw_doctor_facts *facts)
{
	struct tw_run_engines engines = { .fio = facts->fio.path };

	facts->engine.path = tw_run_find_engine(&engines);
	if (facts->engine.path)
		facts->engine.why_not = tw_run_try_quietly(&engines, facts->engine.path);
	facts->engine.is_loaded = facts->engine.path && !facts->engine.why_not;
}

/* ---- the kernel's program ---- */

/* Connect to the helper. A connection that is not accepted yet counts. Return 0 or
 * -errno; -EACCES: the helper is for others. */
static int ask_helper(const char *path)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd, error;

	if (strlen(path) >= sizeof(address.sun_path))
		return -ENAMETOOLONG;
	strcpy(address.sun_path, path);
	fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return -errno;
	error = connect(fd, (const struct sockaddr *)&address, sizeof(address)) &&
		errno != EAGAIN ? -errno : 0;
	close(fd);
	return error;
}

static void read_stages(struct tw_doctor_facts *facts)
{
	static const char *const parts[TW_DOCTOR_PARTS] = {
		[TW_DOCTOR_SPLIT] = "", [TW_DOCTOR_CAUSES] = "causes ",
		[TW_DOCTOR_SYNCS] = "syncs ",
	};
	const char *socket_path = getenv("TICKWISE_KERNEL_SOCKET");
	char *helper = tw_own_file(HELPER, X_OK), *text, *words;
	char *argv[] = { helper, (char []){ "--check" }, NULL };
	int code = -1, error = ask_helper(socket_path && *socket_path ? socket_path :
					  TW_KERNEL_HELPER_SOCKET);

	facts->stages.is_served = !error;
	facts->stages.is_for_others = error == -EACCES;
	facts->stages.is_built = helper != NULL;
	text = helper ? tw_child_output(argv, &code) : NULL;
	facts->stages.is_loaded = text && code == 0;
	words = text ? strstr(text, HELPER_SAYS) : NULL;
	facts->stages.why_not = words ? line_at(words + strlen(HELPER_SAYS)) :
				"tickwise kernel-helper does not run";
	for (int i = 0; i < TW_DOCTOR_PARTS; i++) {
		facts->stages.parts[i].found = rest_of(text, tw_format("%sfound: ", parts[i]));
		facts->stages.parts[i].missing =
			rest_of(text, tw_format("%snot found: ", parts[i]));
	}
	free(text);
	free(helper);
}

/* ---- what has to be tried ---- */

static int try_ring(void)
{
	char params[RING_PARAMS_SIZE] = { 0 };
	long fd = syscall(SYS_io_uring_setup, 1, params);

	if (fd < 0)
		return -errno;
	close((int)fd);
	return 0;
}

/* Check the counter as `tickwise check` does without options. */
static void read_counter(struct tw_doctor_facts *facts)
{
	struct tw_reliability_options options = TW_SIZED(struct tw_reliability_options);
	struct tw_counter_facts counter = TW_SIZED(struct tw_counter_facts);
	struct tw_reliability result = TW_SIZED(struct tw_reliability);

	tw_counter_check(&counter);
	facts->counter.state = counter.state;
	tw_check_fill_in_defaults(&options);
	facts->counter.error = tw_reliability_measure(&result, &options);
	if (facts->counter.error)
		return;
	facts->counter.verdict = result.verdict;
	facts->counter.reasons = result.reasons;
	tw_reliability_free(&result);
}

void tw_doctor_read(struct tw_doctor_facts *facts, const char *fio)
{
	*facts = (struct tw_doctor_facts) {
		.machine = TW_SIZED(struct tw_machine),
	};
	read_fio(facts, fio);
	read_engine(facts);
	read_stages(facts);
	facts->ring.error = try_ring();
	read_counter(facts);
	tw_machine_read(&facts->machine);
	tw_doctor_read_files(facts, "");
}
