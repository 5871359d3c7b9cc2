#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Tests the library on 64-bit little-endian Power: its own reader of the counter,
# and the facts of processors without a file of their own (machine/processor.c). Runs
# the unit tests that make names (CROSS_UNIT), too. Fails if anything relies on
# x86-64, or on pages of 4 KB.

. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/cross.sh"

processor ppc64le powerpc64le-linux-gnu
