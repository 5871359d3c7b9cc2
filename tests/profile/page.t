#!/bin/sh
# SPDX-License-Identifier: MIT
# Tests: core/profile core/profile/command
#
# Checks the tables, the CSV and the JSON of a profile written by hand, number for
# number. It has a function called from two others and within itself, calls that
# were not timed, that were left or have not returned, and a histogram. Fails if a
# column has another's number, if a share is of something else, if hooks are not
# subtracted, or if a sum over paths of calls is one path's.

. "$(dirname "$0")/../tap.sh"

# A tick is a nanosecond. Hooks take 10 (+- 1) inside and 20 (+- 2) outside, 30 (+-
# 3) together, and 5 (+- 4) where a call is not timed. 0x10 took 10000 ticks. From
# these, 0x20 (6000), 0x30 (500), 10 inside, 20 for each of 5 timed calls and 5 for
# each of 2 others are subtracted. Its self is 3380, +- 1 + 5 * 2 + 2 * 4.
cat >"$scratch/profile" <<'END'
tickwise-profile 1
program one
pid 1
rate 1000000000 2 MONOTONIC_RAW kernel
fence full
cost 10 1 20 2 3 5 4 8 0
wall 1000 21000
thread 1 9 4 1000 21000 0 one
node 1 0 10 1 0 10000 9900 9900 0 1 0
node 2 1 20 4 2 6000 2400 3400 1 0 1
node 3 2 30 1 0 1000 900 900 0 0 0
node 4 1 30 3 0 500 100 150 0 0 0
node 5 4 20 1 0 300 260 260 0 0 0
node 6 5 30 2 1 100 85 85 0 0 0
histogram 30 2 4 550 100 250
bin 100 3
bin 250 1
end
END

# shows OPTION: compares the output with standard input
shows() {
	cat >"$scratch/wanted"
	run profile "$1" "$scratch/profile"
	is "$status $(cat "$out")" "0 $(cat "$scratch/wanted")" "$1"
}

shows --top=0 <<'END'
one, process 1, 1 thread, 20.00 us from the first hook to the end
fence full; the hooks take 10 ns (+- 1 ns) inside of a call and 20 ns (+- 2 ns)
  outside, measured in 8 blocks and taken out; a call can have lost up to 0 ns
  more
ticks at 1000000000.000 Hz (+- 2 ppb) of MONOTONIC_RAW, kernel

self%    self      +- raw self inclusive self/call   calls  function
 52.6 5.125us    11ns  5.200us   6.205us   1.708us       5  0x20
      (not all calls timed)
      1 of its calls left by longjmp or an exception
 34.7 3.380us    19ns  3.500us   9.735us   3.380us       1  0x10
      (not returned)
 12.6 1.230us     7ns  1.300us   1.395us     246ns       6  0x30
      (not all calls timed)

all selves: 9.735 us +- 37 ns
END

shows --callers <<'END'
one, process 1, 1 thread, 20.00 us from the first hook to the end
fence full; the hooks take 10 ns (+- 1 ns) inside of a call and 20 ns (+- 2 ns)
  outside, measured in 8 blocks and taken out; a call can have lost up to 0 ns
  more
ticks at 1000000000.000 Hz (+- 2 ppb) of MONOTONIC_RAW, kernel

Above each function its callers, with the inclusive time and calls from there;
below it the functions that it calls:

           inclusive       calls  function
      from   5.950us           4  0x10
      from     255ns           1  0x30
0x20  self 5.125 us, inclusive 6.205 us, 5 calls
        to   1.080us           3  0x30

      from   9.735us           1  (no recorded function)
0x10  self 3.380 us, inclusive 9.735 us, 1 call
        to   5.950us           4  0x20
        to     405ns           3  0x30

      from   1.080us           3  0x20
      from     405ns           3  0x10
0x30  self 1.230 us, inclusive 1.395 us, 6 calls
        to     255ns           1  0x20

END

shows --csv <<'END'
function,object,calls,not_timed,abandoned,not_returned,self_raw_ns,self_ns,self_uncertainty_ns,inclusive_raw_ns,inclusive_ns,inclusive_uncertainty_ns,least_ns,most_ns,below_resolution
"0x20","",5,2,1,0,5200.000,5125.000,11.000,6300.000,6205.000,13.000,260.000,3400.000,0
"0x10","",1,0,0,1,3500.000,3380.000,19.000,10000.000,9735.000,37.000,9900.000,9900.000,0
"0x30","",6,1,0,0,1300.000,1230.000,7.000,1500.000,1395.000,14.000,85.000,900.000,0
END

shows --folded <<'END'
0x10 3380
0x10;0x20 4960
0x10;0x20;0x30 990
0x10;0x30 150
0x10;0x30;0x20 165
0x10;0x30;0x20;0x30 90
END

sed 's,^map.*,,; s,^wall.*,&\nmap 20 30 0 /none/a"b,' "$scratch/profile" \
	>"$scratch/quoted"
run profile --csv "$scratch/quoted"
has "$out" '"a""b+0x0","a""b",5,2,' 'a quotation mark in a name is doubled'

# Hooks that were not measured, and hooks whose error covers the self of 0x10.
sed 's,^cost.*,cost 0 0 0 0 0 0 0 0 0,' "$scratch/profile" >"$scratch/unknown"
run profile "$scratch/unknown"
has "$out" 'the cost of the hooks could not be measured' 'hooks that were not measured'
sed 's,^cost.*,cost 10 1 20 9000 3 5 4 8 0,' "$scratch/profile" >"$scratch/doubtful"
run profile --top=1 "$scratch/doubtful"
has "$out" '      (below resolution) (not all calls timed)' 'a self within its error'
has "$out" '... 2 more (--top=0 shows all)' '--top=1'

run profile --json "$scratch/profile"
is "$(perl -MJSON::PP -0777 -ne '
	my ($it) = grep { $_->{percentiles_ns} } @{decode_json($_)->{functions}};
	my $values = $it->{percentiles_ns};
	print join " ", $it->{name}, map { $values->{$_} } sort keys %$values' \
	"$out")" '0x30 100 250 250 250 250 250' '--json: percentiles'
sed 's/^rate 1000000000 2 /rate 1000000000 0 /' "$scratch/profile" >"$scratch/exact"
run profile --top=1 "$scratch/exact"
has "$out" 'ticks at 1000000000.000 Hz of MONOTONIC_RAW, kernel' \
	"the kernel's own rate has no error to print"
done_testing
