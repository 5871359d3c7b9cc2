#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Is the counter usable in a virtual machine? This is the fourth question that
# WTMLIB's author left open. Machines under software emulation go through what a
# host can do to a guest. The table, which core/clock/QUESTIONS.md has, shows what
# the library and the engine notice:
#
#	tests/vm/questions.sh
#
# Each event happens under three kernels:
#
#	trusts		keeps time by the counter, and compares it with nothing
#	watchdog	keeps time by the counter, and compares it with hpet
#	hpet		keeps time by hpet
#
# Needs what make vm-base builds. This is a measurement, and no test. KERNELS= and
# EVENTS= select some. On a busy host, comparing the CPUs or setting up a clock can have
# no result. Then the event is repeated in another machine, TRIES times in all (3). The
# job runs on one CPU, except if the event is that the CPUs disagree: what all CPUs have
# in common, no comparison shows. Under hpet the machine has one CPU only: where two
# CPUs read the counter in turns, qemu's counter gains time on hpet.
. "$(dirname "$0")/boot.sh"

case ${1-} in
-*)
	sed -n '4,/^\. /s/^# \{0,1\}//p' "$0"
	exit 0 ;;
esac
lying=1
seconds=${TW_QUESTION_SECONDS:-200}
events="none all:1000000000:0 all:-1000000000:0 all:0:1000 all:0:-77000"
events="$events 1:100000:0 stolen pause"

# event_text EVENT: prints the first two columns
event_text()
{
	case $1 in
	none)
		echo "nothing | " ;;
	all:*:0)
		echo "jumps all counters by $(echo "$1" | cut -d: -f2) ticks |" \
			"moved, the offset not corrected" ;;
	all:0:-77000)
		echo "makes all run 7.7 % slower | moved from 2.6 to 2.4 GHz," \
			"the rate not scaled" ;;
	all:0:*)
		echo "makes all run ${1##*:} ppm faster | moved, the rate not scaled" ;;
	stolen)
		echo "runs something else for 2 s | stolen time" ;;
	pause)
		echo "stops the machine and its clocks for 2 s | QMP's stop and cont" ;;
	*)
		echo "puts CPU ${1%%:*} ahead by $(echo "$1" | cut -d: -f2) ticks |" \
			"hosts whose CPUs disagree" ;;
	esac
}

# A machine that is too slow leaves its row empty.
too_slow()
{
	echo "# $guest: exit code $ended, see $log" >&2
}

# obey EVENT: makes it happen
obey()
{
	case $1 in
	stolen)
		# timeout(1) runs qemu.
		pid=$(pgrep -P "$qemu_pid")
		kill -STOP "$pid"
		sleep 2
		kill -CONT "$pid" ;;
	pause)
		tell stop cont ;;
	none) ;;
	*) # rename() is atomic: the reader never sees half a line.
		echo "$1" | tr : ' ' >"$shared/counter.new"
		mv "$shared/counter.new" "$shared/counter"
		# The library in qemu reads it every 2 ms.
		sleep 0.1 ;;
	esac
	: >"$shared/obeyed"
}

# engine_cell: prints the verdict of the engine's report, and what was bad
engine_cell()
{
	[ -s "$shared/job.report.json" ] || { echo "no report"; return; }
	value "$shared/job.report.json" '
		my $c = $j->{counter};
		my @bad = grep { /^(offset|pace|stands_still|backwards)$/ }
			map { $_->{code} } @{$c->{reasons} // []};
		push @bad, map { $_->{state} eq "bad" ? $_->{name} : () }
			@{$c->{at_end}{checks} // []};
		($j->{jobs}[0]{fallback} ? "system clock, " : "") . $c->{verdict} .
			(@bad ? " (" . join(", ", @bad) . ")" : "")'
}

longest_cell()
{
	[ -s "$shared/job.report.json" ] || { echo "no report"; return; }
	value "$shared/job.report.json" '
		sprintf("%.1f s", $j->{stages}{lat}{read}{max_ns} / 1e9)'
}

# watched KERNEL EVENT: boots a machine, lets the event happen, and leaves its cells
# in $cells
watched()
{
	case $1 in
	trusts) append=tsc=reliable ;;
	watchdog) append= ;;
	*) append="tsc=nowatchdog clocksource=$1" ;;
	esac
	cpus=2
	case $1,$2 in
	hpet,[a-z]*) cpus=1 ;;
	esac
	append="$append event=$2"
	start questions -qmp "unix:$scratch/qmp,server=on,wait=off"
	while kill -0 "$qemu_pid" 2>/dev/null; do
		if [ -e "$shared/event" ] && [ ! -e "$shared/obeyed" ]; then
			obey "$2"
		fi
		sleep 0.1
	done
	wait_end >&2 || :
	cp "$shared/job.report.json" "$vm/questions-$1-$2.json" || :
	engine=$(engine_cell)
	cells="$(cat "$shared/cells.txt") | $engine | $(longest_cell)"
	echo "# $1, $2: $cells; $(cat "$shared/cells.err"); the kernel keeps time by" \
		"$(cat "$shared/clocksource")" >&2
}

echo "| what the host does | when that happens | kernel | comparison of the CPUs |" \
	"\`tw_clock_check()\` | \`tw_clock_refine()\` | rate of a new clock |" \
	"engine's report | longest latency |"
echo "|---|---|---|---|---|---|---|---|---|"
for event in ${EVENTS:-$events}; do
	for keeping in ${KERNELS:-trusts watchdog hpet}; do
		try=0
		while [ $((try += 1)) -le "${TRIES:-3}" ]; do
			watched "$keeping" "$event"
			case $cells in
			*undecided*cpus*|*undecided*tolerance*|*'undecided |'*) ;;
			*'| none |'*|*'no report'*|' |'*) ;;
			*) break ;;
			esac
		done
		printf '%s\t%s\t%s\n' "$(event_text "$event")" "$keeping" "$cells"
	done
done | awk -F '\t' '
	# Rows of an event that have the same cells are one.
	function show() { if (what) print "| " what " | " kernels " | " cells " |" }
	$1 == what && $3 == cells { kernels = kernels ", " $2; next }
	{ show(); what = $1; kernels = $2; cells = $3 }
	END { show() }'
