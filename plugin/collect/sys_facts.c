// SPDX-License-Identifier: GPL-2.0
/* Facts of the machine and of block devices: see sys_facts.h. */
#include "collect/sys_facts.h"

#include <dirent.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/plain_text.h"
#include "latency/histogram_json.h"
#include "machine/machine.h"
#include "machine/processor.h"
#include "report/report_json.h"
#include "text_file.h"

#define SECTOR_BYTES	512	/* unit of the file "size" for every device */
#define MAX_MEMBERS	64
#define MAX_LEVELS	8	/* of devices that are made of other devices */

/* ---- files -------------------------------------------------------------- */

/* Write the path of the folder of @device in /sys. */
static void folder_of(const char *root, const char *kind, dev_t device,
		      char path[PATH_MAX])
{
	snprintf(path, PATH_MAX, "%s/sys/dev/%s/%u:%u", root, kind,
		 major(device), minor(device));
}

/* Read the first line of a file, without spaces at its end. False: there is no such
 * file, or the line is empty. */
static bool read_line(const char *folder, const char *name, char *line,
		      size_t size)
{
	char path[PATH_MAX];
	size_t length;

	if (snprintf(path, sizeof(path), "%s/%s", folder, name) >= PATH_MAX)
		return false;
	tw_text_file_begin(path, line, size);
	length = strcspn(line, "\n");
	while (length && line[length - 1] == ' ')
		length--;
	line[length] = '\0';
	tw_plain_text(line);
	return length;
}

static bool read_u64(const char *folder, const char *name, uint64_t *value)
{
	char line[32], *end;

	if (!read_line(folder, name, line, sizeof(line)))
		return false;
	*value = strtoull(line, &end, 10);
	return end != line && !*end;
}

/* Return the device number from the file "dev" of @folder; 0: unknown. */
static dev_t read_device(const char *folder)
{
	unsigned device_major, device_minor;
	char line[32];

	if (!read_line(folder, "dev", line, sizeof(line)) ||
	    sscanf(line, "%u:%u", &device_major, &device_minor) != 2)
		return 0;
	return makedev(device_major, device_minor);
}

/* Read the kernel's name of a device: the last part of the link's target. */
static bool read_name(const char *folder, char name[NAME_MAX + 1])
{
	char target[PATH_MAX];
	ssize_t length = readlink(folder, target, sizeof(target) - 1);
	const char *last;

	if (length <= 0)
		return false;
	target[length] = '\0';
	last = strrchr(target, '/');
	last = last ? last + 1 : target;
	if (strlen(last) > NAME_MAX)
		return false;
	strcpy(name, last);
	return *name;
}

/* ---- which device ------------------------------------------------------- */

dev_t tw_disk_of(const char *root, dev_t device)
{
	char folder[PATH_MAX], disk[PATH_MAX + 4];
	uint64_t number;
	dev_t found;

	folder_of(root, "block", device, folder);
	if (!read_u64(folder, "partition", &number))
		return device;
	snprintf(disk, sizeof(disk), "%s/..", folder);
	found = read_device(disk);
	return found ? found : device;
}

json_t *tw_block_name_to_json(dev_t device)
{
	char folder[PATH_MAX], name[NAME_MAX + 1];

	folder_of("", "block", device, folder);
	return tw_json_text(read_name(folder, name) ? name : strrchr(folder, '/') + 1);
}

dev_t tw_block_device_of_char_in(const char *root, dev_t device)
{
	char folder[PATH_MAX], name[NAME_MAX + 1];
	unsigned controller, nsid;

	folder_of(root, "char", device, folder);
	if (!read_name(folder, name) ||
	    sscanf(name, "ng%un%u", &controller, &nsid) != 2)
		return 0;
	snprintf(folder, sizeof(folder), "%s/sys/class/block/nvme%un%u", root,
		 controller, nsid);
	return read_device(folder);
}

/* ---- facts of a device -------------------------------------------------------------- */

static void set_line(json_t *object, const char *key, const char *folder, const char *name)
{
	char line[128];

	if (read_line(folder, name, line, sizeof(line)))
		json_object_set_new(object, key, tw_json_text(line));
}

static void set_count(json_t *object, const char *key, const char *folder,
		      const char *name, uint64_t times)
{
	uint64_t value;

	if (read_u64(folder, name, &value) && value <= UINT64_MAX / times)
		json_object_set_new(object, key, tw_json_of_u64(value * times));
}

/* Set the scheduler in use, which has brackets: "mq-deadline kyber [none]". Some
 * devices have only the word "none". */
static void set_scheduler(json_t *object, const char *folder)
{
	char line[256], *begin, *end;

	if (!read_line(folder, "queue/scheduler", line, sizeof(line)))
		return;
	begin = strchr(line, '[');
	end = begin ? strchr(begin, ']') : NULL;
	if (end)
		*end = '\0';
	json_object_set_new(object, "scheduler", tw_json_text(end ? begin + 1 : line));
}

static void add_member(json_t *members, const char *folder)
{
	char name[NAME_MAX + 1];
	size_t i;

	if (!read_name(folder, name) || json_array_size(members) >= MAX_MEMBERS)
		return;
	for (i = 0; i < json_array_size(members); i++)
		if (!strcmp(json_string_value(json_array_get(members, i)), name))
			return;
	json_array_append_new(members, tw_json_text(name));
}

static int is_name(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

/* Add the disks that @device is made of, each once. False: it is a disk itself. */
static bool add_members(json_t *members, const char *root, dev_t device, unsigned levels)
{
	char folder[PATH_MAX], below[PATH_MAX];
	struct dirent **names = NULL;
	int count, i;

	folder_of(root, "block", device, folder);
	snprintf(below, sizeof(below), "%.*s/slaves", PATH_MAX - 16, folder);
	count = levels ? scandir(below, &names, is_name, alphasort) : 0;
	for (i = 0; i < count; i++) {
		char slave[PATH_MAX + NAME_MAX + 2];
		dev_t disk;

		snprintf(slave, sizeof(slave), "%s/%s", below, names[i]->d_name);
		free(names[i]);
		disk = tw_disk_of(root, read_device(slave));
		if (disk && !add_members(members, root, disk, levels - 1)) {
			folder_of(root, "block", disk, folder);
			add_member(members, folder);
		}
	}
	free(names);
	return count > 0;
}

json_t *tw_block_device_json_in(const char *root, dev_t device)
{
	json_t *object = json_object(), *members = json_array();
	char folder[PATH_MAX], name[NAME_MAX + 1];
	uint64_t rotational;

	folder_of(root, "block", device, folder);
	if (read_name(folder, name))
		json_object_set_new(object, "name", tw_json_text(name));
	set_count(object, "size", folder, "size", SECTOR_BYTES);
	/* A partition shares the rest with its disk. */
	folder_of(root, "block", tw_disk_of(root, device), folder);
	set_line(object, "model", folder, "device/model");
	set_scheduler(object, folder);
	set_count(object, "nr_requests", folder, "queue/nr_requests", 1);
	set_count(object, "queue_depth", folder, "device/queue_depth", 1);
	if (read_u64(folder, "queue/rotational", &rotational))
		json_object_set_new(object, "rotational", json_boolean(rotational));
	set_line(object, "write_cache", folder, "queue/write_cache");
	set_count(object, "logical_block_size", folder, "queue/logical_block_size", 1);
	add_members(members, root, device, MAX_LEVELS);
	if (json_array_size(members))
		json_object_set(object, "members", members);
	json_decref(members);
	return object;
}

/* ---- the machine -------------------------------------------------------- */

static void set_text(json_t *object, const char *key, const char *text)
{
	if (*text)
		json_object_set_new(object, key, tw_json_text(text));
}

/* Set the governors of @cpus, each name once: "performance,powersave". Few virtual
 * machines have governors. */
static void set_governors(json_t *object, const char *root, const struct tw_cpu_list *cpus)
{
	char list[256] = ",", name[64];
	unsigned cpu;

	for (cpu = 0; cpu < TW_CPU_LIST_MAX; cpu++) {
		char folder[PATH_MAX], word[sizeof(name) + 2];

		if (!tw_cpu_list_has(cpus, cpu))
			continue;
		snprintf(folder, sizeof(folder), "%s/sys/devices/system/cpu/cpu%u/cpufreq", root,
			 cpu);
		if (!read_line(folder, "scaling_governor", name, sizeof(name)))
			continue;
		snprintf(word, sizeof(word), ",%s,", name);
		if (!strstr(list, word) && strlen(list) + strlen(word) < sizeof(list))
			strcat(list, &word[1]);
	}
	list[strlen(list) - 1] = '\0';
	if (*list)
		set_text(object, "governor", &list[1]);
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
	struct tw_machine processor;
	char clocksource[64];
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
	set_governors(object, root, cpus);
	return object;
}
