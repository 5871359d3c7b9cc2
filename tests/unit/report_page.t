#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The page of one report: every number in its place, aligned, and nothing wider
# than 80 columns. Fails if a column moves, a unit is wrong, or a value of any
# size breaks the table.
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/report_files.sh"

write_report "$scratch/a.json" slow=1023
run report "$scratch/a.json"
is "$status" 0 'exit code 0'
sed "s|$scratch/||" "$out" >"$scratch/page"
sed -n 's/^	//p' >"$scratch/should" <<'END'
	randread: group 0, iodepth 32, 10.00 s, fio-3.33, engine tickwise, host box
	  from a.json
	
	read: 100 I/Os, 10.00/s
	  fio lat mean 189.2 ns = queue 25.4 + kernel 134.0 + deliver 29.8
	  of which inside the submitting call: mean 5.850 ns (of 100 I/Os)
	stage          min    mean     p50     p90     p99   p99.9  p99.99     max
	queue         10ns 25.40ns    10ns    50ns   160ns       -       -   160ns
	kernel        70ns 134.0ns    70ns   640ns   640ns       -       -   773ns
	deliver       20ns 29.80ns    20ns   100ns   100ns       -       -   200ns
	lat          100ns 189.2ns   100ns   900ns   900ns       -       - 1.023us
	
	submitted by 7 system calls; completions seen at 5 times, up to 16 sharing a
	  stamp
	
	clocks in this run
	                                      off          +-
	clock     against             ns      ppb    ns   ppb    over
	tickwise  MONOTONIC_RAW   +1.500   +0.150 3.000 0.300 10.00 s  within
	fio (cpu) MONOTONIC_RAW   -74390    -7439 25.00 2.500 10.00 s
	  tickwise's clock: 2599998000.000 Hz, the kernel's own rate, verified (the
	    samples alone bound it to +-41.25 ppb)
	
	not recorded: the run over time
END
is "$(sed '/^What the words/,$d' "$scratch/page")" "$(cat "$scratch/should")" \
	'head, stages and clocks'
has "$out" "queue    from the end of fio's prep()" 'says what a stage is'
has_not "$out" '  slip        ' 'no word on times that do not occur'
has "$out" 'at most 0.1 % above' 'says how far off a percentile can be'
has "$out" 'CLOCK_MONOTONIC_RAW is the kernel' 'says what RAW is'
has "$out" 'not SI' 'says what RAW is not'
has_not "$out" 'not among these' 'no line for errors when there are none'

write_report "$scratch/b.json" errors=3 short=2 unaccounted=7777 backwards=9 \
	run_ns=9007199254740992 fio_ns=-1e300 fio_ppb=1e300
run report "$scratch/b.json"
is "$(sed -n '/^  not among/,/^stage/p' "$out" | head -n 3)" \
"  not among these, nor in fio's lat: 3 errors, 2 first parts of short I/Os,
    7777 that fio does not account (ramp time, the sync at the end); not among
    these, but in fio's lat: 9 whose stamps ran backwards" \
	'what is counted apart, and whether it is in fio'"'"'s lat'
has "$out" ' 2502 h,' 'long times in hours'
is "$(awk 'length > 80' "$out")" '' 'nothing wider than 80 columns'

# The second is the slower one.
stages='"submitting_call_ns": 700, "stages": {"queue": 5, "kernel": 1400000,
"deliver": 99995, "lat": '
fast="{\"offset\": 8192, \"size\": 4096, \"ddir\": \"read\", ${stages}1500000}}"
slow="{\"offset\": 4096, \"size\": 512, \"ddir\": \"read\", ${stages}1500005},
\"monotonic_ns\": \"12345678901234567\"}"
{ grep -v '^"slowest"' "$scratch/a.json"; echo "\"slowest\": [$fast, $slow]}"; } \
	>"$scratch/s.json"
run report "$scratch/s.json"
has "$out" 'slowest I/Os by their lat (2 of 2;' 'slowest I/Os'
is "$(sed -n '/^slowest/,/^$/p' "$out" | sed -n 2,4p)" \
"   1.500 ms read of 512 bytes at 4096, queue 5 ns, kernel 1.400 ms, deliver
             100.0 us, submitting call 700 ns, job 1, began at
             12345678901234567 ns of CLOCK_MONOTONIC" \
	'the slowest first, with all its digits'
sed 's/"thread_number": 1/"thread_number": 2/
	s/"lat": 1500000/"lat": 1500001/' "$scratch/s.json" >"$scratch/t.json"
run report "$scratch/s.json" "$scratch/t.json"
has "$out" '(2 of 2;' 'of two jobs as many as one of them kept'

write_report "$scratch/empty.json" empty=41
run report "$scratch/empty.json"
has "$out" 'among these: 41 that moved nothing' 'I/Os that moved nothing'
has_not "$out" 'not among these' 'which are among the others'
run report --html="$scratch/empty.html" "$scratch/empty.json"
has "$scratch/empty.html" '41 that moved nothing' 'in the drawn page, too'

# A stage that not all I/Os went through, no time that they took, and a ring that
# the kernel looks after by itself.
write_report "$scratch/some.json" run_ns=0
sed -i 's/"ios": {"read": 100/"ios": {"read": 150/; s/"enters": 7/"enters": 0/' \
	"$scratch/some.json"
run report "$scratch/some.json"
is "$(sed '/^What the words/,$d' "$out" | sed -n '/^lat/{n;p;}')" '           (of 100)' 'a stage of some I/Os'
has "$out" 'submitted by 0 system calls; completions seen at 5 times' \
	'no system calls, but completions'
is "$(grep '^read:' "$out")" 'read: 150 I/Os' 'no rate without a time'

write_report "$scratch/coarse.json" thread=2 digits=2
for files in 'some coarse' 'coarse some'; do
	run report "$scratch/${files% *}.json" "$scratch/${files#* }.json"
	has "$out" 'at most 1 % above' "the coarsest of $files says how far off"
done

write_report "$scratch/again.json" requeued=3
"$tickwise" report "$scratch/again.json" >"$out"
tr '\n' ' ' <"$out" | tr -s ' ' |
	grep -q '; 3 times fio had to bring an I/O again, as others had to come first'
ok $? 'I/Os that fio had to bring again'
done_testing
