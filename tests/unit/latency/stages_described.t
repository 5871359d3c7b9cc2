#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Each stage of core/latency/stages.h is in tickwise-report(5), among the values of
# STAGE and with a description, and has a row in the tables of plugin/README.md.
# Fails if a stage lacks one of these, also a stage that the reports of this machine
# do not have.

. "$(dirname "$0")/../../tap.sh"

manual=${TW_BUILD:-$root/build}/man/tickwise-report.5
readme=$root/plugin/README.md
stages=$(sed -n 's/^	STAGE(\([A-Z_]*\), \([a-z_]*\),.*/\2/p' "$root/core/latency/stages.h")

# The names that the manual has for STAGE.
values=$(sed -n '/^STAGE is one of$/,/^\.S/{/^\.BR/{s/^\.BR//;s/[".,]/ /g;p}}' \
	"$manual")

ok "$([ "$(echo "$stages" | wc -l)" -ge 8 ]; echo $?)" 'the list of stages is read'
is "$(echo $values)" "$(echo $stages lat)" 'the manual has these values of STAGE'
missing=
for stage in $stages; do
	grep -q "^\.BR .*stages\.$stage \" (histograms)\"" "$manual" || missing="$missing $stage"
done
is "$missing" '' 'the manual describes each'
missing=
for stage in $stages; do
	grep -q "^| \`$stage\` |" "$readme" || missing="$missing $stage"
done
is "$missing" '' "the engine's README has a row for each"
done_testing
