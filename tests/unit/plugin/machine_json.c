/* SPDX-License-Identifier: MIT */
/*
 * Tests: plugin/collect
 *
 * Behaviour: a report has what the kernel tells of the machine, and nothing that it
 * does not tell. The frequency governors are those of the CPUs asked for. Fails if
 * a governor is named twice, or if it is that of a CPU that the job can't run on.
 */
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "collect/machine_json.h"
#include "tap.h"

static char scratch[] = "/tmp/tw_machine_json.XXXXXX";

static void put_governor(unsigned cpu, const char *text)
{
	char path[256];
	FILE *file;

	snprintf(path, sizeof(path), "%s/sys/devices/system/cpu/cpu%u/cpufreq/"
		 "scaling_governor", scratch, cpu);
	for (char *at = path + 1; (at = strchr(at, '/')); at++) {
		*at = '\0';
		mkdir(path, 0700);
		*at = '/';
	}
	file = fopen(path, "w");
	if (!file)
		exit(1);
	fputs(text, file);
	fclose(file);
}

/* Return a text; NULL: there is none. */
static const char *text_of(const json_t *machine, const char *key)
{
	return json_string_value(json_object_get(machine, key));
}

static void is_governor(const char *cpus, const char *expected, const char *what)
{
	struct tw_cpu_list list;
	json_t *machine;
	const char *is;

	if (tw_cpu_list_parse(&list, cpus))
		exit(1);
	machine = tw_machine_to_json(scratch, &list);
	is = text_of(machine, "governor");
	if (!tap_ok(expected ? is && !strcmp(is, expected) : !is, "%s", what))
		tap_note("%s", is ? is : "(none)");
	json_decref(machine);
}

static void check_governors(void)
{
	put_governor(0, "performance\n");
	put_governor(1, "powersave\n");
	put_governor(2, "performance\n");
	put_governor(3, "perform\n");
	put_governor(4, "");
	is_governor("0,2", "performance", "one governor of two CPUs");
	is_governor("0-2", "performance,powersave", "two of three");
	is_governor("0,3", "performance,perform", "one whose name begins alike");
	is_governor("4-8191", NULL, "none where the kernel names none");
}

static void check_machine(void)
{
	const struct tw_cpu_list none = { 0 };
	json_t *machine = tw_machine_to_json("", &none);
	const char *key;
	struct utsname system;
	json_t *value;
	int empty = 0;

	uname(&system);
	tap_ok(text_of(machine, "kernel") &&
	       !strcmp(text_of(machine, "kernel"), system.release), "the kernel");
	tap_ok(json_integer_value(json_object_get(machine, "cpus")) ==
	       sysconf(_SC_NPROCESSORS_ONLN), "CPUs that are online");
	json_object_foreach(machine, key, value)
		empty += json_is_string(value) && !*json_string_value(value);
	tap_ok(!empty, "what is not known is not there");
	tap_ok(!text_of(machine, "governor"), "no CPU, no governor");
	json_decref(machine);
}

int main(void)
{
	char command[64];

	if (!mkdtemp(scratch))
		return 1;
	check_machine();
	check_governors();
	snprintf(command, sizeof(command), "rm -rf %s", scratch);
	if (system(command))
		tap_note("%s is left", scratch);
	return tap_done();
}
