#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The page of one report: every number in its place, aligned, and nothing wider
# than 80 columns. Fails if a column moves, a unit is wrong, or a value of any
# size breaks the table.
. "$(dirname "$0")/../../../tap.sh"
. "$(dirname "$0")/../../../report_files.sh"

write_report "$scratch/a.json" slow=1023
run report "$scratch/a.json"
is "$status" 0 'exit code 0'
sed "s|$scratch/||" "$out" >"$scratch/page"
sed -n 's/^	//p' >"$scratch/should" <<'END'
	randread: iodepth 32, 10.00 s
	          IOPS  mean lat   p50 lat   p99 lat p99.9 lat   max lat
	read     10.00  189.2 ns    100 ns    900 ns         -  1.023 us
	machine  box
	run      2023-11-14 22:13:20 UTC, fio-3.33, engine tickwise
	report   a.json
	
	read: lat mean 189.2 ns = queue 25.4 + kernel 134.0 + deliver 29.8
	
	read: 100 I/Os
	stage          min    mean     p50     p90     p99   p99.9  p99.99     max
	queue         10ns 25.40ns    10ns    50ns   160ns       -       -   160ns
	kernel        70ns 134.0ns    70ns   640ns   640ns       -       -   773ns
	deliver       20ns 29.80ns    20ns   100ns   100ns       -       -   200ns
	lat          100ns 189.2ns   100ns   900ns   900ns       -       - 1.023us
	  of which inside the submitting call: mean 5.850 ns (of 100 I/Os)
	
	submitted by 7 system calls; completions seen at 5 times, up to 16 sharing a
	  stamp
	clock errors (RAW): tickwise +0.150 +-0.300 ppb, fio -7439 +-2.500 ppb
	
	not recorded: the run over time
END
is "$(sed '/^What the words/,$d' "$scratch/page")" "$(cat "$scratch/should")" \
	'head, stages and clocks'
has "$out" "queue    from the end of fio's prep()" 'says what a stage is'
has_not "$out" '  slip        ' 'no word on times that do not occur'
has "$out" 'at most 0.1 % above' 'says how far off a percentile can be'
run report --clocks "$scratch/a.json"
has "$out" 'CLOCK_MONOTONIC_RAW is the kernel' 'says what RAW is'
has "$out" 'not SI' 'says what RAW is not'
has_not "$out" 'not among these' 'no line for errors when there are none'

write_report "$scratch/b.json" errors=3 short=2 unaccounted=7777 backwards=9 \
	run_ns=9007199254740992 fio_ns=-1e300 fio_ppb=1e300
run report "$scratch/b.json"
is "$(sed -n '/^  not among/,/^$/p' "$out" | head -n 3)" \
"  not among these, nor in fio's lat: 3 errors, 2 short I/Os, 7777 I/Os that fio
    does not account (ramp time, the sync at the end); not among these, but in
    fio's lat: 9 I/Os with stamps that ran backwards" \
	'what is counted apart, and whether it is in fio'"'"'s lat'
has "$out" ', 2502 h' 'long times in hours'
is "$(awk 'length > 80' "$out")" '' 'nothing wider than 80 columns'

# The second I/O is the slower one.
stages='"submitting_call_ns": 700, "stages": {"queue": 5, "kernel": 1400000,
"deliver": 99995, "lat": '
fast="{\"job\": 0, \"offset\": 8192, \"size\": 4096, \"ddir\": \"read\", ${stages}1500000}}"
slow="{\"job\": 0, \"offset\": 4096, \"size\": 512, \"ddir\": \"read\", ${stages}1500005},
\"monotonic_ns\": \"12345678901234567\"}"
{ grep -v '^"slowest"' "$scratch/a.json"; echo "\"slowest\": [$fast, $slow]}"; } \
	>"$scratch/s.json"
run report "$scratch/s.json"
has "$out" 'slowest I/Os by their lat (2 of 2;' 'slowest I/Os'
is "$(sed -n '/^slowest/,/^$/p' "$out" | sed -n 3p)" \
'1.500 ms   1  read   512       4096  kernel 93 %, deliver 7 %' \
	'the slowest first'
run report --json "$scratch/s.json"
has "$out" '"monotonic_ns": "12345678901234567"' 'with all its digits'
sed 's/"thread_number": 1/"thread_number": 2/
	s/"lat": 1500000/"lat": 1500001/' "$scratch/s.json" >"$scratch/t.json"
run report "$scratch/s.json" "$scratch/t.json"
has "$out" '(2 of 2;' 'of two jobs as many as one of them kept'

write_report "$scratch/empty.json" empty=41
run report "$scratch/empty.json"
has "$out" 'among these: 41 I/Os that moved nothing' 'I/Os that moved nothing'
has_not "$out" 'not among these' 'which are among the others'
run report --html="$scratch/empty.html" "$scratch/empty.json"
has "$scratch/empty.html" '41 I/Os that moved nothing' 'in the drawn page, too'

# A stage that not all I/Os went through, no time that they took, and a ring that a
# thread of the kernel polls.
write_report "$scratch/some.json" run_ns=0
sed -i 's/"ios": {"read": 100/"ios": {"read": 150/; s/"enters": 7/"enters": 0/' \
	"$scratch/some.json"
run report "$scratch/some.json"
is "$(sed '/^What the words/,$d' "$out" | sed -n '/^lat/{n;p;}')" '           (of 100)' 'a stage of some I/Os'
has "$out" 'submitted by 0 system calls; completions seen at 5 times' \
	'no system calls, but completions'
is "$(awk '$1 == "read" { print $2; exit }' "$out")" - 'no rate without a time'

write_report "$scratch/coarse.json" thread=2 digits=2
for files in 'some coarse' 'coarse some'; do
	run report "$scratch/${files% *}.json" "$scratch/${files#* }.json"
	has "$out" 'at most 1 % above' "the coarsest of $files says how far off"
done

write_report "$scratch/again.json" requeued=3
"$tickwise" report "$scratch/again.json" >"$out"
tr '\n' ' ' <"$out" | tr -s ' ' |
	grep -q '; fio had to queue an I/O again 3 times, as others had to come first'
ok $? 'I/Os that fio had to bring again'
done_testing
