#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Is the counter usable in a virtual machine? This is the fourth question that
# WTMLIB's author left open. Machines under software emulation go through what a
# host can do to a guest; the table has what the library and the engine notice:
#
#	tests/vm/questions.sh
#
#	jump	all counters jump by 1e9 ticks: moved to another host, the offset
#		not corrected
#	rate	all counters run at another rate: moved, the rate not scaled
#	one	the counter of one CPU is ahead by 100000 ticks
#	stolen	the host runs something else for two seconds
#	pause	the host stops the machine for two seconds, and its clocks
#
# Each happens under a kernel that trusts its counter, and under one whose watchdog
# compares the counter with another clock. Needs what make check-vm builds. This is a
# measurement, and no test. KERNELS=trusted or =watchdog, and EVENTS=, select some.
. "$(dirname "$0")/boot.sh"

case ${1-} in
-*)
	sed -n '4,/^\. /s/^# \{0,1\}//p' "$0"
	exit 0 ;;
esac
lying=1
seconds=${TW_QUESTION_SECONDS:-400}
events="none all:1000000000:0 all:-1000000000:0 all:0:1000 all:0:-77000"
events="$events 1:100000:0 stolen pause"

# tell COMMAND: sends a command to qemu
tell()
{
	perl -MIO::Socket::UNIX -e '
		my $s = IO::Socket::UNIX->new(shift) or die "no qmp: $!";
		<$s>;
		for my $command ("qmp_capabilities", @ARGV) {
			print $s "{\"execute\":\"$command\"}\n";
			$s->flush;
			while (<$s>) { last if /"return"|"error"/ }
		}' "$scratch/qmp" "$1"
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
		tell stop
		sleep 2
		tell cont ;;
	none) ;;
	*) # Atomic for who reads it.
		echo "$1" >"$shared/counter.new"
		mv "$shared/counter.new" "$shared/counter" ;;
	esac
}

# what_engine EVENT: prints the verdict of the engine's report, and what was bad
what_engine()
{
	[ -s "$shared/$1.report.json" ] || { echo "no report"; return; }
	value "$shared/$1.report.json" '($j->{counter}{fallback} ? "system clock, " :
		"") . $j->{counter}{verdict} . " (" . join(" ",
		map { $_->{state} eq "bad" ? $_->{name} : () }
			@{$j->{counter}{at_end}{checks} // []}) . "), max " .
		int($j->{stages}{lat}{read}{max_ns} / 1e6) . " ms"'
}

# watched KERNEL APPEND EVENT...: boots a machine, lets the events happen, and prints a
# line for each
watched()
{
	watching=$1
	append=$2
	shift 2
	for event; do
		append="$append event=$event"
	done
	start questions -qmp "unix:$scratch/qmp,server=on,wait=off"
	happened=
	while kill -0 "$qemu_pid" 2>/dev/null; do
		event=$(cat "$shared/event" 2>/dev/null || :)
		if [ "$event" != "$happened" ]; then
			happened=$event
			obey "$event"
		fi
		sleep 0.1
	done
	wait_end || :
	while read -r line; do
		event=$(echo "${line%%;*}" | tr ' ' :)
		echo "$watching: $line; engine: $(what_engine "$event")"
	done <"$shared/events.txt"
}

# shellcheck disable=SC2086	# words
case ${KERNELS:-trusted watchdog} in
*trusted*) watched trusted tsc=reliable ${EVENTS:-$events} ;;
esac
# A machine for each, since the kernel gives the counter up at the first fault.
case ${KERNELS:-trusted watchdog} in
*watchdog*)
	for each in ${EVENTS:-$events}; do
		watched watchdog "" "$each"
	done ;;
esac
