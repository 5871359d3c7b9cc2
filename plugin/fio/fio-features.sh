#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Print the compiler's -D options for the features of a fio tree that no version number
# tells: FIO_IOOPS_VERSION stayed 39 while enums and functions came and went.
#
#	plugin/fio/fio-features.sh TREE
set -eu

tree=$1
features=

# feature NAME HEADER WORDS
feature()
{
	if grep -qswF "$3" "$tree/$2"; then
		features="$features -D$1"
	fi
}

feature TW_FIO_RAMP_PERIOD fio.h ramp_period_state
feature TW_FIO_SYNCFS io_ddir.h DDIR_SYNCFS
feature TW_FIO_ATOMIC ioengines.h FIO_ATOMICWRITES
feature TW_FIO_NVME_INFO_MS engines/nvme.h '__u32 *ms'
feature TW_FIO_BLOCK_METADATA engines/nvme.h fio_nvme_generate_guard
feature TW_FIO_NSEC io_u.h issue_nsec
feature TW_FIO_COMPLETE_TIME ioengines.h FIO_SETS_COMPLETE_TIME
feature TW_FIO_DEVICE_ERROR io_u.h IO_U_F_DEVICE_ERROR
feature TW_FIO_WRITE_FLAGS io_u.h IO_U_F_ERRORED
feature TW_FIO_NO_IOWAIT engines/io_uring.c IORING_ENTER_NO_IOWAIT
feature TW_FIO_VERIFY_FSYNCED verify.h VERIFY_POLICY_FSYNCED
feature TW_FIO_FINISH_ZONE engines/nvme.h fio_nvme_finish_zone
echo "$features"
