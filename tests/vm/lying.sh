# SPDX-License-Identifier: MIT
#
# For the tests of counters that lie, to be sourced after boot.sh: checks what
# guest/lying.sh left of each lie.

# codes FILE PATH: prints those of the reasons
codes()
{
	value "$1" 'join ",", map { $_->{code} } @{$j->'"$2"'}'
}

# no_nonsense LABEL: passes if no latency of the engine is 0 or centuries. A jump of
# the counter can lengthen a latency by the jump.
no_nonsense()
{
	json "$shared/$1.report.json" '
		my $t = $j->{stages}{lat}{read};
		$t->{count} > 0 && $t->{min_ns} > 0 && $t->{max_ns} < 60e9'
	ok $? "$1: no latency of 0 ns, none of centuries"
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

# bounds NAME METHOD TICKS: passes if the interval holds TICKS, by which the second
# CPU is ahead. Bounds are hard: no tolerance.
bounds()
{
	json "$shared/$1.$2.json" '
		my $p = $j->{pairs}[0];
		my $sign = $p->{cpu} == 1 ? 1 : -1;
		print "# $p->{low_ticks} to $p->{high_ticks}\n";
		$p->{low_ticks} <= $sign * '"$3"' &&
			$sign * '"$3"' <= $p->{high_ticks}'
	ok $? "$1: check --method=$2 has $3 ticks within its bounds"
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
		map { $_->{state} eq "bad" ? $_->{name} : () }
			@{$j->{counter}{at_end}{checks} // []}'
}

verdict()
{
	value "$shared/$1.report.json" '$j->{counter}{verdict}'
}

# seen_after NAME: prints which check of a watch noticed the lie, or "never"
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
	if [ "$(cat "$shared/$1.status" 2>/dev/null)" = 137 ]; then
		echo "hangs"
		return
	fi
	if [ ! -e "$shared/$1.status" ]; then
		echo "not run"
		return
	fi
	value "$shared/$1.fio.json" 'my $l = $j->{jobs}[0]{read}{lat_ns};
		"lat $l->{min} to $l->{max} ns"'
}

# lie_row NAME INJECTED MUST: adds a line to the table
lie_row()
{
	row "$2" "$3" \
		"check: $(value "$shared/$1.cas.json" '$j->{verdict}') \
($(codes "$shared/$1.cas.json" "{reasons}")), $(value "$shared/$1.cas.json" \
'"$j->{pairs}[0]{low_ticks} to $j->{pairs}[0]{high_ticks} ticks, pace " .
int($j->{pace_ppb} / 1000) . " ppm"'); switch: \
$(value "$shared/$1.switch.json" '$j->{verdict}'); a watch every second: look \
$(seen_after "$1"); job begun with it: $(verdict "$1-before") \
($(bad_checks "$1-before")); in mid-run: $(verdict "$1-during") \
($(bad_checks "$1-during")); clocksource then: $(cat "$shared/$1.clocksource")" \
		"cpuclock-test: $(grep -oE 'cs: (Pass|Fail)[a-z]*' \
			"$shared/$1.cpuclock" | cut -c5-); begun with it: $(stock "$1-stock_before"); \
in mid-run: $(stock "$1-stock_during")"
}
