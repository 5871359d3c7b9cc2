#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Behaviour: a second CPU's counter is ahead, behind or fast. `tickwise check` finds and
# bounds each lie. If the lie exists when the engine starts, the engine reports that it
# uses the system's clock, or marks its report. If the lie begins in mid-run, the engine
# marks its report. First the kernel trusts the counter blindly (tsc=reliable). A lie of
# all CPUs in common cannot be seen then by a check of one machine, whose kernel's clock
# is made of the same counter: this is shown here, too. Then the kernel's watchdog checks
# the counters (the default), and the kernel may switch to another clock. Defect: a
# latency of 0 ns or of centuries, a number from a lying counter that is passed off as
# right, a clock that continues by the counter when the kernel has given it up.
. "$(dirname "$0")/boot.sh"

# codes FILE PATH: prints those of the reasons
codes()
{
	value "$1" 'join ",", map { $_->{code} } @{$j->'"$2"'}'
}

# no_nonsense NAME: passes if no latency of the engine is 0 or centuries, in the job
# begun with the lie and the one that it begins in. A jump of the counter can lengthen
# a latency by the jump.
no_nonsense()
{
	for label in "$1-before" "$1-during"; do
		json "$shared/$label.report.json" '
			my $t = $j->{stages}{lat}{read};
			$t->{count} > 0 && $t->{min_ns} > 0 && $t->{max_ns} < 60e9'
		ok $? "$told$label: no latency of 0 ns, none of centuries"
	done
}

# found NAME: passes if the check blames the counter. A disturbed check may be
# undecided; it never reports that all is well.
found()
{
	if [ "$(value "$shared/$1.cas.json" '$j->{verdict}')" = undecided ]; then
		skip "$1: check is undecided: $(codes "$shared/$1.cas.json" \
			"{reasons}")"
		return
	fi
	is "$(value "$shared/$1.cas.json" '$j->{verdict}')" unreliable \
		"$1: check finds it"
}

# holds NAME METHOD KEYS VALUE: passes if the interval of these two keys holds the value
# by which the second CPU is ahead or fast. Bounds are hard: no tolerance.
holds()
{
	json "$shared/$1.$2.json" '
		my $p = $j->{pairs}[0];
		my $is = ($p->{cpu} == 1 ? 1 : -1) * '"$4"';
		my ($low, $high) = @$p{qw('"$3"')};
		print "# $low to $high\n";
		$low <= $is && $is <= $high'
	ok $? "$1: check --method=$2 has $4 within its bounds"
}

# over LABEL: true if the job ended before it had been moved twice
over()
{
	[ -e "$shared/$1.hopped" ] && return 1
	skip "$1: the job was over before it had been on both CPUs"
}

# bad_checks LABEL: prints which of the engine's own checks noticed the lie
bad_checks()
{
	value "$shared/$1.report.json" 'join ", ", $j->{jobs}[0]{fallback} ?
		"at the start: " . (join(" ", map { $_->{code} }
			@{$j->{counter}{reasons}}) || "no calibration") : (),
		map { $_->{text} =~ /this was false/ && $_->{code} =~ /^end_(.*)/ ?
			$1 : () } @{$j->{counter}{reasons}}'
}

verdict()
{
	value "$shared/$1.report.json" '$j->{counter}{verdict}'
}

# seen_after NAME: prints which of the checks noticed the lie, or "never"
seen_after()
{
	told=$(cat "$shared/$1.watch.before")
	awk -v told="$told" 'NR > told && /"verdict": *"unreliable"/ {
		print NR - told; found = 1; exit }
		END { if (!found) print "never" }' "$shared/$1.watch.json"
}

# stock LABEL: prints the least and the greatest lat of fio's own engine
stock()
{
	case $(cat "$shared/$1.status" 2>/dev/null || echo none) in
	none) echo "not run" ;;
	137) echo "hangs" ;;
	*)	value "$shared/$1.fio.json" 'my $l = $j->{jobs}[0]{read}{lat_ns};
			"lat $l->{min} to $l->{max} ns"' ;;
	esac
}

# lie_row NAME INJECTED MUST: adds a line to the table
lie_row()
{
	row "$2" "$3" \
		"check: $(value "$shared/$1.cas.json" '$j->{verdict}') \
($(codes "$shared/$1.cas.json" "{reasons}")), $(value "$shared/$1.cas.json" \
'"$j->{pairs}[0]{low_ticks} to $j->{pairs}[0]{high_ticks} ticks, pace " .
int($j->{pace_ppb} / 1000) . " ppm"'); switch: \
$(value "$shared/$1.switch.json" '$j->{verdict}'); a check every second: look \
$(seen_after "$1"); job begun with it: $(verdict "$1-before") \
($(bad_checks "$1-before")); in mid-run: $(verdict "$1-during") \
($(bad_checks "$1-during")); clocksource then: $(cat "$shared/$1.clocksource")" \
		"cpuclock-test: $(grep -oE 'cs: (Pass|Fail)[a-z]*' \
			"$shared/$1.cpuclock" | cut -c5-); begun with it: $(stock "$1-stock_before"); \
in mid-run: $(stock "$1-stock_during")"
}

# not_trusted LABEL: the engine's brief checks may be disturbed and end as
# "undecided", or its calibration, after which it uses the system's clock. They are
# never "reliable". A proven lie is reported on stderr, and so is another clock.
not_trusted()
{
	! over "$1" || return 0
	echo "# $(codes "$shared/$1.report.json" "{counter}{reasons}")"
	json "$shared/$1.report.json" '$j->{jobs}[0]{fallback} ||
		$j->{counter}{verdict} =~ /^un(reliable|decided)$/'
	ok $? "$1: the report says $(verdict "$1")"
	[ "$(verdict "$1")" = undecided ] || grep -q '^tickwise: ' "$shared/$1.err"
	ok $? "$1: on stderr, if it is proven, and if the clock is another one"
}

# Each lie: its name, what it is, and what must happen. The engine's checks allow 500 ns
# and report nothing below.
lies='none|nothing|no fault found
1000|CPU 1 ahead by 1000 ticks (476 ns)|found and bounded by check; the engine allows 500 ns
100000|CPU 1 ahead by 100000 ticks|found, bounded, marked
1000000000|CPU 1 ahead by 1000000000 ticks|found, bounded, marked
-1000000000|CPU 1 ahead by -1000000000 ticks|found, bounded, marked
100ppm|CPU 1 fast by 100 ppm|found, bounded, marked
1000ppm|CPU 1 fast by 1000 ppm|found, bounded, marked
both:1000000000|all CPUs jump by 1e9 ticks|cannot be seen: the kernel'"'"'s clock jumps with them and there is no other
both:1000ppm|all CPUs fast by 1000 ppm|cannot be seen, likewise'

# name_of LIE: prints that of its files
name_of()
{
	echo "$1" | sed 's/^-/minus_/; s/:/_/'
}

lying=1
told=
seconds=700
append="tsc=reliable $(echo "$lies" | sed 's/|.*//; s/^/lie=/' | tr '\n' ' ')"
boot lying
ok $? "the machine ran"
echo "$lies" >"$scratch/lies"
while IFS='|' read -r lie what must; do
	name=$(name_of "$lie")
	no_nonsense "$name"
	case $lie in
	none)
		[ "$(value "$shared/none.cas.json" '$j->{verdict}')" != unreliable ]
		ok $? "no lie: check finds none"
		for label in none-before none-during; do
			json "$shared/$label.report.json" '!$j->{jobs}[0]{fallback} &&
				$j->{counter}{verdict} ne "unreliable"'
			ok $? "no lie: $label: the counter is used and not blamed"
		done
		;;
	# No check notices these: the kernel's nanosecond has changed as well.
	both:*) ;;
	*ppm)
		found "$name"
		holds "$name" cas "pace_low_ppb pace_high_ppb" "${lie%ppm}000"
		;;
	*)
		found "$name"
		holds "$name" cas "low_ticks high_ticks" "$lie"
		holds "$name" switch "low_ticks high_ticks" "$lie"
		;;
	esac
	case $must in
	*marked)
		not_trusted "$name-before"
		not_trusted "$name-during"
		;;
	esac
	lie_row "$name" "$what" "$must"
done <"$scratch/lies"

seconds=120
told="the watchdog on: "
grep -E '^(both:)?1000(000000|ppm)\|' "$scratch/lies" >"$scratch/watched"
while IFS='|' read -r lie what must; do
	name=$(name_of "$lie")
	append="lie=$lie"
	boot lying
	ok $? "$told$lie: the machine ran"
	no_nonsense "$name"
	case $lie in
	both:*) must="seen by a job that it begins in; afterwards all agree, and \
check names the kernel's doubt" ;;
	*)
		must="found, marked"
		found "$name"
		if ! over "$name-during"; then
			[ "$(verdict "$name-during")" != reliable ]
			ok $? "$told$lie: the report says $(verdict "$name-during")"
		fi
		;;
	esac
	lie_row "$name" "$what, the kernel's watchdog on" "$must"
done <"$scratch/watched"
done_testing
