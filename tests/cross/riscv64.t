#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The library on RISC-V, 64 bits: its own reader of the counter, the facts of processors
# without a file of their own (machine/other.c), and the unit tests that make names
# (CROSS_UNIT). Fails if anything relies on x86-64.

. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/cross.sh"

processor riscv64 riscv64-linux-gnu
