#!/bin/sh
# SPDX-License-Identifier: MIT
#
# --percentiles writes what HdrHistogram's plotter reads: a file for each stage,
# lines of value, percentile, count and 1 / (1 - percentile). Fails if a value or a
# count is off, if a job's name decides the path of a file, or if a lost file goes
# unnoticed.
. "$(dirname "$0")/../../../tap.sh"
. "$(dirname "$0")/../../../report_files.sh"

write_report "$scratch/a.json" slow=1023
run report --percentiles="$scratch/p." "$scratch/a.json"
is "$status" 0 'exit code 0'
has "$out" 'read: 100 I/Os' 'and the page'
is "$(cd "$scratch" && echo p.*)" \
	'p.randread.read.deliver.hgrm p.randread.read.kernel.hgrm p.randread.read.lat.hgrm p.randread.read.queue.hgrm p.randread.read.submitting_call.hgrm' \
	'the stages, their sum, the submitting call'
sed -n 's/^	//p' >"$scratch/should" <<'END'
	       Value     Percentile TotalCount 1/(1-Percentile)
	
	       0.100 0.000000000000          1           1.00
	       0.100 0.890000000000         89           9.09
	       0.900 0.990000000000         99         100.00
	       1.023 1.000000000000        100
	#[Mean    =        0.189, StdDeviation   =        0.255]
	#[Max     =        1.023, Total count    =          100]
	#[Buckets =           55, SubBuckets     =         1024]
	#[Unit    = microseconds]
END
is "$(cat "$scratch/p.randread.read.lat.hgrm")" "$(cat "$scratch/should")" \
	'every bin is a line'

# Where bins are wider than 1 ns: one from 3000 to 3001.
write_report "$scratch/w.json" slow=3000
run report --percentiles="$scratch/w." "$scratch/w.json"
is "$(grep -c '^ *3\.000 1\.000000000000  *100$' \
	"$scratch/w.randread.read.lat.hgrm")" 1 'the last one ends with the maximum'

long=$(awk 'BEGIN { for (i = 0; i < 100; i++) printf "n" }')
write_report "$scratch/l.json" name="$long$long"
mkdir "$scratch/long"
run report --percentiles="$scratch/long/" "$scratch/l.json"
is "$(cd "$scratch/long" && echo *lat*)" "$long.read.lat.hgrm" \
	'of a long name the beginning'

write_report "$scratch/b.json" group=1 thread=2
mkdir "$scratch/in"
run report --percentiles="$scratch/in/" "$scratch/a.json" "$scratch/b.json"
is "$(cd "$scratch/in" && echo *lat*)" \
	'randread.1.read.lat.hgrm randread.2.read.lat.hgrm' \
	'groups of one name stay apart'

write_report "$scratch/c.json" name='../../../x/\u00e4 y'
mkdir "$scratch/deep"
run report --percentiles="$scratch/deep/" "$scratch/c.json"
is "$(cd "$scratch/deep" && echo *lat*)" '_________x____y.read.lat.hgrm' \
	'a name is no path'

run report --percentiles="$scratch/none/" "$scratch/a.json"
is "$status $(wc -l <"$err") $(grep -c '^read: lat mean' "$out")" '74 1 1' \
	'what could not be written is reported, and the page is printed'
if [ -w /dev/full ]; then
	mkdir "$scratch/full"
	ln -s /dev/full "$scratch/full/randread.read.queue.hgrm"
	run report --percentiles="$scratch/full/" "$scratch/a.json"
	is "$status $(wc -l <"$err") $(grep -c '^read: lat mean' "$out")" '74 1 1' 'a full disk'
else
	tap_count=$((tap_count + 1))
	echo "ok $tap_count # SKIP no /dev/full"
fi
run report --percentiles
is "$status" 64 'a prefix is needed'
done_testing
