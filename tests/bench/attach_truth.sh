#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Are the waits of `tickwise attach` those that happened? bpftrace follows sched_switch and system
# calls in the same run, by a program of its own, and its waits are compared one by one: how many
# there are of each call, and how far their times are apart. As root:
#
#	tests/bench/attach_truth.sh [KIND]...
#
# Kinds: cold (10,000 reads of pages not in the page cache), faults (of a mapped file), direct
# (O_DIRECT), libaio, throttled (writers that made too many pages dirty: vm.dirty_bytes is set to
# 16 MiB meanwhile, and put back). Prints a line for each. TW_WAITS: how many, 10000.
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
build=${TW_BUILD:-$root/build}
waits=${TW_WAITS:-10000}
work=$(mktemp -d "${TMPDIR:-/tmp}/attach_truth.XXXXXX")
. "$root/tests/bench/dirty_limit.sh"
tracer=
put_back()
{
	[ -z "$tracer" ] || kill "$tracer" 2>/dev/null
	unlimit_dirty
	rm -rf "$work"
}
trap put_back EXIT
trap 'exit 1' INT TERM
cd "$work" || exit

# compare KIND PROGRAM ARGUMENT...: PROGRAM's threads have its name
compare()
{
	kind=$1
	name=$(basename "$2")
	shift
	BPFTRACE_PERF_RB_PAGES=4096 BPFTRACE_MAP_KEYS_MAX=65536 bpftrace -e '
		BEGIN { printf("ready\n"); }
		tracepoint:raw_syscalls:sys_enter /comm == "'"$name"'"/ { @in[tid] = args->id + 1; }
		tracepoint:raw_syscalls:sys_exit /comm == "'"$name"'"/ { delete(@in[tid]); }
		tracepoint:sched:sched_switch {
			$now = nsecs;
			if (comm == "'"$name"'" && (args->prev_state & 0xff)) {
				@slept[args->prev_pid] = $now;
				@call[args->prev_pid] = (int64)@in[tid] - 1;
			}
			$slept = @slept[args->next_pid];
			if ($slept) {
				printf("%d %lld %llu %llu\n", args->next_pid, @call[args->next_pid],
				       $slept, $now);
				delete(@slept[args->next_pid]);
			}
		}
		END { clear(@in); clear(@slept); clear(@call); }' >truth 2>tracer_err &
	tracer=$!
	until grep -q ready truth 2>/dev/null; do
		kill -0 $tracer 2>/dev/null || { cat tracer_err; exit 1; }
		sleep 0.1
	done
	"$build/tickwise" attach --slow=0.000001 --quiet --json=report.json -o /dev/null -- "$@" \
		>/dev/null 2>err || { cat err; exit 1; }
	sleep 0.5
	kill -INT $tracer
	wait $tracer
	tracer=
	perl -MJSON::PP -we 'use strict;
		my ($kind) = @ARGV;
		my %number = (pread64 => 17, "page fault" => -1, io_getevents => 208, pwrite64 => 18,
			read => 0, write => 1);
		my (%ours, %truth, @off, @begin, @end, $ours, $truth, $lost);
		local $/;
		open my $in, "<", "report.json"; my $report = decode_json(<$in>);
		open my $other, "<", "truth";
		for (@{$report->{waits}{slowest}}) {
			my $call = $number{$_->{call}};
			push @{$ours{"$_->{tid} $call"}}, [$_->{monotonic_ns}, $_->{ns}] if defined $call;
		}
		for (split /\n/, <$other>) {
			push @{$truth{"$1 $2"}}, [$3, $4 - $3] if /^(\d+) (-?\d+) (\d+) (\d+)$/;
			$lost += $1 if /Lost (\d+)/;
		}
		for my $key (sort keys %ours) {
			my @a = sort { $a->[0] <=> $b->[0] } @{$ours{$key}};
			my @b = sort { $a->[0] <=> $b->[0] } @{$truth{$key} // []};
			$ours += @a;
			$truth += @b;
			next if @a != @b;
			push @off, map { abs($a[$_][1] - $b[$_][1]) } 0 .. $#a;
			push @begin, map { $a[$_][0] - $b[$_][0] } 0 .. $#a;
			push @end, map { $a[$_][0] + $a[$_][1] - $b[$_][0] - $b[$_][1] } 0 .. $#a;
		}
		@$_ = sort { $a <=> $b } @$_ for \(@off, @begin, @end);
		my $of = sub { my ($all, $part) = @_;
			@$all ? sprintf("%.1f us", $all->[$part * $#$all] / 1e3) : "-" };
		my $at = sub { $of->(\@off, @_) };
		my $near = grep { $_ <= 5e3 } @off;
		printf "%-10s %7d waits, bpftrace %7d; %d compared one by one: median %s, p99 %s, " .
			"max %s apart; within 5 us %.2f %%; our stamps are later: at the beginning %s (p90 %s), at the end " .
			"%s (p90 %s); missed runs %d, lost %d\n", $kind, $ours,
			$truth, scalar @off, $at->(0.5), $at->(0.99), $at->(1),
			@off ? 100 * $near / @off : 0, $of->(\@begin, 0.5), $of->(\@begin, 0.9),
			$of->(\@end, 0.5), $of->(\@end, 0.9), $report->{kernel_stages}{missed_runs} // 0,
			$lost // 0' "$kind"
}

calls=$build/tests/fio/wait_calls
"$calls" write data "$waits" >/dev/null
fio='fio --name=x --filename=data --runtime=60'
for kind in ${*:-cold faults direct libaio throttled}; do
	case $kind in
	libaio)
		compare libaio $fio --ioengine=libaio --direct=1 --rw=randread --bs=4k \
			--iodepth=1 --number_ios="$waits" ;;
	throttled)
		limit_dirty
		compare throttled $fio --ioengine=psync --rw=randwrite --bs=64k --numjobs=8 \
			--time_based --runtime=30
		;;
	*) compare "$kind" "$calls" "$kind" data "$waits" ;;
	esac
done
