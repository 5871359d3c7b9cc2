#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# What this tree of fio has that others don't and no version number tells:
# FIO_IOOPS_VERSION stayed at 39 while enums and functions came and went.
# Prints the compiler's -D options for the engine.
#
#	plugin/fio-features.sh TREE
set -eu

tree=$1
features=

# feature NAME HEADER WORD
feature()
{
	if grep -qw "$3" "$tree/$2"; then
		features="$features -D$1"
	fi
}

feature TW_FIO_RAMP_PERIOD fio_time.h ramp_period_over
feature TW_FIO_SYNCFS io_ddir.h DDIR_SYNCFS
feature TW_FIO_ATOMIC ioengines.h FIO_ATOMICWRITES
echo "$features"
