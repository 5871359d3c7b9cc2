#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Compares all that tickwise doctor prints, on each kind of recorded machine. Fails
# if a character of it changes.
. "$(dirname "$0")/golden.sh"

golden_on reliable help doctor --help
for machine in reliable unreliable undecided too_wide; do
	golden_on $machine $machine doctor
done
golden_on unreliable json doctor --json
golden_on too_busy undecided_counter doctor
golden_on busy one_undecided doctor
golden_on disabled disabled doctor
TW_MACHINE=reliable
usage_errors doctor <<'LINES'
--jsn
file
--html=none/page.html
-o none/file
LINES
golden_done
