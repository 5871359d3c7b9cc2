# SPDX-License-Identifier: MIT
#
# For the tests of counters that lie, sourced after boot.sh: what must be true of
# what guest/lying.sh left of one lie.

# codes FILE PATH: of the reasons
codes()
{
	value "$1" 'join ",", map { $_->{code} } @{$j->'"$2"'}'
}

# no_nonsense LABEL: of the engine's latencies none is 0, none is centuries; a
# jump of the counter can make one longer by the jump.
no_nonsense()
{
	json "$shared/$1.report.json" '
		my $t = $j->{stages}{lat}{read};
		$t->{count} > 0 && $t->{min_ns} > 0 && $t->{max_ns} < 60e9'
	ok $? "$1: no latency of 0 ns, none of centuries"
}

# found NAME: the check blames the counter. Disturbed, it may be unable to tell,
# and says that; never that all is well.
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

# bounds NAME METHOD TICKS: the second CPU is ahead by that, and the interval says
# so. Bounds are hard: no tolerance.
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

# over LABEL: the job was done before it had been moved twice
over()
{
	[ -e "$shared/$1.hopped" ] && return 1
	skip "$1: the job was over before it had been on both CPUs"
}

# bad_checks LABEL: which of the engine's own looks saw it
bad_checks()
{
	value "$shared/$1.report.json" 'join ", ", $j->{counter}{fallback} ?
		"at the start: " . (join(" ", map { $_->{code} }
			@{$j->{counter}{reasons}}) || "no calibration") : (),
		map { $_->{state} eq "bad" ? $_->{name} : () }
			@{$j->{counter}{at_end}{checks} // []}'
}

verdict()
{
	value "$shared/$1.report.json" '$j->{counter}{verdict}'
}

# seen_after NAME: by which look after the lie a watch saw it, or "never"
seen_after()
{
	told=$(cat "$shared/$1.watch.before")
	awk -v told="$told" 'NR > told && /"verdict": *"unreliable"/ {
		print NR - told; found = 1; exit }
		END { if (!found) print "never" }' "$shared/$1.watch.json"
}

# stock LABEL: the least and the greatest lat that fio's own engine reports
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

# lie_row NAME INJECTED MUST: a line of the table
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
