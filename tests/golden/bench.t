#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Compares all that tickwise bench prints; the loops take what is recorded. Fails if
# a character of it changes, or if a page is wider than 79 columns.
. "$(dirname "$0")/golden.sh"

golden_on reliable help bench --help
for machine in reliable busy; do
	golden_on $machine $machine bench --seconds=0.02
done
golden_on busy busy_json bench --json --seconds=0.02
golden_on too_busy too_busy bench
golden_on disabled disabled bench --json
usage_errors bench <<'LINES'
--jsn
file
--seconds
--seconds=0
--seconds=21
--seconds=1x
LINES
golden_done
