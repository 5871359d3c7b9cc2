/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Behaviour: tickwise-cmd's prep() fails for what is no NVMe command, with fio's error
 * set, and succeeds for a flush. Defect: the error is left in io_u->error, which fio sets
 * to 0 before queue(), and an entry of zeros goes to the device.
 */
#include "engine_world.h"

#define tw_engine_commands	command_engine_commands
#define tw_engine		command_engine
#include "command.c"

/* What fio does with a device, and the options: never used here. Versions of fio declare
 * the functions differently, so only their names are defined. */
#define NAMED(name)	__asm__(".globl " #name "\n" #name ":\n");
__asm__(".data\n.balign 8\n");
NAMED(fio_nvme_get_info)
NAMED(fio_nvme_uring_cmd_prep)
NAMED(fio_nvme_get_zoned_model)
NAMED(fio_nvme_report_zones)
NAMED(fio_nvme_reset_wp)
NAMED(fio_nvme_get_max_open_zones)
NAMED(fio_nvme_finish_zone)
NAMED(tw_engine_options)
__asm__(".quad 0\n.text\n");

static struct io_uring_sqe entries[2 * WORLD_DEPTH];
static struct nvme_data device = { .nsid = 1 };

/* Prepare an I/O as fio does. Return what prep() returns. */
static int prepared(enum fio_ddir ddir)
{
	struct tw_job *job = world.td.io_ops_data;

	world.td.error = 0;
	memset(entries, 0, sizeof(entries));
	job->ring.sq.sqes = entries;
	job->entry_shift = 1;
	FILE_SET_ENG_DATA(&world.file, &device);
	return command_engine.prep(&world.td, world_transfer(0, ddir, 0, 4096));
}

int main(void)
{
	world_forget();
	world.td.o.iodepth = 1;
	if (!tap_ok(world_begin(), "a job begins"))
		return tap_done();
	tap_ok(!prepared(DDIR_SYNC) && !world.td.error, "a flush is a command");
	tap_ok(prepared(DDIR_SYNC_FILE_RANGE) == -EOPNOTSUPP &&
	       world.td.error == EOPNOTSUPP, "sync_file_range is none: the job ends");
	return tap_done();
}
