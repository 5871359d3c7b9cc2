#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The library on Power, 64 bits, little endian: its own reader of the counter, the facts
# of processors without a file of their own (machine/other.c), and the unit tests that
# make names (CROSS_UNIT). Fails if anything relies on x86-64, or on pages of 4 KB.

. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/cross.sh"

processor ppc64le powerpc64le-linux-gnu
