#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Compares all that tickwise calibrate prints, on each recorded machine. Fails if a
# character of it changes.
. "$(dirname "$0")/golden.sh"

golden_on reliable help calibrate --help
for machine in reliable unreliable undecided too_wide one_cpu; do
	golden_on $machine $machine calibrate
done
golden_on unreliable unreliable_json calibrate --json
golden_on undecided undecided_json calibrate --json
for machine in too_busy disabled unsteady; do
	golden_on $machine $machine calibrate
done
usage_errors calibrate <<'LINES'
--jsn
file
--window
--window=4.9
--window=20x
--window=nan
--kernel-rate=1
LINES
golden_done
