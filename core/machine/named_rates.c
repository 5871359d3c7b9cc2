/* SPDX-License-Identifier: MIT */
/*
 * Finds the counter's rate where the kernel or the firmware names it; see
 * named_rates.h. The parsers are pure.
 */
#include "named_rates.h"

#include <ctype.h>
#include <dirent.h>
#include <limits.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/klog.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "text_file.h"

/* From <linux/syslog.h>, which is not meant for programs. */
#define SYSLOG_ACTION_READ_ALL		3
#define SYSLOG_ACTION_SIZE_BUFFER	10

/* ---- texts of the kernel ---- */

/* Parse "2593.904" as 2593904: exactly three decimals, with no digit or point after
 * them. Return 0 for all other text. */
static uint64_t parse_mhz(const char *text)
{
	char mhz[8], decimals[4];
	int end;

	if (sscanf(text, "%7[0-9].%3[0-9]%n", mhz, decimals, &end) != 2 || strlen(decimals) != 3 ||
	    isdigit((unsigned char)text[end]) || text[end] == '.')
		return 0;
	return strtoull(mhz, NULL, 10) * 1000 + strtoull(decimals, NULL, 10);
}

static const char *end_of_line(const char *line)
{
	return line + strcspn(line, "\n");
}

/* Return the value of "name : value" if the line has that name, else NULL. */
static const char *value_of(const char *line, const char *name)
{
	size_t length = strlen(name);

	if (strncmp(line, name, length))
		return NULL;
	line += length;
	line += strspn(line, " \t");
	if (*line != ':')
		return NULL;
	return line + 1 + strspn(line + 1, " \t");
}

static int has_word(const char *words, const char *word)
{
	return tw_text_has_word(words, word, " \t\n", " \t");
}

uint64_t tw_parse_cpuinfo_khz(const char *text)
{
	uint64_t khz = 0;
	int told = 0;

	/* An empty line ends the first CPU. */
	while (*text && *text != '\n') {
		const char *mhz = value_of(text, "cpu MHz");
		const char *flags = value_of(text, "flags");

		if (mhz)
			khz = parse_mhz(mhz);
		if (flags)
			/* With aperfmperf the value is the core's speed now. */
			told = has_word(flags, "hypervisor") &&
			       has_word(flags, "tsc_known_freq") &&
			       !has_word(flags, "aperfmperf");
		text = end_of_line(text);
		text += *text == '\n';
	}
	return told ? khz : 0;
}

/* Return X in kHz if the message begins with "@before X MHz@after", else 0. */
static uint64_t rate_in(const char *message, const char *before,
			const char *after)
{
	size_t length = strlen(before);
	const char *unit;

	if (strncmp(message, before, length))
		return 0;
	message += length;
	unit = message + strcspn(message, " \n");
	if (strncmp(unit, after, strlen(after)))
		return 0;
	return parse_mhz(message);
}

uint64_t tw_parse_kernel_log_khz(const char *text)
{
	static const struct {
		const char *before, *after;
	} messages[] = {	/* best first */
		{ "tsc: Refined TSC clocksource calibration: ", " MHz" },
		{ "tsc: Detected ", " MHz TSC" },
		{ "tsc: Detected ", " MHz processor" },
	};
	enum { KINDS = sizeof(messages) / sizeof(messages[0]) };
	uint64_t khz[KINDS] = { 0 };
	unsigned i;

	while (*text) {
		/* Before a message there is "<6>", and any of "[    0.000000]", "[    T0]". */
		if (*text == '<')
			text += strcspn(text, ">\n");
		text += *text == '>';
		while (*text == '[') {
			text += strcspn(text, "]\n");
			text += *text == ']';
			text += strspn(text, " ");
		}
		for (i = 0; i < KINDS; i++) {
			uint64_t found = rate_in(text, messages[i].before,
						 messages[i].after);

			if (found)
				khz[i] = found;
		}
		text = end_of_line(text);
		text += *text == '\n';
	}
	for (i = 0; i < KINDS - 1 && !khz[i]; i++)
		;
	return khz[i];
}

/* On other processors these texts are about other clocks than the counter. */
uint64_t tw_read_cpuinfo_khz(void)
{
	/* The flags of the first CPU end long before this size. */
	char text[16384] = "";

#if defined(__x86_64__)
	tw_text_file_begin("/proc/cpuinfo", text, sizeof(text));
#endif
	return tw_parse_cpuinfo_khz(text);
}

uint64_t tw_read_kernel_log_khz(void)
{
	uint64_t khz = 0;
#if defined(__x86_64__)
	int size = klogctl(SYSLOG_ACTION_SIZE_BUFFER, NULL, 0), length;
	char *text = size > 0 ? malloc((size_t)size + 1) : NULL;

	if (!text)
		return 0;
	length = klogctl(SYSLOG_ACTION_READ_ALL, text, size);
	if (length > 0) {
		text[length] = '\0';
		khz = tw_parse_kernel_log_khz(text);
	}
	free(text);
#endif
	return khz;
}

/* ---- the page of a perf event ---- */

/* The page has the multiplier of sched_clock, which the kernel makes from the same kHz
 * as its clocks'. Its 31 bits give the kHz exactly. */
uint64_t tw_perf_page_khz(uint32_t mult, unsigned shift)
{
	if (mult == 0 || shift >= 43)
		return 0;
	return ((1000000ULL << shift) + mult / 2) / mult;
}

uint64_t tw_read_perf_page_khz(void)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		.exclude_kernel = 1,
	};
	struct perf_event_mmap_page *page;
	size_t size = (size_t)sysconf(_SC_PAGESIZE);
	uint64_t khz = 0;
	int fd;

	fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1,
			  PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		return 0;
	page = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);
	if (page != MAP_FAILED) {
		/* Paravirtual clocks leave the page empty. */
		if (page->cap_user_time)
			khz = tw_perf_page_khz(page->time_mult,
					       page->time_shift);
		munmap(page, size);
	}
	close(fd);
	return khz;
}

/* ---- the device tree ---- */

uint64_t tw_device_tree_number(const char *path)
{
	char bytes[10];
	uint64_t number = 0;
	ssize_t length, i;

	length = tw_text_file_begin(path, bytes, sizeof(bytes));
	if (length != 4 && length != 8)
		return 0;
	for (i = 0; i < length; i++)
		number = number << 8 | (unsigned char)bytes[i];
	return number;
}

static uint64_t hz_of_node(const char *base, const char *node)
{
	static const char *const properties[] = {
		"ibm,extended-timebase-frequency", "timebase-frequency",
	};
	char path[PATH_MAX];
	uint64_t hz = 0;

	for (unsigned i = 0; i < 2 && !hz; i++) {
		int length = snprintf(path, sizeof(path), "%s/cpus/%s/%s", base, node,
				      properties[i]);

		if (length > 0 && (size_t)length < sizeof(path))
			hz = tw_device_tree_number(path);
	}
	return hz;
}

uint64_t tw_device_tree_hz(const char *base)
{
	uint64_t hz = hz_of_node(base, ".");
	struct dirent *entry;
	char path[PATH_MAX];
	DIR *cpus;
	int length;

	length = snprintf(path, sizeof(path), "%s/cpus", base);
	if (hz || length < 0 || (size_t)length >= sizeof(path))
		return hz;
	cpus = opendir(path);
	if (!cpus)
		return 0;
	while (!hz && (entry = readdir(cpus)))
		if (entry->d_name[0] != '.')
			hz = hz_of_node(base, entry->d_name);
	closedir(cpus);
	return hz;
}
