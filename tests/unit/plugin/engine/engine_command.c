/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Behaviour: tickwise-cmd's prep() fails for what is no NVMe command, with fio's error set,
 * and a flush goes through a ring with entries of the double size, of which only its own is
 * written. A trim names its blocks. An error of the device is one of the I/O. An option that
 * asks for what is not implemented ends the job with one line that names it. Defect: the error
 * is left in io_u->error, which fio sets to 0 before queue(), and an entry of zeros goes to
 * the device; a trim of other blocks.
 */
#define WORLD_OF_COMMANDS
#include "nvme/nvme_engine.c"
#include "engine_world.h"

/* What fio does with a device: never used here. Versions of fio declare the functions
 * differently, so only their names are defined. */
#define NAMED(name)	__asm__(".globl " #name "\n" #name ":\n");
__asm__(".data\n.balign 8\n");
NAMED(fio_nvme_get_info)
NAMED(fio_nvme_uring_cmd_prep)
NAMED(populate_verify_io_u)
NAMED(init_rand_seed)
NAMED(fio_debug)
NAMED(__dprint)
NAMED(fio_nvme_get_zoned_model)
NAMED(fio_nvme_report_zones)
NAMED(fio_nvme_reset_wp)
NAMED(fio_nvme_get_max_open_zones)
NAMED(fio_nvme_finish_zone)
__asm__(".quad 0\n.text\n");

static struct nvme_data device = { .nsid = 3 };

/* Flush by entry 2, which the device ends with @result. */
static struct io_u *flush(int32_t result)
{
	struct io_uring_sqe others[2 * WORLD_DEPTH];
	const struct nvme_uring_cmd *command = (const void *)world.sqes[4].cmd;

	memcpy(others, world.sqes, sizeof(others));
	world.results[2] = result;
	world_queue(2, DDIR_SYNC);
	memcpy(&others[4], &world.sqes[4], 2 * sizeof(*others));
	tap_ok(!memcmp(others, world.sqes, sizeof(others)) && command->nsid == device.nsid &&
	       command->opcode == TW_NVME_FLUSH && !command->addr && !command->data_len &&
	       world.sqes[4].opcode == IORING_OP_URING_CMD &&
	       world.sqes[4].cmd_op == NVME_URING_CMD_IO &&
	       tw_getevents(&world.td, 1, 1, NULL) == 1,
	       "a flush is a command, and the only entry that was written to");
	return event(&world.td, 0);
}

/* Trim blocks 2 and 3 of 4096 bytes. */
static void trim(void)
{
	const struct nvme_uring_cmd *command = (const void *)world.sqes[2].cmd;
	const struct tw_range *range;
	struct tw_commands *commands = calloc(1, sizeof(*commands) + 2 * sizeof(*range));

	world_state()->ring.commands = commands;
	device.lba_shift = 12;
	tap_ok(!prep(&world.td, world_transfer(1, DDIR_TRIM, 8192, 8192)) &&
	       command->opcode == TW_NVME_DATASET && command->nsid == device.nsid &&
	       command->cdw11 == TW_NVME_DEALLOCATE && command->data_len == 16,
	       "a trim is a command with one range of 16 bytes");
	range = (const struct tw_range *)(uintptr_t)command->addr;
	tap_ok(le64_to_cpu(range->first) == 2 && le32_to_cpu(range->blocks) == 2,
	       "of the blocks that it trims");
	world_state()->ring.commands = NULL;
	free(commands);
}

/* What needs a helper that came with fio 3.38. */
#if TW_IOOPS_VERSION < 36
#define FROM_38	true
#else
#define FROM_38	false
#endif

/* Commands of a device that tells its size: only the option can end the job. */
static void refused(void)
{
	static const struct {
		const char *name;
		bool refused;
		struct tw_options options;
	} cases[] = {
		{ "no option", false, { .cmd_type = 0 } },
		{ "write_mode", false, { .write_mode = "write", .verify_mode = "read",
					 .read_mode = "read", .deac = 1 } },
		{ "cmd_type", true, { .cmd_type = TW_CMD_BSG } },
		{ "write_mode", FROM_38, { .write_mode = "zeroes" } },
		{ "write_mode", true, { .write_mode = "zeroes/10:write/90" } },
		{ "verify_mode", FROM_38, { .verify_mode = "compare" } },
		{ "verify_mode", true, { .verify_mode = "com" } },
		{ "read_mode", true, { .read_mode = "prefetch" } },
		{ "cdb_len", true, { .cdb_len = 16 } },
		{ "verify_bytchk", true, { .verify_bytchk = 1 } },
		{ "tw_test_nop", true, { .test_nop = 1 } },
		{ FROM_38 ? "write_mode" : "hipri", true,
			{ .hipri = 1, .write_mode = "uncor" } },
	};
	char wanted[40] = "";

	for (size_t i = 0; i < FIO_ARRAY_SIZE(cases); i++) {
		const char *name = cases[i].name;
		const bool bad = cases[i].refused;

		world_forget();
		world.options = cases[i].options;
		world.options.cmd_type += !world.options.cmd_type ? TW_CMD_NVME : 0;
		world.td.o.td_ddir = TD_DDIR_WRITE;
		fio_file_set_size_known(&world.file);
		snprintf(wanted, sizeof(wanted), "tickwise-cmd: job: %s: ", name);
		tap_ok(get_file_size(&world.td, &world.file) == bad && world.messages == bad &&
		       (!bad || !strncmp(world.message, wanted, strlen(wanted))) &&
		       world.td.error == (bad ? EINVAL : 0), "%s: %s", name,
		       bad ? "refused, by name" : "accepted");
	}
}

int main(void)
{
	refused();
	world_forget();
	world.td.o.iodepth = 4;
	world.file.filetype = FIO_TYPE_CHAR;
	FILE_SET_ENG_DATA(&world.file, &device);
	if (!tap_ok(world_begin() && world.setup_flags & IORING_SETUP_SQE128 &&
		    world.setup_flags & IORING_SETUP_CQE32, "a job begins"))
		return tap_done();
	tap_ok(prep(&world.td, world_transfer(0, DDIR_SYNC_FILE_RANGE, 0, 4096)) ==
	       -EOPNOTSUPP && world.td.error == EOPNOTSUPP,
	       "sync_file_range is none: the job ends");
	trim();
	tap_ok(!flush(WORLD_NOTHING)->error, "which succeeds");
	tap_ok(flush(0x285)->error == 0x285, "or has the device's own status");
	tap_ok(flush(-EIO)->error == EIO, "or an errno");
	world_end();
	tap_ok(world_number("ios.sync") == 1 && world_number("errors.sync") == 3 &&
	       !world.bad_entries, "one counts, and three errors");
	world_forget();
	return tap_done();
}
