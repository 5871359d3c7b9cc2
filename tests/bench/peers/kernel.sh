#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Compares the stages inside the kernel with other tracers of block I/O. Run it as
# root, by
#
#	tests/bench/peers.sh --kernel FILE_OR_DEVICE [ROUNDS [SECONDS]]
#
# FILE_OR_DEVICE, of 64 MB at least, is only read. The tracers, where installed:
#	blktrace	opens the device, and files of debugfs
#	blk		the kernel's part of blktrace, started and read through sysfs and
#			tracefs: issue and complete alone, as blktrace is started here.
#			It runs where the kernel refuses blktrace its files.
#	biosnoop	of libbpf-tools; biosnoop-bpfcc of bpfcc-tools
#	bpftrace-script	a script of ours for bpftrace. It prints a line for each I/O, as
#			biosnoop does, from the block layer's two tracepoints. It runs
#			where the kernel refuses biosnoop its probes. What biosnoop costs
#			is not known from it.
# A tracer that does not run has a row with the first line that it printed. For a
# file or a partition the whole disk is traced.
#
# Time of the device: READS=2000 reads are traced by both at once. A read of ours is
# joined with the request of theirs that was dispatched nearest to it, if that is true
# both ways, and at most 5 us apart. Times of blktrace and biosnoop begin at a time of
# their own; the shift that joins the most reads is taken. A row has how many requests
# were traced, how many reads of ours have all stamps, how many were joined, their
# starts minus ours (p1 and p99), and their times minus ours (median, p1, p99). blk and
# biosnoop have whole microseconds. All but biosnoop stamp where we do, so a row tests
# clocks and joining. A tracer that runs in front of our program at a completion delays
# our stamp, most of all if it wakes a reader. So blk and bpftrace-script are read at
# the end here.
#
# Cost: IOPS and CPU time an I/O of the engine without stages inside the kernel,
# while a tracer writes each I/O to a file. "and tracer" is with the CPU time of
# the tracer's own process. "Tickwise" has our stages, kept in histograms, and no
# tracer; "none2" is the noise. All are ratios to the round's "none". Median of
# ROUNDS=9 alternating rounds of SECONDS=1 each, and its 95 % interval. "traced" is
# how many completions the tracer saw for each of the job's I/Os; I/Os of others on the
# disk are in it. Rounds below 99 % are counted: their costs are those of less than
# a whole trace.
#
# DEPTHS="1 32"; UNDER="chrt -f 1" keeps other programs off the job's CPU.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/bench/fio_figures.sh
. "$here/../fio_figures.sh"

refuse()
{
	echo "peers --kernel: $1" >&2
	exit 64
}

[ -n "${1-}" ] || refuse 'which FILE_OR_DEVICE?'
[ "$(id -u)" -eq 0 ] || refuse 'needs root'
[ -e "$1" ] || refuse "$1: does not exist"
file=$(realpath "$1")
rounds=${2:-9}
seconds=${3:-1}
reads=${READS:-2000}
so=$(realpath "${TW_BUILD:-build}/tickwise.so")
[ -f "$so" ] || refuse "$so: not built; run make"
PATH=$PATH:/usr/sbin:/sbin
tracing=/sys/kernel/tracing
debug=/sys/kernel/debug

if [ -b "$file" ]; then
	number=$(printf '%d:%d' "0x$(stat -c %t "$file")" "0x$(stat -c %T "$file")")
	size=$(blockdev --getsize64 "$file")
else
	number=$(mountpoint -d "$(df --output=target "$file" | tail -1)")
	size=$(stat -c %s "$file")
fi
[ "$size" -ge 67108864 ] || refuse "$file: has less than 64 MB"
[ -e "/sys/dev/block/$number" ] ||
	refuse "$file: not on one block device, as with btrfs or overlay"
[ ! -e "/sys/dev/block/$number/partition" ] ||
	number=$(cat "/sys/dev/block/$number/../dev")
disk=$(basename "$(realpath "/sys/dev/block/$number")")
enable=/sys/dev/block/$number/trace/enable

[ -f $tracing/current_tracer ] ||
	refuse "no tracefs; mount -t tracefs nodev $tracing"
[ "$(cat $tracing/current_tracer)" = nop ] ||
	refuse "another tracer is in use: $(cat $tracing/current_tracer)"
[ ! -f "$enable" ] || [ "$(cat "$enable")" = 0 ] ||
	refuse "another blktrace traces $disk"
clock=$(sed 's/.*\[\(.*\)\].*/\1/' $tracing/trace_clock)

scratch=$(mktemp -d)
cd "$scratch"
tracer='' signal=TERM mounted='' blk_on=''
stop()
{
	waited=0
	# A shell that becomes the tracer just now loses the signal, and so does bpftrace
	# while it handles events: it is sent every 2 s.
	while [ -n "$tracer" ] && kill -0 "$tracer" 2>/dev/null; do
		[ $((waited % 20)) -ne 0 ] || kill -s "$signal" "$tracer" || :
		sleep .1
		waited=$((waited + 1))
	done
	tracer=
	[ -z "$blk_on" ] || {
		echo 0 >"$enable" || :
		[ "$blk_on" = writes ] || cat $tracing/trace >blk.out || :
		echo nop >$tracing/current_tracer || :
		echo "$clock" >$tracing/trace_clock || :
	}
	blk_on=
}
clean()
{
	trap '' HUP INT TERM
	stop
	[ -z "$mounted" ] || umount "$debug" || umount -l "$debug" || :
	cd /
	rm -rf --one-file-system "$scratch"
}
trap clean EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM
[ -d $debug/block ] || {
	debug=$scratch/debug
	mkdir "$debug"
	mounted=1
	mount -t debugfs nodev "$debug"
}

# script ACTION: prints a script for bpftrace; ACTION is for a request that ended,
# dispatched by $at.0 at $at.1
script()
{
	dev=$((${number%:*} << 20 | ${number#*:}))
	cat <<END
BEGIN
{
	printf("ready\n");
}
tracepoint:block:block_rq_issue
/args->dev == $dev/
{
	@at[args->sector] = (pid, nsecs);
}
tracepoint:block:block_rq_complete
/args->dev == $dev/
{
	\$at = @at[args->sector];
	if (\$at.1) {
		$1;
	}
	delete(@at[args->sector]);
}
END
}
# shellcheck disable=SC2016
script 'printf("%d %llu %llu\n", $at.0, $at.1, nsecs - $at.1)' >writes.bt
# shellcheck disable=SC2016
script '@took[$at.0, $at.1] = nsecs - $at.1' >keeps.bt
export BPFTRACE_MAP_KEYS_MAX=65536 PYTHONUNBUFFERED=1

# trace_blk HOW: the trace is read in binary every 0.1 s, or as text at the end
trace_blk()
{
	blk_on=$1
	echo mono >$tracing/trace_clock || return 1
	echo blk >$tracing/current_tracer || return 1
	echo 1 >"$enable" || return 1
	echo issue,complete >"${enable%/*}/act_mask" || return 1
	[ "$1" = writes ] || return 0
	perl -MFcntl -e '
		my @from = map { sysopen my $f, $_, O_RDONLY | O_NONBLOCK
			or die "$_: $!\n"; $f } @ARGV;
		open my $to, ">", "blk.bin" or die "blk.bin: $!\n";
		while (select undef, undef, undef, .1 or 1) {
			for my $f (@from) {
				syswrite $to, $_ while sysread $f, $_, 65536;
			}
		}' $tracing/per_cpu/cpu*/trace_pipe_raw &
	tracer=$!
}

# Wait until bpftrace runs its script, at most 20 s. Until then INT does not end it, as
# any process in the background. Afterwards INT makes it print what it keeps.
wait_until_ready()
{
	left=40
	until grep -q ready bpftrace-script.out; do
		kill -0 "$tracer" 2>/dev/null || return 0
		[ $left -gt 0 ] || kill "$tracer"
		sleep .5
		left=$((left - 1))
	done
	signal=INT
}

# trace NAME HOW: starts a tracer. HOW: it writes each I/O to a file at once, or it
# keeps them until it is stopped, if it can.
trace()
{
	rm -f blktrace.bin.*
	: >"$1.out"
	signal=TERM
	case $1 in
	blktrace) blktrace -r "$debug" -d "/dev/$disk" -a issue -a complete \
		-o blktrace.bin >blktrace.log 2>&1 & ;;
	biosnoop) stdbuf -oL biosnoop -d "$disk" >biosnoop.out 2>biosnoop.log & ;;
	biosnoop-bpfcc) biosnoop-bpfcc -d "$disk" >biosnoop-bpfcc.out \
		2>biosnoop-bpfcc.log & ;;
	bpftrace-script) bpftrace -q "$2.bt" >"$1.out" 2>"$1.log" & ;;
	blk)
		trace_blk "$2" 2>blk.log && return 0
		stop
		return 1 ;;
	esac
	tracer=$!
	if [ "$1" = bpftrace-script ]; then
		wait_until_ready
	else
		sleep 3
	fi
	! kill -0 "$tracer" 2>/dev/null || return 0
	stop
	return 1
}

# completions NAME: prints how many the tracer has seen
completions()
{
	case $1 in
	blktrace) blkparse -q -i blktrace.bin -f '%a\n' | grep -c C || : ;;
	blk)	# Each has an issue, too.
		awk '/^(entries|read events):/ { n += $NF }
			END { print int(n / 2) }' $tracing/per_cpu/cpu*/stats ;;
	*) wc -l <"$1.out" ;;
	esac
}

# tracer_cpu_s: prints the CPU time of the tracer's process, from the clock that
# clock_getcpuclockid(3) gives for it; /proc has ticks of 10 ms
tracer_cpu_s()
{
	perl -MTime::HiRes=clock_gettime -e \
		'printf "%.9f\n", clock_gettime((-$ARGV[0] - 1) * 8 + 2)' "$tracer"
}

# requests NAME PID: prints START_NS DEVICE_NS of the process's requests
requests()
{
	case $1 in
	blktrace)
		blkparse -q -i blktrace.bin -f '%a %T %t %p %S\n' | awk -v pid="$2" '
			$1 == "D" && $4 == pid { at[$5] = $2 * 1e9 + $3 }
			$1 == "C" && $5 in at {
				printf "%d %d\n", at[$5],
					$2 * 1e9 + $3 - at[$5]
				delete at[$5]
			}' ;;
	blk)
		# A line: TASK-PID [CPU] FLAGS SECONDS: DEVICE ACTION RWBS SECTOR ...
		perl -ne '
			/-(\d+)\s+\[\d+\]\s\S+\s+(\d+)\.(\d{6}):\s+\S+\s+([DC])\s+\S+\s+(\d+) \+/
				or next;
			my ($of, $ns, $action, $sector) =
				($1, ($2 * 1e6 + $3) * 1e3, $4, $5);
			if ($action eq "D") {
				$at{$sector} = $ns if $of == '"$2"';
			} elsif (my $start = delete $at{$sector}) {
				printf "%d %d\n", $start, $ns - $start;
			}' blk.out ;;
	biosnoop*)
		# The time is that of the completion.
		awk -v pid="$2" '$3 == pid { printf "%d %d\n",
			$1 * 1e9 - $NF * 1e6, $NF * 1e6 }' "$1.out" ;;
	bpftrace-script)
		# A line: @took[PID, START]: DURATION
		tr -c '0-9\n' ' ' <"$1.out" | awk -v pid="$2" \
			'$1 == pid { print $2, $3 }' ;;
	esac | sort -n
}

# job DEPTH ARGUMENT...: has the engine read at random, no block twice in READS: the
# tracers tell reads apart by their sectors
job()
{
	depth=$1
	shift
	# shellcheck disable=SC2086
	${UNDER-} "${FIO:-fio}" --name=j --ioengine="external:$so" --filename="$file" \
		--size=64m --readonly --rw=randread --bs=4k --direct=1 \
		--tw_report=report.json --iodepth="$depth" "$@"
}

# agree NAME DEPTH: prints how far the tracer's times of the device are from ours
agree()
{
	job "$2" --number_ios="$reads" --io_size=100t --tw_kernel=require \
		--tw_slowest="$reads" --output=job.out
	sleep 1
	stop
	perl -MJSON::PP -e '
		local $/;
		my $j = decode_json(<>);
		print "$j->{job}{pid}\n";
		for my $io (@{$j->{slowest}}) {
			my $s = $io->{stages};
			next unless exists $s->{device};
			printf "%d %d\n", $io->{monotonic_ns} + $s->{queue} +
				$s->{submit} + $s->{blockq}, $s->{device};
		}' report.json >unsorted
	requests "$1" "$(head -1 unsorted)" >theirs
	sed 1d unsorted | sort -n >ours
	perl "$here/join.pl" "$1" "$2" ours theirs
}

# figures NAME DEPTH: prints IOPS, CPU time an I/O, the same with the tracer's, and
# the share of I/Os traced. It runs in the main shell, which has to stop the tracer.
figures()
{
	kernel=off before=0 after=- cpu=0
	case $1 in
	none*) ;;
	Tickwise) kernel=require ;;
	*)
		trace "$1" writes
		[ "$1" = blktrace ] || before=$(completions "$1")
		cpu=$(tracer_cpu_s) ;;
	esac
	figures=$(fio_figures job "$2" --time_based=1 --runtime="$seconds" \
		--tw_kernel=$kernel)
	if [ -n "$tracer" ]; then
		sleep .5
		cpu="$(tracer_cpu_s) - $cpu"
		[ "$1" = blktrace ] || after=$(completions "$1")
		stop
		[ "$1" != blktrace ] || after=$(completions "$1")
	elif [ $kernel = require ]; then
		after=$(perl -MJSON::PP -e 'local $/;
			print decode_json(<>)->{kernel_stages}{split}{read}' report.json)
	fi
	echo "$figures $before $after $cpu" | awk '{ printf "%.1f %.9f %.9f %s\n",
		$1 / $2, $3 / $1, ($3 + $6 - $8) / $1,
		$5 == "-" ? $5 : ($5 - $4) / $1 }'
}

# ratios DEPTH NAME WHAT COLUMN: prints a row
ratios()
{
	printf 'depth %-3d %-15s %-14s ' "$1" "$2" "$3"
	awk -v arm="$2" -v column="$4" '{ v[$1, $2] = $column; last = $1 }
		END { for (r = 0; r <= last; r++)
			print v[r, arm] / v[r, "none"] }' results |
		quantiles | in_words
	echo
}

# median NAME COLUMN: prints that of all rounds; COLUMN may have a factor
median()
{
	awk -v name="$1" '$2 == name { print $'"$2"' }' results | quantiles |
		cut -d' ' -f1
}

echo "$disk, Linux $(uname -r), load average $(cut -d' ' -f1-2 /proc/loadavg)"
others=
for name in blktrace blk biosnoop biosnoop-bpfcc bpftrace-script; do
	[ "$name" = blk ] || command -v "${name%-script}" >/dev/null || {
		echo "$name: not installed"
		continue
	}
	if ! trace "$name" writes; then
		echo "$name: does not run: $(grep -m1 -i -e fail -e unable "$name.log" ||
			head -1 "$name.log")"
		continue
	fi
	stop
	others="$others $name"
	for depth in ${DEPTHS:-1 32}; do
		if trace "$name" keeps; then
			agree "$name" "$depth"
		else
			echo "depth $depth $name: did not run again"
		fi
	done
done
arms="none Tickwise none2 $others"
for depth in ${DEPTHS:-1 32}; do
	: >results
	round=0
	while [ "$round" -lt "$rounds" ]; do
		for name in $arms; do
			figures "$name" "$depth" >figure
			echo "$round $name $(cat figure)" >>results
		done
		# The first becomes the last.
		# shellcheck disable=SC2086
		set -- $arms
		first=$1
		shift
		arms="$* $first"
		round=$((round + 1))
	done
	printf 'depth %-3d none: %.0f IOPS, %.2f us of CPU time an I/O\n' "$depth" \
		"$(median none 3)" "$(median none '4 * 1e6')"
	for name in none2 Tickwise $others; do
		ratios "$depth" "$name" IOPS 3
		ratios "$depth" "$name" CPU/I/O 4
		[ "$name" != none2 ] || continue
		[ "$name" = Tickwise ] || ratios "$depth" "$name" 'and tracer' 5
		printf 'depth %-3d %-15s traced %.1f %% of I/Os; %d of %d rounds below' \
			"$depth" "$name" "$(median "$name" '6 * 100')" \
			"$(awk -v name="$name" '$2 == name && $6 < .99' results |
				wc -l)" "$rounds"
		echo ' 99 %'
	done
done
