#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The library on Arm, 64 bits: its own reader of the counter and its own facts, and
# the unit tests that make names (CROSS_UNIT). Fails if anything relies on x86-64,
# on a counter faster than the code that reads it, or on signed char.

. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/cross.sh"

processor aarch64 aarch64-linux-gnu
