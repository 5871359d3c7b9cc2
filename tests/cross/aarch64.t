#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Tests the library on 64-bit Arm: its own reader of the counter, its own facts, and
# the unit tests that make names (CROSS_UNIT). Fails if anything relies on x86-64,
# on a counter faster than the code that reads it, or on signed char.

. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/cross.sh"

processor aarch64 aarch64-linux-gnu
