#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Is the wait table of a job with tw_causes=1 what happened? bpftrace follows sched_switch in the
# same run: sleeps of fio's threads and of io_uring's workers that no signal ends. Run it as root.
#
#	tests/bench/job_waits_truth.sh FOLDER [SECONDS]
#
# Two jobs write in FOLDER: one appends with O_DIRECT, whose workers wait for the inode's lock; one
# writes a file of the page cache again and again, and waits in fio's own fadvise(2) for that. bpftrace
# also sees the few sleeps before the first I/O and after the last one.
set -eu
folder=$(mktemp -d "$(realpath "$1")/waits.XXXXXX")
seconds=${2:-3}
so=$(realpath "${TW_BUILD:-build}/tickwise.so")
mounted=
tracer=
give_back()
{
	[ -z "$tracer" ] || kill "$tracer" 2>/dev/null || :
	rm -rf "$folder"
	[ -z "$mounted" ] || umount /sys/kernel/tracing
}
trap give_back EXIT
trap 'exit 130' INT TERM
cd "$folder"
[ -d /sys/kernel/tracing/events ] || { mount -t tracefs tracefs /sys/kernel/tracing; mounted=1; }

# compare NAME ARGUMENT...: runs the job, and prints what both saw
compare()
{
	name=$1
	shift
	bpftrace -e '
		BEGIN { printf("ready\n"); }
		tracepoint:sched:sched_switch /(args->prev_state & 2) &&
			(args->prev_comm == "fio" || strncmp(args->prev_comm, "iou-wrk", 7) == 0)/ {
			@off[args->prev_pid] = nsecs;
		}
		tracepoint:sched:sched_switch /@off[args->next_pid]/ {
			@count[args->next_pid, args->next_comm] = count();
			@ns[args->next_pid, args->next_comm] = sum(nsecs - @off[args->next_pid]);
			delete(@off[args->next_pid]);
		}
		END { clear(@off); }' >seen 2>why &
	tracer=$!
	for _ in $(seq 100); do
		! grep -q ready seen || break
		sleep 0.1
	done
	"${FIO:-fio}" --name="$name" --ioengine="external:$so" --filename=data --size=64m --bs=4k \
		--iodepth=8 --time_based --runtime="$seconds" --tw_causes=1 \
		--tw_report="$name.json" --output=/dev/null "$@"
	kill -INT $tracer
	wait $tracer || :
	tracer=
	perl -MJSON::PP -e '
		my $j = do { local $/; open my $f, "<", $ARGV[0]; decode_json(<$f>) };
		my ($pid, %of) = $j->{jobs}[0]{pid};
		for (@{$j->{waits}{rows}}) {
			my $who = $_->{call} eq "io_uring worker" ? "workers" : "thread";
			$of{$who}{ours}[0] += $_->{time}{count};
			$of{$who}{ours}[1] += $_->{time}{sum_ns};
		}
		while (<STDIN>) {
			my ($what, $tid, $n) = /^@(count|ns)\[(\d+), .*\]: (\d+)/ or next;
			my ($who) = /iou-wrk-$pid\b/ ? "workers" : $tid == $pid ? "thread" : next;
			$of{$who}{seen}[$what eq "ns"] += $n;
		}
		printf "%-8s %-7s %6d sleeps, bpftrace %6d; %9.3f ms, bpftrace %9.3f; lost %d\n",
			$ARGV[1], $_, map({ $_ // 0 } $of{$_}{ours}[0], $of{$_}{seen}[0]),
			map({ ($_ // 0) / 1e6 } $of{$_}{ours}[1], $of{$_}{seen}[1]),
			$j->{waits}{lost_waits} for sort keys %of' "$name.json" "$name" <seen
}

compare append --rw=write --direct=1 --fallocate=none --create_on_open=1
rm -f data
compare cached --rw=randwrite
