/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Metadata with protection information: see engine.h. Commands have it with fio 3.36,
 * block devices with fio 3.41 and Linux 6.17.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/open_file.h"
#include "engine.h"
#include "engines/nvme.h"
#include "fio/fio_layout.h"
#include "fio/message.h"

#if TW_IOOPS_VERSION >= 33
/* What the kernel reads with a transfer (Linux 6.14). Some headers lack it. */
struct tw_attribute {
	uint16_t checks;
	uint16_t application_tag;
	uint32_t bytes;
	uint64_t metadata;
	uint64_t seed;			/* number of the first block */
	uint64_t reserved;
};

enum {
	TW_ATTRIBUTE_PROTECTION	= 1,
	TW_ATTRIBUTE_GUARD	= 1 << 0,
	TW_ATTRIBUTE_REFERENCE	= 1 << 1,
	TW_ATTRIBUTE_APPLICATION = 1 << 2,
};

struct tw_protection {
	bool checks;			/* fio checks what was read, and not the device */
	struct nvme_cmd_ext_io_opts options;
	struct {
		struct tw_attribute attribute;	/* of a block device */
		struct nvme_pi_data data;
	} io[];				/* by index; then the metadata */
};

static bool has(const char *checks, const char *name)
{
	return checks && strstr(checks, name);
}
#endif

int tw_protection_init(struct thread_data *td, struct tw_job *job)
{
#if TW_IOOPS_VERSION >= 33
	const struct tw_options *o = td->eo;
	struct tw_protection *p;

	if (!tw_engine_commands && (!o->md_per_io_size || o->test_nop))
		return 0;
	p = calloc(1, sizeof(*p) + job->ring.entries * (sizeof(p->io[0]) +
							(size_t) o->md_per_io_size));
	if (!p)
		return -ENOMEM;
	job->ring.protection = p;
	p->checks = !o->pi_act;
	p->options = (struct nvme_cmd_ext_io_opts) {
		.io_flags = (o->pi_act ? NVME_IO_PRINFO_PRACT : 0) |
			(has(o->pi_chk, "GUARD") ? NVME_IO_PRINFO_PRCHK_GUARD : 0) |
			(has(o->pi_chk, "REFTAG") ? NVME_IO_PRINFO_PRCHK_REF : 0) |
			(has(o->pi_chk, "APPTAG") ? NVME_IO_PRINFO_PRCHK_APP : 0),
		.apptag = (__u16) o->apptag,
		.apptag_mask = (__u16) o->apptag_mask,
	};
#endif
	return 0;
}

void tw_protection_give(struct thread_data *td, const struct tw_job *job, struct io_u *io_u)
{
#if TW_IOOPS_VERSION >= 33
	const struct tw_options *o = td->eo;
	struct tw_protection *p = job->ring.protection;
	const uint32_t flags = p ? p->options.io_flags : 0;

	if (!p)
		return;
	io_u->mmap_data = (char *) &p->io[job->ring.entries] +
			  (size_t) o->md_per_io_size * io_u->index;
	io_u->engine_data = &p->io[io_u->index].data;
	p->io[io_u->index].data = (struct nvme_pi_data) {
		.io_flags = flags & ~NVME_IO_PRINFO_PRACT,
		.apptag = p->options.apptag,
		.apptag_mask = p->options.apptag_mask,
	};
	p->io[io_u->index].attribute = (struct tw_attribute) {
		.checks = (flags & NVME_IO_PRINFO_PRCHK_GUARD ? TW_ATTRIBUTE_GUARD : 0) |
			(flags & NVME_IO_PRINFO_PRCHK_REF ? TW_ATTRIBUTE_REFERENCE : 0) |
			(flags & NVME_IO_PRINFO_PRCHK_APP ? TW_ATTRIBUTE_APPLICATION : 0),
		.application_tag = p->options.apptag,
		.bytes = o->md_per_io_size,
		.metadata = (uintptr_t) io_u->mmap_data,
	};
#endif
}

#ifdef TW_FIO_BLOCK_METADATA
/* What FS_IOC_GETLBMD_CAP tells of a block (Linux 6.17). Some headers lack it. */
struct tw_metadata {
	uint32_t flags;
	uint16_t block_bytes;
	uint8_t bytes;
	uint8_t opaque_bytes, opaque_at;
	uint8_t information_bytes, information_at;
	uint8_t guard;			/* its kind */
	uint8_t application_bytes, reference_bytes, storage_bytes;
	uint8_t reserved;
};

#define TW_GET_METADATA	_IOWR(0x15, 2, struct tw_metadata)

enum {
	TW_METADATA_INFORMATION	= 1 << 0,
	TW_METADATA_REFERENCE	= 1 << 1,
	TW_METADATA_CRC16	= 2,
	TW_METADATA_CRC64	= 4,
};

/* Ask the kernel for the @metadata of @f. Return NULL, or why this can't be used. */
static const char *ask(const struct fio_file *f, struct tw_metadata *metadata)
{
	const int fd = tw_input_open(f->file_name, TW_INPUT_DEVICE);
	const int ret = fd < 0 ? -1 : ioctl(fd, TW_GET_METADATA, metadata);
	const int error = fd < 0 ? -fd : ret < 0 ? errno : 0;

	if (fd >= 0)
		close(fd);
	if (error == ENOTTY)
		return "no block device, or a kernel that does not tell of its metadata "
		       "(Linux 6.17 does)";
	if (error)
		return strerror(error);
	if (!(metadata->flags & TW_METADATA_INFORMATION))
		return "the device has no protection information";
	if (metadata->storage_bytes)
		return "the device has storage tags";
	return metadata->guard == TW_METADATA_CRC16 || metadata->guard == TW_METADATA_CRC64 ?
		NULL : "the device's guard is none that fio makes";
}
#endif

int tw_protection_know(struct thread_data *td, struct fio_file *f)
{
#ifdef TW_FIO_BLOCK_METADATA
	struct tw_metadata metadata = { 0 };
	const struct tw_options *o = td->eo;
	struct nvme_data *data;
	const char *why;

	if (!tw_has_our_layout(td) || !o->md_per_io_size || FILE_ENG_DATA(f))
		return 0;
	if (o->apptag_mask != 0xffff)
		return tw_refuse_job(td, EINVAL, "apptag_mask: a block device has no other "
				     "than 0xffff");
	why = ask(f, &metadata);
	data = why ? NULL : calloc(1, sizeof(*data));
	if (!data)
		return tw_refuse_job(td, why ? EINVAL : ENOMEM, "md_per_io_size: %s: %s",
				     f->file_name, why ? why : strerror(ENOMEM));
	*data = (struct nvme_data) {
		.lba_shift = (__u32) __builtin_ctz(metadata.block_bytes),
		.lba_size = metadata.block_bytes,
		.ms = metadata.bytes,
		.pi_size = metadata.information_bytes,
		.pi_loc = !metadata.information_at,
		/* Types 1 and 2 are the same to fio. */
		.pi_type = metadata.flags & TW_METADATA_REFERENCE ?
			NVME_NS_DPS_PI_TYPE1 : NVME_NS_DPS_PI_TYPE3,
		.guard_type = metadata.guard == TW_METADATA_CRC16 ?
			NVME_NVM_NS_16B_GUARD : NVME_NVM_NS_64B_GUARD,
	};
	if (tw_protection_fits(td, data)) {
		free(data);
		return 1;
	}
	FILE_SET_ENG_DATA(f, data);
#endif
	return 0;
}

int tw_protection_fits(struct thread_data *td, const struct nvme_data *data)
{
#if TW_IOOPS_VERSION >= 33
	const unsigned block_bytes = data->lba_ext ? data->lba_ext : data->lba_size;
	const bool does[] = { td_read(td), td_write(td), td_trim(td) };
	const struct tw_options *o = td->eo;
	int i;

	for (i = DDIR_READ; i <= DDIR_TRIM; i++) {
		const uint64_t needed = td->o.max_bs[i] / data->lba_size * data->ms;

		if (!does[i])
			continue;
		if (td->o.min_bs[i] % block_bytes || td->o.max_bs[i] % block_bytes)
			return tw_refuse_job(td, EINVAL, "bs: the device's blocks have %u bytes%s",
					     block_bytes,
					     data->lba_ext ? ", metadata included" : "");
		if (i != DDIR_TRIM && !data->lba_ext && o->md_per_io_size < needed)
			return tw_refuse_job(td, EINVAL, "md_per_io_size: the metadata of an I/O "
					     "has %llu bytes", (unsigned long long) needed);
	}
#endif
	return 0;
}

void tw_protect(const struct tw_job *job, struct io_u *io_u)
{
#if TW_IOOPS_VERSION >= 33
	const struct nvme_data *data = FILE_ENG_DATA(io_u->file);
	struct tw_protection *p = job->ring.protection;
	struct io_uring_sqe *sqe = tw_entry_of(job, io_u);

	if (tw_engine_commands) {
		if (data->pi_type)
			fio_nvme_pi_fill((struct nvme_uring_cmd *) sqe->cmd, io_u, &p->options);
		return;
	}
#ifdef TW_FIO_BLOCK_METADATA
	fio_nvme_generate_guard(io_u, &p->options);
	p->io[io_u->index].attribute.seed = io_u->offset >> data->lba_shift;
	sqe->addr3 = (uintptr_t) &p->io[io_u->index].attribute;
	sqe->__pad2[0] = TW_ATTRIBUTE_PROTECTION;
#endif
#endif
}

unsigned tw_protection_check(const struct tw_job *job, struct io_u *io_u)
{
#if TW_IOOPS_VERSION >= 33
	struct nvme_data *data = FILE_ENG_DATA(io_u->file);

	if (io_u->ddir == DDIR_READ && data->pi_type && job->ring.protection->checks)
		return (unsigned) abs(fio_nvme_pi_verify(data, io_u));
#endif
	return 0;
}
