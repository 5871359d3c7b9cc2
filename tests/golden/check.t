#!/bin/sh
# SPDX-License-Identifier: MIT
# Tests: core/machine core/estimate core core/base core/command core/command/output
#
# Compares all that tickwise check prints, on each recorded machine. Fails if a character of
# it changes.
. "$(dirname "$0")/golden.sh"

golden_on reliable help check --help
for machine in reliable unreliable undecided too_wide one_cpu many_cpus; do
	golden_on $machine $machine check
done
golden_on unreliable unreliable_json check --json
golden_on undecided undecided_json check --json --method=switch --tolerance=7 \
	--least-time=50 --time-limit=60
golden_on one_cpu one_cpu_json check --json
golden_on too_wide limits check --method=switch --tolerance=7 --least-time=10 \
	--time-limit=20
for machine in too_busy disabled unsteady; do
	golden_on $machine $machine check --json
done
usage_errors check <<'LINES'
--jsn
--json=1
file
--method
--method=both
--time-limit=3600001
--least-time=
--tolerance=-1
LINES
golden_done
