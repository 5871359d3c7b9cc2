#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Behaviour: a second CPU's counter is ahead, behind or fast, and the kernel trusts
# it blindly (tsc=reliable). `tickwise check` finds and bounds each lie. If the lie
# exists when the engine starts, the engine reports that it uses the system's clock,
# or marks its report. If the lie begins in mid-run, the engine marks its report. A
# lie of all CPUs in common cannot be seen by a check of one machine while the
# kernel's clock is made of the same counter: this is shown here, too. Defect: a
# latency of 0 ns or of centuries, or a number from a lying counter that is passed
# off as right.
. "$(dirname "$0")/boot.sh"
. "$(dirname "$0")/lying.sh"

lying=1
seconds=700
append="tsc=reliable lie=none lie=1000 lie=100000 lie=1000000000"
append="$append lie=-1000000000 lie=100ppm lie=1000ppm lie=both:1000000000"
append="$append lie=both:1000ppm"
boot lying
ok $? "the machine ran"

[ "$(value "$shared/none.cas.json" '$j->{verdict}')" != unreliable ]
ok $? "no lie: check finds none"
for label in none-before none-during; do
	json "$shared/$label.report.json" '!$j->{jobs}[0]{fallback} &&
		$j->{counter}{verdict} ne "unreliable"'
	ok $? "no lie: $label: the counter is used and not blamed"
	no_nonsense $label
done
lie_row none "nothing" "no fault found"

# not_trusted LABEL: the engine's brief checks may be disturbed and end as
# "undecided", or its calibration, after which it uses the system's clock. They are
# never "reliable". A proven lie is reported on stderr, and so is another clock.
not_trusted()
{
	no_nonsense "$1"
	! over "$1" || return 0
	echo "# $(codes "$shared/$1.report.json" "{counter}{reasons}")"
	json "$shared/$1.report.json" '$j->{jobs}[0]{fallback} ||
		$j->{counter}{verdict} =~ /^un(reliable|decided)$/'
	ok $? "$1: the report says $(verdict "$1")"
	[ "$(verdict "$1")" = undecided ] ||
		grep -q '^tickwise: ' "$shared/$1.err"
	ok $? "$1: on stderr, if it is proven, and if the clock is another one"
}

# offset NAME TICKS: checks that it is found and bounded
offset()
{
	found "$1"
	bounds "$1" cas "$2"
	bounds "$1" switch "$2"
}

# This is below the 500 ns that the engine's checks allow: they report nothing.
offset 1000 1000
for label in 1000-before 1000-during; do
	no_nonsense $label
done
lie_row 1000 "CPU 1 ahead by 1000 ticks (476 ns)" \
	"found and bounded by check; the engine allows 500 ns"
for lie in 100000 1000000000 minus_1000000000; do
	ticks=$(echo "$lie" | sed 's/minus_/-/')
	offset $lie "$ticks"
	not_trusted $lie-before
	not_trusted $lie-during
	lie_row $lie "CPU 1 ahead by $ticks ticks" "found, bounded, marked"
done

for ppm in 100 1000; do
	found ${ppm}ppm
	json "$shared/${ppm}ppm.cas.json" '
		my $p = $j->{pairs}[0];
		my $sign = $p->{cpu} == 1 ? 1 : -1;
		my ($low, $high) = ($p->{pace_low_ppb}, $p->{pace_high_ppb});
		print "# pace $low to $high ppb\n";
		$low <= $sign * '$ppm'000 && $sign * '$ppm'000 <= $high'
	ok $? "$ppm ppm: and has it within its bounds"
	for label in ${ppm}ppm-before ${ppm}ppm-during; do
		not_trusted $label
	done
	lie_row ${ppm}ppm "CPU 1 fast by $ppm ppm" "found, bounded, marked"
done

# No check notices these: the kernel's nanosecond has changed as well.
for lie in both_1000000000 both_1000ppm; do
	for label in $lie-before $lie-during; do
		no_nonsense $label
	done
done
lie_row both_1000000000 "all CPUs jump by 1e9 ticks" \
	"cannot be seen: the kernel's clock jumps with them and there is no other"
lie_row both_1000ppm "all CPUs fast by 1000 ppm" \
	"cannot be seen, likewise"
done_testing
