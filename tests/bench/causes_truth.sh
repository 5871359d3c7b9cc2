#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Compares what a report tells of its slowest I/Os with the kernel's own trace of the same
# time. Run it as root.
#
#	tests/bench/causes_truth.sh FILE [RUNS]
#
# FILE, of 64 MB at least, is only read, with O_DIRECT; an ordinary user must be able to read
# it. Its file system lies on one disk. ARMS="idle writer loops user user_loops" may be less:
#
#	idle		tw_causes=1
#	writer		the same, while dd writes and syncs a file next to FILE
#	loops		the same, with two busy loops on the job's CPU
#	user		an ordinary user, whose report has bounds of the waits for a CPU
#	user_loops	the same, with the loops
#
# Checked are: the waking that parts complete; each name that had the CPU did run on that CPU, for as long; the pieces of the
# stage are what the thread did; what the device had in flight; a reason of a sleep has a sleep
# in state D; a bound is no less than the wait in that stage, and no more than all since the
# reading before. DEPTH=8 and SLOWEST=20 are of the job. Prints the contradictions of each run, and sums for each arm.
set -eu
file=$(realpath "$1")
runs=${2:-20}
arms=${ARMS:-idle writer loops user user_loops}
so=$(realpath "${TW_BUILD:-build}/tickwise.so")
here=$(realpath "$(dirname "$0")")
fio=${FIO:-fio}
cpu=${CPU:-$(($(nproc) - 1))}
device=$(stat -c '%Hd:%Ld' "$file")
disk=/sys/dev/block/$device
[ -f "$disk/partition" ] && disk=$disk/..
disk=$(tr : , <"$disk/dev")
scratch=$(mktemp -d)
instance=$scratch/tracing/instances/truth-$$
others=
give_back()
{
	# shellcheck disable=SC2086 # several
	[ -z "$others" ] || kill $others 2>/dev/null || :
	others=
	wait
	rm -f "$file.written"
	[ ! -d "$instance" ] || rmdir "$instance"
	! mountpoint -q "$scratch/tracing" || umount "$scratch/tracing"
	rm -rf "$scratch"
}
trap give_back EXIT
trap 'exit 130' INT TERM
cd "$scratch"
chmod 755 .
mkdir -m 777 out
mkdir tracing
mount -t tracefs tracefs tracing
mkdir "$instance"
echo mono >"$instance/trace_clock"
echo 65536 >"$instance/buffer_size_kb"
for event in sched/sched_switch sched/sched_waking sched/sched_wakeup sched/sched_migrate_task \
	irq/irq_handler_entry irq/irq_handler_exit irq/softirq_entry irq/softirq_exit \
	block/block_getrq block/block_rq_issue block/block_rq_complete block/block_rq_requeue \
	syscalls/sys_enter_pread64; do
	echo 1 >"$instance/events/$event/enable"
done
echo 0 >"$instance/tracing_on"

# begin ARM: starts what runs next to the job
begin()
{
	case $1 in
	*loops)
		for _ in 1 2; do
			taskset -c "$cpu" sh -c 'while :; do :; done' &
			others="$others $!"
		done
		;;
	writer)
		(
			trap 'kill $dd 2>/dev/null; exit' TERM
			while :; do
				dd if=/dev/zero of="$file.written" bs=1M count=64 conv=fsync \
					2>/dev/null &
				dd=$!
				wait "$dd"
			done
		) &
		others=$!
		;;
	esac
}

end()
{
	# shellcheck disable=SC2086 # several
	[ -z "$others" ] || kill $others
	others=
	wait
}

# job ARM
job()
{
	kind='--tw_kernel=require --tw_kernel_every=1 --tw_causes=1'
	user=
	bind=
	case $1 in
	user*)
		kind=--tw_kernel=auto
		user='setpriv --reuid=65534 --regid=65534 --clear-groups'
		;;
	esac
	case $1 in
	*loops) bind="--cpus_allowed=$cpu" ;;
	esac
	# shellcheck disable=SC2086 # several words
	(cd out && $user "$fio" --name=job --ioengine="external:$so" --filename="$file" \
		--readonly --size=64m --direct=1 --bs=4k --rw=randread --norandommap \
		--iodepth="${DEPTH:-8}" --tw_slowest="${SLOWEST:-20}" --time_based --runtime=1 --tw_report=report.json \
		$kind $bind >fio.out 2>&1)
}

for arm in $arms; do
	run=0
	while [ "$run" -lt "$runs" ]; do
		run=$((run + 1))
		rm -f out/*
		begin "$arm"
		echo >"$instance/trace"
		echo 1 >"$instance/tracing_on"
		job "$arm" || sed 's/^/# /' out/fio.out
		echo 0 >"$instance/tracing_on"
		end
		cat "$instance/trace" >trace
		if grep -q 'LOST.*EVENTS' trace; then
			echo "$arm, run $run: the trace lost events"
			continue
		fi
		perl "$here/causes_truth.pl" out/report.json trace "$disk" >found
		[ -z "${KEEP:-}" ] || ! grep -q FALSE found ||
			cp out/report.json trace found "$KEEP"
		sed "s/^FALSE/$arm, run $run: &/" found | sed '$d'
		tail -n 1 found >>"$arm.counts"
		[ -z "${VERBOSE:-}" ] || echo "$arm, run $run: $(tail -n 1 found)"
	done
	[ ! -f "$arm.counts" ] || perl -ane '
		my %of = @F;
		$sum{$_} += $of{$_} for keys %of;
		$runs++;
		push @bounded, $of{bounded} if $of{bounds};
		END {
			print "'"$arm"', $runs runs: ", join ", ", map { "$_ $sum{$_}" }
				grep { $sum{$_} || $_ eq "wrong" } sort keys %sum;
			print "; bounded in each run: @{[sort { $a <=> $b } @bounded]}"
				if @bounded;
			print "\n" }' "$arm.counts"
done
