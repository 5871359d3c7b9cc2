#!/bin/sh
# SPDX-License-Identifier: MIT
# Tests: core/command core/command/analysis core/command/output
#
# Compares the pages of tickwise sweep, for a simulated device: bounds, what gives way, a drift,
# and the plots. fio is a script that takes no time. Fails if a character changes.
. "$(dirname "$0")/golden.sh"
. "$root/tests/unit/command/run/run_fake.sh"

FAKE_JOBS=
model="perl '$root/tests/unit/command/sweep/sweep_fio.pl'"
# shellcheck disable=SC2016	# the fake fio's own variables
FAKE_DO="$model"' "$SEEN/1" "$(sed -n "s/^--aux-path=//p" "$SEEN/arguments")" $$'
export FAKE_DO
# Its errors are of no use here.
fake=$FIO FIO=$scratch/quiet
printf '#!/bin/sh\nexec "%s" "$@" 2>&1\n' "$fake" >"$FIO"
chmod +x "$FIO"
printf '[sweep]\nioengine=io_uring\nrw=randread\n' >job.fio

# on NAME ARGUMENT...: sweeps a job
on()
{
	name=$1
	shift
	rm -f runs
	golden "$name" sweep --quiet --engine="$engine" "$@" job.fio
}

golden help sweep --help
on goal --goal='p99<1ms' --html=goal.html
golden_file goal.html goal.html
on goal_json --goal='p99<1ms' --json
on no_goal
SWEEP_OWN=0.9 on generator --goal='p99<1ms'
SWEEP_LIMIT=1 on limit --goal='p99<1ms'
SWEEP_SLOWER=0.2 on drift --goal='p99<1ms'
SWEEP_WRITES=1 SWEEP_SYNC=1 on sync --goal='p99<1ms'
# Its time does not pass, so Ctrl-C is what ends a sweep that needs more.
# shellcheck disable=SC2016
FAKE_DO="$FAKE_DO"'; [ "$(cat runs)" != 7 ] || { kill -INT $PPID; exec sleep 60; }' SWEEP_SPEED=0.002 \
	on few --goal='p99.9<1ms'
golden_done
