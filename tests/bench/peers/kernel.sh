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
# Time of the device: READS=2000 reads are traced by both at once. A read of ours and a
# request of theirs are joined if each is the nearest to the other, and they began at
# most 5 us apart (join.pl). Times of blktrace and biosnoop begin at a time of
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
# ROUNDS=9 alternating rounds of SECONDS=1 each, and its 95 % interval. Every second
# round is the one before it in reverse. A round in which a tracer or the job fails is
# left out of that tracer's rows, with a message. "traced" is how many completions the
# tracer saw for each of the job's I/Os; I/Os of others on the disk are in it. Rounds
# below 99 % are counted: their costs are those of less than a whole trace.
#
# DEPTHS="1 32"; UNDER="chrt -f 1" keeps other programs off the job's CPU.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../../.." && pwd)
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
so=$(realpath "${TW_BUILD:-$top/build}/tickwise.so")
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
tracer='' tracer_name='' signal=TERM mounted='' blk_on=''

# end_tracer: ends the tracer's process. A shell that becomes the tracer just now loses
# the signal, and so does bpftrace while it handles events: it is sent every 2 s.
end_tracer()
{
	waited=0
	while [ -n "$tracer" ] && kill -0 "$tracer" 2>/dev/null; do
		if [ $waited -ge 200 ]; then
			echo "$tracer_name: has not ended for 20 s; killed" >&2
			kill -s KILL "$tracer" || :
			sleep 1
			# What it has set up in the kernel would stay.
			[ "$tracer_name" != blktrace ] ||
				blktrace -r "$debug" -d "/dev/$disk" -k >&2 || :
			break
		fi
		[ $((waited % 20)) -ne 0 ] || kill -s "$signal" "$tracer" || :
		sleep .1
		waited=$((waited + 1))
	done
	tracer=
}

stop()
{
	end_tracer
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
		for (;;) {
			select undef, undef, undef, .1;
			for my $f (@from) {
				syswrite $to, $_ while sysread $f, $_, 65536;
			}
		}' $tracing/per_cpu/cpu*/trace_pipe_raw &
	tracer=$!
}

# Wait until bpftrace runs its script, at most 20 s. Until then it ignores INT, as all
# background processes do. Afterwards INT makes it print what it keeps.
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
	signal=TERM tracer_name=$1
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
# clock_getcpuclockid(3) gives for it; /proc has ticks of 10 ms. It fails if the
# process has ended.
tracer_cpu_s()
{
	kill -0 "$tracer" 2>/dev/null || return 1
	perl -MTime::HiRes=clock_gettime -e '
		my $s = clock_gettime((-$ARGV[0] - 1) * 8 + 2);
		exit 1 if $s < 0;
		printf "%.9f\n", $s' "$tracer"
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
		PID=$2 perl -ne '
			/-(\d+)\s+\[\d+\]\s\S+\s+(\d+)\.(\d{6}):\s+\S+\s+([DC])\s+\S+\s+(\d+) \+/
				or next;
			my ($of, $ns, $action, $sector) =
				($1, ($2 * 1e6 + $3) * 1e3, $4, $5);
			if ($action eq "D") {
				$at{$sector} = $ns if $of == $ENV{PID};
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
		--tw_slowest="$reads" --output=job.out || {
		echo "depth $2 $1: the job fails"
		stop
		return 0
	}
	sleep 1
	stop
	perl -MJSON::PP -e '
		local $/;
		my $j = decode_json(<>);
		print "$j->{jobs}[0]{pid}\n";
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

# is_left_out NAME DEPTH WHY: tells that this round of a tracer is not counted
is_left_out()
{
	echo "depth $2 $1: round $round is left out: $3" >&2
	stop
}

# figures NAME DEPTH: prints IOPS, CPU time an I/O, the same with the tracer's, and
# the share of I/Os traced; nothing if something fails. It runs in the main shell,
# which has to stop the tracer.
figures()
{
	kernel=off before=0 after=- cpu_before=0 cpu_after=0
	case $1 in
	none*) ;;
	Tickwise) kernel=require ;;
	*)
		trace "$1" writes || {
			is_left_out "$1" "$2" "does not start: $(head -1 "$1.log")"
			return 0
		}
		[ "$1" = blktrace ] || before=$(completions "$1")
		cpu_before=$(tracer_cpu_s) || cpu_before=ended ;;
	esac
	figures=$(fio_figures job "$2" --time_based=1 --runtime="$seconds" \
		--tw_kernel=$kernel) || {
		is_left_out "$1" "$2" 'the job fails'
		return 0
	}
	if [ -n "$tracer" ]; then
		sleep .5
		cpu_after=$(tracer_cpu_s) || cpu_after=ended
		[ "$1" = blktrace ] || after=$(completions "$1")
		stop
		[ "$1" != blktrace ] || after=$(completions "$1")
	elif [ $kernel = require ]; then
		after=$(perl -MJSON::PP -e 'local $/;
			print decode_json(<>)->{kernel_stages}{split}{read}' report.json)
	fi
	if [ "$cpu_before" = ended ] || [ "$cpu_after" = ended ]; then
		is_left_out "$1" "$2" 'the tracer ended by itself'
		return 0
	fi
	# I/Os, seconds, CPU seconds, traced before and after, CPU before and after
	echo "$figures $before $after $cpu_before $cpu_after" |
		awk '{ printf "%.1f %.9f %.9f %s\n", $1 / $2, $3 / $1,
			($3 + $7 - $6) / $1, $5 == "-" ? $5 : ($5 - $4) / $1 }'
}

# ratios DEPTH NAME WHAT COLUMN: prints a row
ratios()
{
	printf 'depth %-3d %-15s %-14s ' "$1" "$2" "$3"
	awk -v arm="$2" -v column="$4" '{ v[$1, $2] = $column; last = $1 }
		END { for (r = 0; r <= last; r++)
			if ((r, arm) in v && (r, "none") in v)
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

# order ROUND: prints the arms in the order of that round
order()
{
	first=$(($1 / 2 % $(wc -l <arms)))
	{
		tail -n +$((first + 1)) arms
		head -n $first arms
	} | if [ $(($1 % 2)) -eq 0 ]; then cat; else tac; fi
}

# print_depth: prints the rows of $depth from the results
print_depth()
{
	common=$(awk '$2 == "none"' results | wc -l)
	[ "$common" -gt 0 ] || {
		echo "depth $depth: no round without a tracer, nothing to compare with"
		return
	}
	printf 'depth %-3d none: %.0f IOPS, %.2f us of CPU time an I/O\n' "$depth" \
		"$(median none 3)" "$(median none '4 * 1e6')"
	for name in none2 Tickwise $others; do
		print_arm "$name"
	done
}

print_arm()
{
	count=$(awk -v name="$1" '$2 == name' results | wc -l)
	[ "$count" -gt 0 ] || {
		printf 'depth %-3d %-15s no round\n' "$depth" "$1"
		return
	}
	ratios "$depth" "$1" IOPS 3
	ratios "$depth" "$1" CPU/I/O 4
	[ "$1" != none2 ] || return 0
	[ "$1" = Tickwise ] || ratios "$depth" "$1" 'and tracer' 5
	printf 'depth %-3d %-15s traced %.1f %% of I/Os; %d of %d rounds below 99 %%\n' \
		"$depth" "$1" "$(median "$1" '6 * 100')" \
		"$(awk -v name="$1" '$2 == name && $6 < .99' results | wc -l)" "$count"
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
			echo "depth $depth $name: did not run again:" \
				"$(head -1 "$name.log")"
		fi
	done
done
# shellcheck disable=SC2086
printf '%s\n' none Tickwise none2 $others >arms
for depth in ${DEPTHS:-1 32}; do
	: >results
	round=0
	while [ "$round" -lt "$rounds" ]; do
		for name in $(order "$round"); do
			figures "$name" "$depth" >figure
			[ ! -s figure ] || echo "$round $name $(cat figure)" >>results
		done
		round=$((round + 1))
	done
	print_depth
done
