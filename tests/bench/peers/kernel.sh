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
#	blk		the code in the kernel that blktrace uses, read as text from
#			tracefs; for kernels that refuse blktrace
#	biosnoop	of libbpf-tools; biosnoop-bpfcc of bpfcc-tools
#	bpftrace	a program that does as biosnoop, from the block layer's two
#			tracepoints; for kernels that refuse biosnoop's probes
# A tracer that does not run has a row with the first line that it printed.
#
# Time of the device: READS=2000 reads are traced by both at once. The job's reads
# are put in order of their dispatch on both sides, and joined by that order if
# there are as many. The row has theirs minus ours: median, p1 and p99, in us.
# biosnoop and blk print microseconds. A tracer whose program runs in front of ours at
# a completion delays our stamp; most of all if it wakes a reader. So bpftrace and blk
# are read at the end here, and while they run below.
#
# Cost: IOPS, and CPU time of the job per I/O, of the engine without stages inside
# the kernel, while a tracer runs. Both are ratios to the same without a tracer.
# "Tickwise" has these stages and no tracer; "none2" is the noise. The CPU time of the
# tracer's own process is not in it. Median of ROUNDS=9 alternating rounds of
# SECONDS=1 each, and its 95 % interval. DEPTHS="1 32"; UNDER="chrt -f 1" keeps other
# programs off the job's CPU.
set -eu
# shellcheck source=tests/bench/fio_figures.sh
. "$(dirname "$0")/../fio_figures.sh"

file=$(realpath "$1")
rounds=${2:-9}
seconds=${3:-1}
reads=${READS:-2000}
so=$(realpath "${TW_BUILD:-build}/tickwise.so")
PATH=$PATH:/usr/sbin:/sbin
scratch=$(mktemp -d)
tracer=
tracing=/sys/kernel/tracing
debug=/sys/kernel/debug
mounted=
stop()
{
	[ -z "$tracer" ] || {
		kill -s "$signal" "$tracer" 2>/dev/null || :
		wait "$tracer" 2>/dev/null || :
	}
	tracer=
	[ ! -f blk.on ] || {
		rm blk.on
		echo 0 >"/sys/dev/block/$number/trace/enable"
		[ -s blk.out ] || cat $tracing/trace >blk.out
		echo nop >$tracing/current_tracer
	}
}
clean()
{
	stop
	[ -z "$mounted" ] || umount "$debug"
	cd /
	rm -rf "$scratch"
}
trap clean EXIT
trap 'exit 130' INT TERM
cd "$scratch"
[ -d $debug/block ] || {
	debug=$scratch/debug
	mkdir "$debug"
	mount -t debugfs nodev "$debug"
	mounted=1
}
if [ -b "$file" ]; then
	number=$(printf '%d:%d' "0x$(stat -c %t "$file")" "0x$(stat -c %T "$file")")
else
	number=$(mountpoint -d "$(df --output=target "$file" | tail -1)")
fi
disk=$(basename "$(realpath "/sys/dev/block/$number")")

# What each of the two programs of bpftrace does with a request that has ended
prints='printf("%d %llu %llu\n", @pid[args->dev, args->sector],
	@start[args->dev, args->sector], nsecs - @start[args->dev, args->sector])'
keeps='@took[@pid[args->dev, args->sector], @start[args->dev, args->sector]] =
	nsecs - @start[args->dev, args->sector]'
program()
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
	@start[args->dev, args->sector] = nsecs;
	@pid[args->dev, args->sector] = pid;
}
tracepoint:block:block_rq_complete
/@start[args->dev, args->sector]/
{
	$1;
	delete(@start[args->dev, args->sector]);
	delete(@pid[args->dev, args->sector]);
}
END
}
program "$prints" >prints.bt
program "$keeps" >keeps.bt
export BPFTRACE_MAP_KEYS_MAX=65536

# The tracer of tracefs is one for all: use it only if nobody else does.
# trace_blk [keeps]
trace_blk()
{
	[ "$(cat $tracing/current_tracer)" = nop ] || {
		echo 'another tracer is in use' >blk.log
		return 1
	}
	: >blk.on
	echo blk >$tracing/current_tracer
	echo 1 >"/sys/dev/block/$number/trace/enable"
	: >blk.out
	if [ "${1-}" = keeps ]; then
		sleep 1000 &
	else
		cat $tracing/trace_pipe >blk.out 2>blk.log &
	fi
}

# Wait until bpftrace has compiled its program, at most 20 s: before that, it ignores
# the signal that ends it.
wait_until_ready()
{
	left=20
	until grep -q ready bpftrace.out || [ $left -eq 0 ]; do
		sleep 1
		left=$((left - 1))
	done
}

# trace NAME [keeps]: starts a tracer, whose lines go to NAME.out
trace()
{
	rm -f blktrace.bin.*
	# A process in the background ignores INT, unless it asks for it.
	signal=TERM
	[ "$1" != bpftrace ] || signal=INT
	case $1 in
	blktrace) blktrace -r "$debug" -d "/dev/$disk" -a issue -a complete \
		-o blktrace.bin >blktrace.log 2>&1 & ;;
	biosnoop) stdbuf -oL biosnoop -d "$disk" >biosnoop.out 2>biosnoop.log & ;;
	biosnoop-bpfcc) biosnoop-bpfcc -d "$disk" >biosnoop-bpfcc.out \
		2>biosnoop-bpfcc.log & ;;
	bpftrace) bpftrace -q "${2:-prints}.bt" >bpftrace.out 2>bpftrace.log & ;;
	blk) trace_blk "${2-}" || return 1 ;;
	esac
	tracer=$!
	sleep 3
	[ "$1" != bpftrace ] || wait_until_ready
	kill -0 $tracer 2>/dev/null && return 0
	wait $tracer || :
	tracer=
	return 1
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
	bpftrace)
		# A line: @took[PID, START]: DURATION
		tr -c '0-9\n' ' ' <bpftrace.out | awk -v pid="$2" \
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
		--iodepth="$depth" "$@"
}

# agree NAME DEPTH: prints how far the tracer's times of the device are from ours
agree()
{
	job "$2" --number_ios="$reads" --io_size=100t --tw_kernel=require \
		--tw_slowest="$reads" --tw_report=report.json --output=job.out
	sleep 2
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
		}' report.json >ours
	requests "$1" "$(head -1 ours)" >theirs
	sed 1d ours | sort -n >sorted
	perl -e '
		my ($name, $depth, @file) = @ARGV;
		my ($our, $their) = map { open my $f, "<", $_ or die;
			[map { (split)[1] / 1e3 } <$f>] } @file;
		sub at { my ($share, @v) = @_; @v = sort { $a <=> $b } @v;
			$v[$#v * $share] }
		printf "depth %-3d %-14s %d reads, ours %d: ", $depth, $name,
			scalar @$their, scalar @$our;
		if (!@$their || !@$our) { print "nothing to compare\n"; exit }
		printf "median %.1f us, ours %.1f; ", at(.5, @$their),
			at(.5, @$our);
		if (@$their != @$our) { print "not joined\n"; exit }
		my @off = map { $their->[$_] - $our->[$_] } 0 .. $#$our;
		printf "theirs minus ours: median %+.2f, p1 %+.2f, p99 %+.2f\n",
			map { at($_, @off) } .5, .01, .99;
	' "$1" "$2" sorted theirs
}

# figures NAME DEPTH: prints IOPS and CPU time per I/O of a round
figures()
{
	kernel=off
	case $1 in
	none*) ;;
	Tickwise) kernel=require ;;
	*) trace "$1" ;;
	esac
	figures=$(fio_figures job "$2" --time_based=1 --runtime="$seconds" \
		--tw_report=none --tw_kernel=$kernel)
	stop
	echo "$figures" | awk '{ printf "%.1f %.9f\n", $1 / $2, $3 / $1 }'
}

echo "$disk, Linux $(uname -r), load average $(cut -d' ' -f1-2 /proc/loadavg)"
arms='none Tickwise none2'
for name in blktrace blk biosnoop biosnoop-bpfcc bpftrace; do
	[ "$name" = blk ] || command -v "$name" >/dev/null || {
		echo "$name: not installed"
		continue
	}
	if ! trace "$name"; then
		echo "$name: does not run: $(grep -m1 -i -e fail -e unable "$name.log" ||
			head -1 "$name.log")"
		continue
	fi
	stop
	arms="$arms $name"
	for depth in ${DEPTHS:-1 32}; do
		trace "$name" keeps
		agree "$name" "$depth"
	done
done
for depth in ${DEPTHS:-1 32}; do
	: >results
	round=0
	while [ "$round" -lt "$rounds" ]; do
		for name in $arms; do
			echo "$round $name $(figures "$name" "$depth")" >>results
		done
		# The first becomes the last.
		# shellcheck disable=SC2086
		set -- $arms
		first=$1
		shift
		arms="$* $first"
		round=$((round + 1))
	done
	for name in $arms; do
		[ "$name" != none ] || continue
		for column in 3 4; do
			what=IOPS
			[ $column = 3 ] || what=CPU/I/O
			printf 'depth %-3d %-8s %-10s ' "$depth" "$what" "$name"
			awk -v arm="$name" -v column=$column '
				{ v[$1, $2] = $column; last = $1 }
				END { for (r = 0; r <= last; r++)
					print v[r, arm] / v[r, "none"] }' results |
				quantiles | in_words
			echo
		done
	done
done
