#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Does `tickwise attach` give the right reason? Each kind of wait is made on purpose, and the shares
# of the reasons are printed, of the followed program's waits in its calls. As root, on a disk:
#
#	tests/bench/attach_reasons.sh [KIND]...
#
# Kinds: slow (direct reads of a disk that another program keeps busy), lock (another writer has the
# inode's lock), dirty (too many dirty pages: vm.dirty_bytes is 16 MiB meanwhile, and put back),
# memory (a cgroup of 32 MiB), io.max and io.max-cached (a
# cgroup of 200 reads a second; direct, and through the page cache), faults (misses of a mapped
# file, counted by mincore). The cgroups are of version 1, or of version 2 where that has the
# controllers. A limit lets a tenth of a second's reads pass at once and holds the next one, so it is
# judged by its time.
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
build=${TW_BUILD:-$root/build}
work=$(mktemp -d "${TMPDIR:-/tmp}/attach_reasons.XXXXXX")
. "$root/tests/bench/dirty_limit.sh"
busy=
groups=
put_back()
{
	[ -z "$busy" ] || kill $busy 2>/dev/null
	unlimit_dirty
	for group in $groups; do rmdir "$group"; done
	rm -rf "$work"
}
trap put_back EXIT
trap 'exit 1' INT TERM
cd "$work" || exit
calls=$build/tests/fio/wait_calls
device=$(stat -c %d .)
device=$(((device >> 8) & 4095)):$((device & 255))

# in_group CONTROLLER: makes a cgroup, and sets $group
in_group()
{
	group=/sys/fs/cgroup/$1/tw_reasons
	[ -d /sys/fs/cgroup/"$1" ] || group=/sys/fs/cgroup/tw_reasons
	mkdir -p "$group"
	case " $groups " in *" $group "*) ;; *) groups="$group $groups" ;; esac
}

# reasons KIND CALL WANTED PROGRAM...
reasons()
{
	kind=$1 call=$2 wanted=$3
	shift 3
	"$build/tickwise" attach --quiet --json=report.json -o /dev/null -- "$@" >out 2>err ||
		{ cat err; return; }
	[ -z "$busy" ] || { kill $busy; wait $busy 2>/dev/null; busy=; }
	perl -MJSON::PP -we 'use strict;
		my ($kind, $call, $wanted) = @ARGV;
		@ARGV = ("report.json"); local $/;
		my (%count, $all, $right, $ns, $right_ns);
		for (@{decode_json(<>)->{waits}{rows}}) {
			next if $_->{call} !~ /^(?:$call)$/;
			$count{$_->{reason} . ($_->{reason} eq "other" ? " ($_->{function})" : "")} +=
				$_->{time}{count};
			$all += $_->{time}{count};
			$ns += $_->{time}{sum_ns};
			next if $_->{reason} !~ /^(?:$wanted)$/;
			$right += $_->{time}{count};
			$right_ns += $_->{time}{sum_ns};
		}
		printf "%-14s %6d waits, %.1f %% and of their time %.1f %% are %s: %s\n", $kind,
			$all // 0, 100 * ($right // 0) / ($all || 1),
			100 * ($right_ns // 0) / ($ns || 1), $wanted, join ", ",
			map { "$_ $count{$_}" } sort { $count{$b} <=> $count{$a} } keys %count
	' "$kind" "$call" "$wanted"
}

"$calls" write data 4000 >/dev/null
for kind in ${*:-slow lock dirty memory io.max io.max-cached faults}; do
	case $kind in
	slow)
		fio --name=busy --filename=data --rw=randread --bs=256k --direct=1 --ioengine=libaio \
			--iodepth=16 --time_based --runtime=60 >/dev/null 2>&1 & busy=$!
		reasons slow pread64 'direct I/O' "$calls" direct data 2000 ;;
	lock)
		head -c 33554432 /dev/zero >held
		(while :; do dd if=/dev/zero of=held bs=32M count=20 conv=notrunc; done) \
			2>/dev/null & busy=$!
		reasons lock write 'inode lock' \
			dd if=/dev/zero of=held bs=4k count=100000 conv=notrunc ;;
	dirty)
		limit_dirty
		reasons dirty pwrite64 'dirty throttling' fio --name=x --size=256m --ioengine=psync \
			--rw=randwrite --bs=64k --numjobs=4 --time_based --runtime=10
		unlimit_dirty ;;
	memory)
		in_group memory
		echo 33554432 >"$group/memory.limit_in_bytes" 2>/dev/null ||
			echo 33554432 >"$group/memory.high"
		reasons memory 'write|page fault' memory sh -c 'echo $$ >"$1"; exec dd if=/dev/zero \
			of=data bs=1M count=4000 conv=notrunc' sh "$group/cgroup.procs" ;;
	io.max*)
		how=direct
		[ $kind = io.max ] || how=cold
		in_group blkio
		echo "$device 200" >"$group/blkio.throttle.read_iops_device" 2>/dev/null ||
			echo "$device riops=200" >"$group/io.max"
		reasons $kind pread64 io.max sh -c 'echo $$ >"$1"; exec "$2" "$3" data 1000' \
			sh "$group/cgroup.procs" "$calls" $how ;;
	faults)
		reasons faults 'page fault' 'cache miss' "$calls" faults data 4000
		echo "         pages not in the page cache, by mincore: $(cut -d' ' -f2 out) of 4000" ;;
	esac
done
