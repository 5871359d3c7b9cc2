/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Metadata of reads and writes with protection information, of NVMe commands and of block
 * devices. fio's own functions make and check it, where this fio has them.
 */
#ifndef TW_PLUGIN_ENGINE_PROTECTION_H
#define TW_PLUGIN_ENGINE_PROTECTION_H

#include "record/job_state.h"
#include "engines/nvme.h"

/* Make what the I/Os of the job have for their metadata. Return 0 or -ENOMEM. */
int tw_protection_init(struct thread_data *td, struct tw_job *job);

/* Give @io_u what fio's functions look for there. */
void tw_protection_give(struct thread_data *td, const struct tw_job *job, struct io_u *io_u);

/* Attach what the kernel tells of the metadata of a block device to @f, until the file is
 * closed. Return 0, or 1 after the error was logged. */
int tw_protection_know(struct thread_data *td, struct fio_file *f);

/* Check that the job fits the blocks of a device. Return 0, or 1 after the error was
 * logged. */
int tw_protection_fits(struct thread_data *td, const struct nvme_data *data);

/* Protect a read or write: say what is checked, and make what the device does not make.
 * Called in queue(), because fio fills the data after prep(). */
void tw_protect(const struct tw_job *job, struct io_u *io_u);

/* Return 0 or an errno: whether the protection information of a read is right, if fio has
 * to check it. */
unsigned tw_protection_check(const struct tw_job *job, struct io_u *io_u);

#endif
