/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tests: plugin/collect
 *
 * Behaviour: a report has what the kernel tells of the machine and of block devices, and
 * nothing that it does not tell. The frequency governors are those of the CPUs asked for.
 * Block devices are from trees made here: an NVMe disk, a partition of a SCSI disk, a
 * device that the device mapper makes of two, and no /sys at all. Fails if a partition is taken for a disk, or if
 * the wrong scheduler of the list is named. Fails also if sectors are taken for
 * bytes, or if a member or a governor is named twice.
 */
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "collect/sys_facts.h"
#include "put_file.h"
#include "tap.h"

static char scratch[] = "/tmp/tw_sys_facts.XXXXXX";

static void put(const char *name, const char *text)
{
	char below[512];

	snprintf(below, sizeof(below), "sys/%s", name);
	put_file(scratch, below, text);
}

static void link_to(const char *name, const char *target)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/sys/%s", scratch, name);
	put_folders(path);
	if (symlink(target, path))
		exit(1);
}

#define CPU(n)	"devices/system/cpu/cpu" #n "/cpufreq/scaling_governor"
#define NVME	"devices/pci0/nvme/nvme0/nvme0n1/"
#define SDA	"devices/pci0/host0/block/sda/"
#define DM0	"devices/virtual/block/dm-0/"
#define DM1	"devices/virtual/block/dm-1/"

static void make_nvme(void)
{
	link_to("dev/block/259:0", "../../devices/pci0/nvme/nvme0/nvme0n1");
	link_to("class/block/nvme0n1", "../../devices/pci0/nvme/nvme0/nvme0n1");
	link_to("dev/char/240:0", "../../devices/pci0/nvme/nvme0/ng0n1");
	put(NVME "dev", "259:0\n");
	put(NVME "size", "2048\n");
	put(NVME "device/model", "Drive of \t tests        \n");
	put(NVME "queue/scheduler", "[none] mq-deadline kyber \n");
	put(NVME "queue/nr_requests", "1023\n");
	put(NVME "queue/rotational", "0\n");
	put(NVME "queue/write_cache", "write through\n");
	put(NVME "queue/logical_block_size", "4096\n");
}

static void make_scsi(void)
{
	link_to("dev/block/8:0", "../../devices/pci0/host0/block/sda");
	link_to("dev/block/8:1", "../../devices/pci0/host0/block/sda/sda1");
	link_to("dev/block/8:2", "../../devices/pci0/host0/block/sda/sda2");
	put(SDA "dev", "8:0\n");
	put(SDA "sda1/dev", "8:1\n");
	put(SDA "sda1/partition", "1\n");
	put(SDA "sda2/dev", "8:2\n");
	put(SDA "sda2/partition", "2\n");
	put(SDA "sda2/size", "2\n");
	put(SDA "queue/scheduler", "none mq-deadline [bfq]\n");
	put(SDA "queue/rotational", "1\n");
	put(SDA "device/queue_depth", "32\n");
}

/* dm-1 is made of dm-0 and the NVMe disk, dm-0 of two partitions of the SCSI disk. */
static void make_mapped(void)
{
	link_to("dev/block/253:0", "../../devices/virtual/block/dm-0");
	link_to("dev/block/253:1", "../../devices/virtual/block/dm-1");
	put(DM0 "dev", "253:0\n");
	put(DM1 "dev", "253:1\n");
	put(DM1 "queue/scheduler", "none\n");
	put(DM0 "slaves/none", "");
	put(DM1 "slaves/none", "");
	link_to(DM0 "slaves/sda1", "../../../../pci0/host0/block/sda/sda1");
	link_to(DM0 "slaves/sda2", "../../../../pci0/host0/block/sda/sda2");
	link_to(DM1 "slaves/dm-0", "../../dm-0");
	link_to(DM1 "slaves/nvme0n1", "../../../../pci0/nvme/nvme0/nvme0n1");
}

static void is_json(const char *root, dev_t device, const char *expected,
		    const char *what)
{
	json_t *json = tw_block_device_json_in(root, device);
	json_t *wanted = json_loads(expected, 0, NULL);
	char *text = json_dumps(json, JSON_COMPACT);

	if (!tap_ok(wanted && json_equal(json, wanted), "%s", what))
		tap_note("%s", text);
	free(text);
	json_decref(wanted);
	json_decref(json);
}

static void check_disks(void)
{
	is_json(scratch, makedev(259, 0), "{\"name\": \"nvme0n1\", \"model\": \"Drive of ? tests\","
		"\"scheduler\": \"none\", \"nr_requests\": 1023,"
		"\"rotational\": false, \"write_cache\": \"write through\","
		"\"logical_block_size\": 4096, \"size\": 1048576}",
		"an NVMe disk");
	tap_ok(tw_block_device_of_char_in(scratch, makedev(240, 0)) ==
	       makedev(259, 0), "its character device is of the same disk");
	tap_ok(tw_block_device_of_char_in(scratch, makedev(1, 3)) == 0,
	       "another character device is of none");
	is_json(scratch, makedev(8, 0), "{\"name\": \"sda\", \"scheduler\": \"bfq\","
		"\"queue_depth\": 32, \"rotational\": true}", "a SCSI disk");
	is_json(scratch, makedev(8, 2), "{\"name\": \"sda2\","
		"\"scheduler\": \"bfq\", \"size\": 1024,"
		"\"queue_depth\": 32, \"rotational\": true}",
		"a partition: of its own size, on that disk");
}

static void check_mapped(void)
{
	is_json(scratch, makedev(253, 0), "{\"name\": \"dm-0\", \"members\": [\"sda\"]}",
		"a device of two partitions: their disk, once");
	is_json(scratch, makedev(253, 1), "{\"name\": \"dm-1\", \"scheduler\": \"none\","
		"\"members\": [\"sda\", \"nvme0n1\"]}",
		"a device of a device: the disks at the bottom");
}

/* Names can be made by anything: read a damaged tree. */
static void check_damaged(void)
{
	put(NVME "queue/scheduler", "[none");
	put(NVME "queue/nr_requests", "12many\n");
	put(NVME "queue/logical_block_size", "\n");
	put(NVME "size", "18446744073709551615\n");
	put(NVME "device/model", "\xff\x1b[31m\n");
	is_json(scratch, makedev(259, 0), "{\"name\": \"nvme0n1\", \"model\": \"??[31m\","
		"\"scheduler\": \"[none\", \"rotational\": false,"
		"\"write_cache\": \"write through\"}",
		"what is no number, too large or no text");
	/* A device that is its own member. */
	link_to(DM0 "slaves/dm-1", "../../dm-1");
	is_json(scratch, makedev(253, 0), "{\"name\": \"dm-0\","
		"\"members\": [\"dm-0\", \"nvme0n1\","
		"\"sda\"]}", "a circle ends");
}

static void check_nothing(void)
{
	is_json("/nonexistent", makedev(8, 1), "{}",
		"without /sys there is nothing");
	tap_ok(tw_block_device_of_char_in("/nonexistent", makedev(240, 0)) == 0,
	       "and a character device is of none");
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
	put(CPU(0), "performance\n");
	put(CPU(1), "powersave\n");
	put(CPU(2), "performance\n");
	put(CPU(3), "perform\n");
	put(CPU(4), "");
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
	make_nvme();
	make_scsi();
	make_mapped();
	check_disks();
	check_mapped();
	check_damaged();
	check_nothing();
	check_machine();
	check_governors();
	snprintf(command, sizeof(command), "rm -rf %s", scratch);
	if (system(command))
		tap_note("%s is left", scratch);
	return tap_done();
}
