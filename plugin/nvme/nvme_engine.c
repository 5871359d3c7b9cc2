/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tickwise-cmd: the same stamps and the same report for NVMe commands. They bypass
 * the block layer, as those of fio's engine io_uring_cmd do.
 *
 *	ioengine=external:/path/to/tickwise-cmd.so
 *	filename=/dev/ng0n1
 *
 * fio's own helper fills reads and writes, and makes and checks protection information.
 * Trims (deallocate) and flushes are filled here, since the helper of some versions lacks
 * them. SCSI through bsg is refused, and what this fio has no helper for; the message
 * names the option.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#include "engine/engine.h"
#include "engines/nvme.h"
#include "fio/fio_layout.h"
#include "fio/message.h"
#include "verify.h"

/* From the NVM Express command sets. Some versions of fio lack them. A command moves data if one
 * of its two lowest bits is set. */
enum {
	TW_NVME_FLUSH		= 0x00,
	TW_NVME_WRITE		= 0x01,
	TW_NVME_READ		= 0x02,
	TW_NVME_UNCORRECTABLE	= 0x04,
	TW_NVME_COMPARE		= 0x05,
	TW_NVME_ZEROES		= 0x08,
	TW_NVME_DATASET		= 0x09,
	TW_NVME_VERIFY		= 0x0c,
	TW_NVME_MOVES_DATA	= 0x03,
	TW_NVME_DEALLOCATE	= 1 << 2,	/* dword 11 of DATASET */
	TW_NVME_DEAC		= 1 << 25,	/* dword 12 of ZEROES */
	TW_NVME_FUA		= 1 << 30,	/* dword 12 of most commands */
};

/* A range of DATASET MANAGEMENT, little endian. */
struct tw_range {
	uint32_t attributes;
	uint32_t blocks;
	uint64_t first;
};

/* What a job has for its commands, in one piece of memory. */
struct tw_commands {
	uint8_t write;			/* what a write is */
	bool compares;			/* the device verifies */
	struct tw_range ranges[];	/* of trims, by index */
};

/* Return the command for the write @io_u. fio verifies by the flags what it leaves. */
static uint8_t choose_write(struct thread_data *td, const struct tw_commands *c,
			    struct io_u *io_u)
{
#ifdef TW_FIO_WRITE_FLAGS
	if (c->write == TW_NVME_WRITE)
		return c->write;
	io_u_clear(td, io_u, IO_U_F_TRIMMED | IO_U_F_ZEROED | IO_U_F_ERRORED);
	if (c->write == TW_NVME_ZEROES)
		io_u_set(td, io_u, ((struct tw_options *) td->eo)->deac ?
			 IO_U_F_TRIMMED : IO_U_F_ZEROED);
	else if (c->write == TW_NVME_UNCORRECTABLE)
		io_u_set(td, io_u, IO_U_F_ERRORED);
#endif
	return c->write;
}

/* Return the command for @io_u. */
static uint8_t choose(struct thread_data *td, const struct tw_commands *c, struct io_u *io_u)
{
	if (io_u->ddir == DDIR_WRITE)
		return choose_write(td, c, io_u);
#if TW_IOOPS_VERSION >= 36
	if (c->compares && io_u->flags & IO_U_F_VER_LIST) {
		/* The device needs the data that fio expects. */
		populate_verify_io_u(td, io_u);
		io_u_set(td, io_u, IO_U_F_VER_IN_DEV);
		return TW_NVME_COMPARE;
	}
#endif
	return TW_NVME_READ;
}

static int fill_transfer(struct thread_data *td, struct tw_job *job, struct io_u *io_u,
			 struct io_uring_sqe *sqe)
{
	struct nvme_uring_cmd *command = (struct nvme_uring_cmd *) sqe->cmd;
	const struct tw_options *o = td->eo;
	const uint8_t number = choose(td, job->ring.commands, io_u);
	struct iovec *iovec = NULL;
	int ret;

	if (number & TW_NVME_MOVES_DATA && job->ring.fixed_buffers) {
		sqe->uring_cmd_flags = IORING_URING_CMD_FIXED;
		sqe->buf_index = (__u16) io_u->index;
	} else if (number & TW_NVME_MOVES_DATA && job->ring.iovecs) {
		sqe->cmd_op = NVME_URING_CMD_IO_VEC;
		iovec = &job->ring.iovecs[io_u->index];
	}
#if TW_IOOPS_VERSION >= 36
	ret = fio_nvme_uring_cmd_prep(command, io_u, iovec, NULL, number, number, 0);
#elif TW_IOOPS_VERSION >= 33
	ret = fio_nvme_uring_cmd_prep(command, io_u, iovec, NULL);
#else
	ret = fio_nvme_uring_cmd_prep(command, io_u, iovec);
#endif
	if (number == TW_NVME_ZEROES && o->deac)
		command->cdw12 |= TW_NVME_DEAC;
	if (number != TW_NVME_UNCORRECTABLE &&
	    (io_u->ddir == DDIR_READ ? o->readfua : o->writefua))
		command->cdw12 |= TW_NVME_FUA;
	return ret;
}

/* Return how many blocks of the device @bytes are. */
static uint64_t blocks_of(const struct nvme_data *data, uint64_t bytes)
{
#if TW_IOOPS_VERSION >= 33
	/* A block can be followed by its metadata, in the same buffer. */
	if (data->lba_ext)
		return bytes / data->lba_ext;
#endif
	return bytes >> data->lba_shift;
}

static void fill_trim(struct tw_job *job, struct io_u *io_u,
		      struct nvme_uring_cmd *command)
{
	const struct nvme_data *data = FILE_ENG_DATA(io_u->file);
	struct tw_range *range = &job->ring.commands->ranges[io_u->index];

	*range = (struct tw_range) {
		.blocks = cpu_to_le32((uint32_t) blocks_of(data, io_u->xfer_buflen)),
		.first = cpu_to_le64(blocks_of(data, io_u->offset)),
	};
	*command = (struct nvme_uring_cmd) {
		.opcode = TW_NVME_DATASET,
		.nsid = data->nsid,
		.addr = (uintptr_t) range,
		.data_len = sizeof(*range),
		/* dword 10 stays 0: one range, counted from 0 */
		.cdw11 = TW_NVME_DEALLOCATE,
	};
}

static int fill(struct thread_data *td, struct tw_job *job, struct io_u *io_u,
		struct io_uring_sqe *sqe)
{
	const struct nvme_data *data = FILE_ENG_DATA(io_u->file);
	struct nvme_uring_cmd *command = (struct nvme_uring_cmd *) sqe->cmd;

	/* The command reaches into the second half of the SQE. */
	memset(command, 0, sizeof(*command));
	switch (io_u->ddir) {
	case DDIR_READ:
	case DDIR_WRITE:
		return fill_transfer(td, job, io_u, sqe);
	case DDIR_TRIM:
		fill_trim(job, io_u, command);
		return 0;
	case DDIR_SYNC:
	case DDIR_DATASYNC:
		*command = (struct nvme_uring_cmd) {
			.opcode = TW_NVME_FLUSH,
			.nsid = data->nsid,
		};
		return 0;
	default:
		return -EOPNOTSUPP;
	}
}

/* Fill the SQE. What can't be a command, such as sync_file_range, ends the job: fio
 * submits no I/O whose prep() fails, but does not tell why. */
static int prep(struct thread_data *td, struct io_u *io_u)
{
	struct tw_job *job = td->io_ops_data;
	struct io_uring_sqe *sqe = tw_prep_entry(job, io_u);
	int error;

	sqe->opcode = IORING_OP_URING_CMD;
	sqe->cmd_op = NVME_URING_CMD_IO;
	error = fill(td, job, io_u, sqe);
	if (error) {
		tw_record_error(job, io_u, tw_job_stamp(job));
		td_verror(td, -error, "tickwise-cmd: not a command");
		return error;
	}
	return tw_prep_done(td, job, io_u);
}

/* Flush by a system call. */
static int call_flush(struct thread_data *td, struct io_u *io_u)
{
	const struct nvme_data *data = FILE_ENG_DATA(io_u->file);
	struct nvme_passthru_cmd command = {
		.opcode = TW_NVME_FLUSH,
		.nsid = data->nsid,
	};
	int ret = ioctl(io_u->file->fd, NVME_IOCTL_IO_CMD, &command);

	/* A positive return value is the device's own status. */
	io_u->error = (unsigned) (ret < 0 ? errno : ret);
	return ret;
}

/*
 * True if a flush has to wait until all writes are complete. A device may do a flush
 * before earlier writes. With verify_policy=fsynced fio must know which writes a flush
 * made safe, so fio's own engine waits, too.
 */
static bool waits_for_writes(const struct thread_data *td,
			     const struct io_u *io_u)
{
#ifdef TW_FIO_VERIFY_FSYNCED
	/* cur_depth counts the flush itself. */
	return ddir_sync(io_u->ddir) && td->cur_depth > 1 &&
	       td->o.verify_policy & VERIFY_POLICY_FSYNCED;
#else
	return false;
#endif
}

static enum fio_q_status queue(struct thread_data *td, struct io_u *io_u)
{
	struct tw_job *job = td->io_ops_data;
	const struct tw_options *o = td->eo;

	fio_ro_check(td, io_u);
	if (waits_for_writes(td, io_u))
		return tw_requeue(job, io_u);
	/* On a zoned device a trim resets a zone. */
	if (io_u->ddir == DDIR_TRIM && td->o.zone_mode == ZONE_MODE_ZBD)
		return tw_queue_call(td, io_u, tw_call_trim);
	if (!o->hipri || !ddir_sync(io_u->ddir)) {
		if (io_u->ddir == DDIR_READ || io_u->ddir == DDIR_WRITE)
			tw_protect(job, io_u);
		return tw_queue_entry(job, io_u);
	}
	/* Flush by a system call where the ring polls for completions. A polling ring asks
	 * the kernel for the bio of the data, and a flush has no data: Linux 6.1 crashes.
	 * fio does not set the issue time of a sync. */
	if (fio_fill_issue_time(td))
		io_u->tw_issue_time = tw_fio_now();
	return tw_queue_call(td, io_u, call_flush);
}

/* Return the I/O of @event. A command moves all or nothing. Its result is 0, an errno,
 * or the device's own status; newer versions of fio tell the last two apart. */
static struct io_u *event(struct thread_data *td, int event)
{
	struct tw_job *job = td->io_ops_data;
	struct io_u *io_u;
	int result;

	io_u = tw_event_at(job, event, &result);
	io_u->error = (unsigned) abs(result);
#ifdef TW_FIO_DEVICE_ERROR
	if (result > 0)
		io_u_set(td, io_u, IO_U_F_DEVICE_ERROR);
	else
		io_u_clear(td, io_u, IO_U_F_DEVICE_ERROR);
#endif
	if (!io_u->error)
		io_u->error = tw_protection_check(job, io_u);
	tw_event_done(td, job, io_u, event);
	return io_u;
}

const bool tw_engine_commands = true;

/* ---- the device ---- */

static bool is_other(const char *value, const char *expected)
{
	return value && strcmp(value, expected) != 0;
}

/* Read @data and the device's size in bytes from the device. Return 0, or another number after
 * the error was logged. */
static int identify(struct thread_data *td, struct fio_file *f, struct nvme_data *data,
		    uint64_t *size)
{
	__u64 blocks = 0;
#if TW_IOOPS_VERSION >= 33
	const struct tw_options *o = td->eo;
	int ret = fio_nvme_get_info(f, &blocks, o->pi_act, data);
	const __u32 bytes = ret ? 0 : data->lba_ext ? data->lba_ext : data->lba_size;
#else
	__u32 bytes = 0;
#if defined(TW_FIO_NVME_INFO_MS)
	__u32 metadata_bytes = 0;
	int ret = fio_nvme_get_info(f, &data->nsid, &bytes, &metadata_bytes, &blocks);

	if (!ret && metadata_bytes)
		return tw_refuse_job(td, EINVAL, "%s: it is formatted with metadata: refused",
				     f->file_name);
#else
	int ret = fio_nvme_get_info(f, &data->nsid, &bytes, &blocks);
#endif
	if (!ret && bytes)
		data->lba_shift = (__u32) __builtin_ctz(bytes);
#endif
	if (ret)
		td_verror(td, ret < 0 ? -ret : EIO, "NVMe identify");
	*size = blocks * bytes;
	return ret;
}

/* Check that the job fits the blocks of the device. Return 0, or another number after the
 * error was logged. */
static int fits(struct thread_data *td, const struct nvme_data *data)
{
#if TW_IOOPS_VERSION >= 33
	const struct tw_options *o = td->eo;

	if (tw_protection_fits(td, data))
		return 1;
	if (data->lba_ext && data->pi_type && td->o.verify != VERIFY_NONE)
		return tw_refuse_job(td, EINVAL, "verify: refused, the protection information "
				     "is in the same buffer");
	if ((data->ms || data->pi_type) && is_other(o->verify_mode, "read"))
		return tw_refuse_job(td, EINVAL, "verify_mode: refused, the device would "
				     "compare the metadata, too");
#endif
	return 0;
}

/* Attach what the device tells of its namespace to @f, until the file is closed. Return 0, or
 * another number after the error was logged. */
static int know_device(struct thread_data *td, struct fio_file *f, uint64_t *size)
{
	struct nvme_data *data;
	int ret;

	if (f->filetype != FIO_TYPE_CHAR)
		return tw_refuse_job(td, EINVAL, "%s: not a character device of an NVMe "
				     "namespace (/dev/ngXnY)", f->file_name);
	data = calloc(1, sizeof(*data));
	if (!data)
		return tw_refuse_job(td, ENOMEM, "%s: %s", f->file_name, strerror(ENOMEM));
	ret = identify(td, f, data, size);
	if (ret || fits(td, data)) {
		free(data);
		return 1;
	}
	FILE_SET_ENG_DATA(f, data);
	return 0;
}

/* Return the name of the first option that asks for what is not implemented, or
 * NULL. */
static const char *not_here(const struct tw_options *o)
{
	return o->cmd_type != TW_CMD_NVME ? "cmd_type" :
	       is_other(o->read_mode, "read") ? "read_mode" :
	       o->cdb_len ? "cdb_len" :
	       o->verify_bytchk ? "verify_bytchk" :
	       o->test_nop ? "tw_test_nop" : NULL;
}

/* Set what a write is by write_mode. Return NULL, or why it is refused. */
static const char *read_write_mode(struct thread_data *td, uint8_t *command)
{
	static const struct {
		const char *name;
		uint8_t command;
	} modes[] = {
		{ "write", TW_NVME_WRITE }, { "uncor", TW_NVME_UNCORRECTABLE },
		{ "zeroes", TW_NVME_ZEROES }, { "verify", TW_NVME_VERIFY },
	};
	const struct tw_options *o = td->eo;
	unsigned i = 0;

	while (i < FIO_ARRAY_SIZE(modes) && is_other(o->write_mode, modes[i].name))
		i++;
	if (i == FIO_ARRAY_SIZE(modes))
		return "refused, it is none of write, uncor, zeroes, verify";
	*command = modes[i].command;
	if (*command == TW_NVME_WRITE)
		return NULL;
	return TW_IOOPS_VERSION < 36 ? "refused, this fio has no other than write (3.38 has)" :
	       td_write(td) ? NULL : "the job has no writes";
}

/* Refuse what can't be done, by the name of the option. Return 0, or 1 after the
 * message. */
static int check_options(struct thread_data *td)
{
	const struct tw_options *o = td->eo;
	const char *name = not_here(o);
	uint8_t write = TW_NVME_WRITE;
	const char *why;

	if (name)
		return tw_refuse_job(td, EINVAL, "%s: refused, not implemented", name);
	why = read_write_mode(td, &write);
	if (why)
		return tw_refuse_job(td, EINVAL, "write_mode: %s", why);
	if (is_other(o->verify_mode, "read") && is_other(o->verify_mode, "compare"))
		return tw_refuse_job(td, EINVAL, "verify_mode: read or compare");
	if (TW_IOOPS_VERSION < 36 && is_other(o->verify_mode, "read"))
		return tw_refuse_job(td, EINVAL, "verify_mode: refused, this fio has no other "
				     "than read (3.38 has)");
	/* As a flush of queue(): the kernel's polling needs the data of a command. */
	if (o->hipri && !(write & TW_NVME_MOVES_DATA))
		return tw_refuse_job(td, EINVAL, "hipri: refused with a write_mode that moves no "
				     "data: Linux 6.1 crashes");
	return 0;
}

static int get_file_size(struct thread_data *td, struct fio_file *f)
{
	if (check_options(td) || tw_set_up_once(td))
		return 1;
	if (fio_file_size_known(f))
		return 0;
	if (know_device(td, f, &f->real_file_size))
		return 1;
	fio_file_set_size_known(f);
	return 0;
}

static int open_file(struct thread_data *td, struct fio_file *f)
{
	uint64_t size;

	if (!FILE_ENG_DATA(f) && know_device(td, f, &size))
		return 1;
	return tw_open_file(td, f);
}

/* ---- a job ---- */

static int init(struct thread_data *td)
{
	struct tw_commands *c;
	struct tw_job *job;
	int ret = tw_init(td);

	if (ret)
		return ret;
	job = td->io_ops_data;
	c = calloc(1, sizeof(*c) + job->ring.entries * sizeof(c->ranges[0]));
	if (!c)
		return tw_refuse_job(td, ENOMEM, "not enough memory for iodepth=%u",
				     td->o.iodepth);
	job->ring.commands = c;
	/* check_options() took the text. */
	read_write_mode(td, &c->write);
	c->compares = is_other(((const struct tw_options *) td->eo)->verify_mode, "read");
	return 0;
}

#if TW_IOOPS_VERSION >= 36
/* Return a text that fio frees. */
static char *errdetails(struct thread_data *td, struct io_u *io_u)
{
	char *text = NULL;

	if (io_u->flags & IO_U_F_DEVICE_ERROR &&
	    asprintf(&text, "tickwise-cmd: %s: NVMe status, type 0x%x, code "
		     "0x%02x", io_u->file->file_name, io_u->error >> 8 & 7,
		     io_u->error & 0xff) < 0)
		text = NULL;
	return text;
}
#endif

struct ioengine_ops tw_engine = {
	.name			= "tickwise-cmd",
	.version		= FIO_IOOPS_VERSION,
	.flags			= FIO_ASYNCIO_SYNC_TRIM | FIO_NO_OFFLOAD |
					FIO_MEMALIGN | FIO_RAWIO |
					FIO_ASYNCIO_SETS_ISSUE_TIME |
					TW_SYNCFS_FLAG | TW_COMPLETE_TIME_FLAG,
	.init			= init,
	.post_init		= tw_post_init,
	.io_u_init		= tw_io_u_init,
	.prep			= prep,
	.queue			= queue,
	.commit			= tw_commit,
	.getevents		= tw_getevents,
	.event			= event,
#if TW_IOOPS_VERSION >= 36
	.errdetails		= errdetails,
#endif
	.cleanup		= tw_cleanup,
	.open_file		= open_file,
	.close_file		= tw_close_file,
	.get_file_size		= get_file_size,
	.get_zoned_model	= fio_nvme_get_zoned_model,
	.report_zones		= fio_nvme_report_zones,
	.reset_wp		= fio_nvme_reset_wp,
	.get_max_open_zones	= fio_nvme_get_max_open_zones,
#ifdef TW_FIO_FINISH_ZONE
	.finish_zone		= fio_nvme_finish_zone,
#endif
	.options		= tw_engine_options,
	.option_struct_size	= sizeof(struct tw_options),
};
