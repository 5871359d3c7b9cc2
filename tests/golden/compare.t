#!/bin/sh
# SPDX-License-Identifier: MIT
# Tests: core/probe core/command/output
#
# Compares all that tickwise compare prints; its processes print what is recorded.
# Fails if a character of it changes.
. "$(dirname "$0")/golden.sh"

short='--starts=3 --seconds=2 --rounds=2'
golden_on reliable help compare --help
# shellcheck disable=SC2086	# several options
{
golden_on reliable all compare $short --fio=fio --fio-patched=fio-patched
golden_on reliable all_json compare --json $short --fio=fio \
	--fio-patched=fio-patched
golden_on unreliable idle compare $short --fio=fio --load=idle
golden_on undecided own compare $short --fio=none --load=busy
golden_on reliable dies compare $short --fio=fio-dies --load=busy
golden_on reliable dies_json compare --json $short --fio=fio-dies --load=idle \
	--rounds=0
}
golden_on too_busy too_busy compare --fio=fio
golden_on disabled disabled compare --fio=fio
usage_errors compare <<'LINES'
--fio=missing
--fio=no-fio
--fio=none --fio-patched=no-fio
job.fio
--starts=0
--starts=-1
--seconds=nan
--load=full
--rounds=100
LINES
golden_done
