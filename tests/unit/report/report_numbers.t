#!/bin/sh
# SPDX-License-Identifier: MIT
# Tests: core/command/report/sum.c core/command/report/report_page.c core/command/report/report_data.c
#
# One fact has one number: of random reports of the engine (unit/plugin/engine/engine_numbers.c) the
# means in the table, the sum, HTML, --json and --csv are the same, to the last digit printed. The
# means of the stages add up to that of lat, in digits as they are printed and in JSON, and no
# count is above the number of I/Os. Fails if one of them is a sample's own mean, or is rounded in
# another way. TW_JOBS=N: with N reports.
. "$(dirname "$0")/../../tap.sh"

mkdir "$scratch/reports" && cd "$scratch/reports" || exit 1
jobs=${TW_JOBS:-20}
"${TW_BUILD:-$root/build}/tests/unit/plugin/engine/engine_numbers.t" . "$jobs" >../seed || exit 1
echo "$(cat ../seed)"
# Several are merged, too.
set -- 0.json 1.json 2.json 3.json
for file in *.json; do
	"$tickwise" report --all --html="$file.html" "$file" >"$file.txt" &&
		"$tickwise" report --json "$file" >"$file.groups" &&
		"$tickwise" report --csv "$file" >"$file.csv" || echo "not ok - $file"
done
"$tickwise" report --all --html=all.html "$@" >all.txt 2>all.err &&
	"$tickwise" report --json "$@" >all.groups && "$tickwise" report --csv "$@" >all.csv
for file in *.groups; do
	perl "$root/tests/unit/report/report_numbers.pl" "${file%.groups}" || echo "${file%.groups}" >>../wrong
done >../said
[ ! -s ../wrong ] || sed 's/^/# /' ../said
is "$(cat ../wrong 2>/dev/null)" '' "of $(wc -l <../said) pages each has one number for one fact"
done_testing
