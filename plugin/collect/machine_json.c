/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Facts of the machine as JSON: see machine_json.h.
 */
#include "collect/machine_json.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "report/json_text.h"
#include "machine/machine.h"
#include "machine/processor.h"
#include "text_file.h"

static void set_text(json_t *object, const char *key, const char *text)
{
	if (*text)
		json_object_set_new(object, key, tw_json_text(text));
}

/* True if @word is in @list, which has the form "a,b". */
static bool has_word(const char *list, const char *word)
{
	const size_t length = strlen(word);

	for (; list; list = strchr(list, ',') ? strchr(list, ',') + 1 : NULL)
		if (!strncmp(list, word, length) &&
		    (!list[length] || list[length] == ','))
			return true;
	return false;
}

/* Write the governors of @cpus, each name once: "performance,powersave". Few virtual
 * machines have governors. */
static void read_governors(const char *root, const struct tw_cpu_list *cpus,
			   char *list, size_t size)
{
	unsigned cpu;

	for (cpu = 0; cpu < TW_CPU_LIST_MAX; cpu++) {
		char path[PATH_MAX], word[64];
		const size_t used = strlen(list);

		if (!tw_cpu_list_has(cpus, cpu))
			continue;
		snprintf(path, sizeof(path), "%s/sys/devices/system/cpu/cpu%u/"
			 "cpufreq/scaling_governor", root, cpu);
		tw_text_file_begin(path, word, sizeof(word));
		word[strcspn(word, "\n")] = '\0';
		if (*word && !has_word(list, word) &&
		    used + strlen(word) + 1 < size)
			snprintf(list + used, size - used, "%s%s",
				 used ? "," : "", word);
	}
}

json_t *tw_host_to_json(void)
{
	char host[256] = "";

	gethostname(host, sizeof(host) - 1);
	return tw_json_text(host);
}

json_t *tw_machine_to_json(const char *root, const struct tw_cpu_list *cpus)
{
	const long online = sysconf(_SC_NPROCESSORS_ONLN);
	struct tw_processor_facts processor;
	char clocksource[64], governor[256] = "";
	json_t *object = json_pack("{so}", "host", tw_host_to_json());
	struct utsname system;

	tw_processor_read(&processor);
	set_text(object, "cpu", processor.processor);
	if (online > 0)
		json_object_set_new(object, "cpus", json_integer(online));
	if (!uname(&system))
		set_text(object, "kernel", system.release);
	set_text(object, "hypervisor", processor.hypervisor);
	tw_read_clocksource(clocksource, sizeof(clocksource));
	set_text(object, "clocksource", clocksource);
	read_governors(root, cpus, governor, sizeof(governor));
	set_text(object, "governor", governor);
	return object;
}
