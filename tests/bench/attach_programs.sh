#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Are the calls and the time waited of real programs those that bpftrace sees in the same run? As
# root, with tracefs mounted, in a folder on a disk:
#
#	tests/bench/attach_programs.sh NAME COMMAND
#
# COMMAND runs in a shell, from a cold page cache. bpftrace follows all that descends from it: how
# often they call read and write functions, and how long they sleep without being woken by signals
# in calls that attach follows, and in page faults. io_getevents(2) is left out: it sleeps
# otherwise, and attach counts it only while there are I/Os. Prints a row for the table of results.md.
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
build=${TW_BUILD:-$root/build}
name=$1 command=$2
work=$(mktemp -d "${TMPDIR:-/tmp}/attach_programs.XXXXXX")
tracer=
trap '[ -z "$tracer" ] || kill "$tracer" 2>/dev/null; rm -rf "$work"' EXIT
trap 'exit 1' INT TERM
cp /bin/sh "$work/tw_root"

# The numbers of the calls that attach follows (plugin/attach/attach_waits.c), on x86-64.
followed=$(sed -n 's/CALL(/\n&/gp' \
	"$root/plugin/attach/attach_waits.c" | sed -n 's/^CALL(\([a-z0-9_]*\),.*/\1/p' | while read -r call; do
	printf '#include <sys/syscall.h>\nSYS_%s\n' "$call" | cc -E -P - 2>/dev/null | tail -n 1
done | grep '^[0-9]' | sed 's/.*/@follow[&] = 1;/' | tr '\n' ' ')
counted='args->id == 0 || args->id == 1 || (args->id >= 17 && args->id <= 20) ||
	args->id == 40 || args->id == 295 || args->id == 296 || args->id == 326 ||
	args->id == 327 || args->id == 328'

BPFTRACE_MAP_KEYS_MAX=65536 bpftrace -e '
	BEGIN { '"$followed"' @follow[-1] = 1; printf("ready\n"); }
	tracepoint:syscalls:sys_enter_execve /comm == "tw_root"/ { @mine[pid] = 1; }
	tracepoint:sched:sched_process_fork /comm == "tw_root" || @mine[pid]/ {
		@mine[args->child_pid] = 1; @mine[pid] = 1; }
	tracepoint:raw_syscalls:sys_enter /comm == "tw_root" || @mine[pid]/ {
		@in[tid] = args->id + 1;
		if ('"$counted"') { @calls = count(); } }
	tracepoint:raw_syscalls:sys_exit /@in[tid]/ { delete(@in[tid]); }
	tracepoint:sched:sched_switch {
		$now = nsecs;
		if ((args->prev_state & 0x2) && @mine[pid] && @follow[(int64)@in[tid] - 1]) {
			@slept[args->prev_pid] = $now;
		}
		$slept = @slept[args->next_pid];
		if ($slept) {
			@waits = count();
			@ns = sum($now - $slept);
			delete(@slept[args->next_pid]);
		} }
	END { clear(@in); clear(@slept); clear(@follow); clear(@mine); }' \
	>"$work/truth" 2>"$work/err" &
tracer=$!
until grep -q ready "$work/truth" 2>/dev/null; do
	kill -0 $tracer 2>/dev/null || { cat "$work/err"; exit 1; }
	sleep 0.1
done
sync
echo 3 >/proc/sys/vm/drop_caches
# bpftrace follows from the second program on, so the first one must not wait.
"$work/tw_root" -c :
"$build/tickwise-attach" --help >/dev/null
"$build/tickwise" attach --quiet --json="$work/report.json" -o /dev/null -- \
	"$work/tw_root" -c "$command" >"$work/out" 2>"$work/attach_err" ||
	tail -n 3 "$work/attach_err" "$work/out"
kill -INT $tracer
wait $tracer
tracer=
perl -MJSON::PP -we 'use strict;
	my ($name, $work) = @ARGV;
	local $/;
	open my $in, "<", "$work/report.json"; my $waits = (my $j = decode_json(<$in>))->{waits};
	open my $other, "<", "$work/truth"; my $truth = <$other>;
	my %truth = map { $_ => $truth =~ /^\@$_: (\d+)/m ? $1 : 0 } qw(calls waits ns);
	my ($count, $ns, $odd, %by) = (0, 0, 0);
	for (grep { $_->{call} !~ /getevents/ } @{$waits->{rows}}) {
		$count += $_->{time}{count};
		$ns += $_->{time}{sum_ns};
		$odd += $_->{time}{sum_ns} if $_->{file} eq "-" || $_->{reason} eq "other";
		$by{"$_->{call}, $_->{reason}"} += $_->{time}{sum_ns};
	}
	my $other_ns = 0;
	$other_ns += $_->{time}{sum_ns} for grep { $_->{reason} eq "other" } @{$waits->{rows}};
	my ($most) = sort { $by{$b} <=> $by{$a} } keys %by;
	my $calls = $waits->{read_calls} + $waits->{write_calls};
	my $off = sub { $_[1] ? sprintf("%+.2f %%", 100 * ($_[0] / $_[1] - 1)) : "-" };
	printf "| %s | %d | %s | %d | %s | %.3f s | %s | %.1f %% | %.1f %% | %s | %d |\n", $name,
		$calls, $off->($calls, $truth{calls}), $count, $off->($count, $truth{waits}),
		$ns / 1e9, $off->($ns, $truth{ns}), 100 * $other_ns / ($ns || 1),
		100 * ($odd - $other_ns) / ($ns || 1), $most // "-",
		$j->{kernel_stages}{missed_runs} // 0' "$name" "$work"
