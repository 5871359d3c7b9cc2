#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Do the reports of many hosts arrive, and is a slow host named? As root:
#
#	tests/bench/many_hosts.sh exact HOSTS			counts against the hosts' own files
#	tests/bench/many_hosts.sh odd HOSTS RUNS SECONDS RATE	one has half the RATE of the others
#	tests/bench/many_hosts.sh even HOSTS RUNS SECONDS RATE	all have it
#
# Each host is a network namespace with a link to a bridge, and a chroot of its own with the
# programs of this machine. They share its hostname. A RATE, in reads a second, is a limit by a
# cgroup of version 1 for the disk of the current folder. "exact" prints what differs from fio's
# output and from the hosts' files, and the number of groups of numbers that it compared.
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
build=${TW_BUILD:-$root/build}
fio=${FIO:-$(command -v fio)}
what=$1 hosts=$2
[ ! -e /run/netns/tw_client ] || { echo 'another one runs'; exit 1; }
work=$(mktemp -d "$PWD/many_hosts.XXXXXX")
put_back()
{
	for pid in $servers; do
		pkill -P "$pid" 2>/dev/null
		kill "$pid" 2>/dev/null
	done
	wait 2>/dev/null
	ip netns delete tw_client 2>/dev/null
	for i in $(seq "$hosts"); do
		ip netns delete "tw_host$i" 2>/dev/null
		for at in dev usr job; do umount "$work/$i/$at" 2>/dev/null; done
		rmdir "/sys/fs/cgroup/blkio/tw_host$i" 2>/dev/null
	done
	rm -rf --one-file-system "$work"
}
servers=
trap put_back EXIT
trap 'exit 1' INT TERM PIPE
ip netns add tw_client && ip -n tw_client link add name bridge type bridge &&
	ip -n tw_client address add 10.77.0.1/16 dev bridge && ip -n tw_client link set bridge up &&
	ip -n tw_client link set lo up || exit
for i in $(seq "$hosts"); do
	ip netns add "tw_host$i" || exit
	ip -n tw_client link add "host$i" type veth peer name eth netns "tw_host$i"
	ip -n tw_client link set "host$i" master bridge up
	ip -n "tw_host$i" address add "10.77.1.$i/16" dev eth
	ip -n "tw_host$i" link set eth up
	echo "10.77.1.$i" >>"$work/list"
	mkdir -p "$work/$i/dev" "$work/$i/usr" "$work/$i/job" "$work/$i/tmp" "$work/$i$build"
	for at in bin lib lib64; do ln -s "usr/$at" "$work/$i/$at"; done
	mount --bind /dev "$work/$i/dev" && mount --bind /usr "$work/$i/usr" || exit
	[ "$what" != exact ] || mount -t tmpfs tmpfs "$work/$i/job" || exit
	cp "$build/tickwise.so" "$work/$i$build"
	ip netns exec "tw_host$i" chroot "$work/$i" \
		sh -c 'cd /job && exec "$@"' - "$fio" --server="10.77.1.$i" >"$work/$i.out" 2>&1 &
	servers="$servers $!"
done
sleep 2

# on ARGUMENT...: runs job.fio on all hosts
on()
{
	(cd "$work" && rm -f ./*.tickwise.json && ip netns exec tw_client "$build/tickwise" run \
		--engine="$build/tickwise.so" --client=list "$@" job.fio >out 2>err) ||
		{ tail -n 3 "$work/err"; exit 1; }
}

sums()
{
	perl "$root/tests/fio/report_sums.pl" "$@"
}

# same A B WHAT: compares two files of numbers
compared=0
same()
{
	compared=$((compared + 1))
	[ -s "$1" ] && cmp -s "$1" "$2" && return
	echo "$3 differ:"
	diff "$1" "$2" | head
}

if [ "$what" = exact ]; then
	cat >"$work/job.fio" <<-END
		[global]
		ioengine=io_uring
		size=1m
		iodepth=4
		group_reporting=1
		tw_report=own
		[a]
		rw=randrw
		numjobs=2
		[b]
		stonewall
		new_group
		rw=read
		bs=16k
		[c]
		rw=write
		numjobs=2
	END
	for format in normal json json+ terse normal,json; do
		rm -f "$work"/[0-9]*/job/own.*
		on --no-report --output-format=$format
		sums "$work"/*.tickwise.json >"$work/ours"
		sums "$work"/[0-9]*/job/own.* >"$work/theirs"
		same "$work/ours" "$work/theirs" "$format: reports of the client and of the hosts"
		"$build/tickwise" report --json --merge-hosts "$work"/*.tickwise.json >"$work/merged"
		sums "$work/merged" >"$work/ours"
		same "$work/ours" "$work/theirs" "$format: merged and the hosts' reports"
		case $format in
		json | json+)
			sums --fio "$work/out" >"$work/fio"
			grep -v 'min\|max' "$work/ours" >"$work/counts"
			same "$work/counts" "$work/fio" "$format: reports and fio's own jobs" ;;
		esac
		grep -h 'reports sent' "$work/err" "$work/out" | head -n 1
	done
	echo "$compared groups of numbers compared, of $(wc -l <"$work/theirs") numbers each"
	exit
fi

runs=$3 seconds=$4 rate=$5
device=$(stat -c %d "$work")
device=$(((device >> 8) & 4095)):$((device & 255))
i=0
for pid in $servers; do
	i=$((i + 1))
	mkdir "/sys/fs/cgroup/blkio/tw_host$i" && echo "$pid" >"/sys/fs/cgroup/blkio/tw_host$i/tasks"
	head -c 100000000 /dev/urandom >"$work/$i/job/data"
done
sync
printf '[a]\nioengine=io_uring\nfilename=data\nrw=randread\ndirect=1\niodepth=4\n' >"$work/job.fio"
printf 'time_based=1\nruntime=%s\n' "$seconds" >>"$work/job.fio"
right=0
for run in $(seq "$runs"); do
	slow=$((1 + run % hosts))
	for i in $(seq "$hosts"); do
		half=1
		[ "$what" = even ] || [ $i != $slow ] || half=2
		echo "$device $((rate / half))" \
			>"/sys/fs/cgroup/blkio/tw_host$i/blkio.throttle.read_iops_device"
	done
	on
	[ "$runs" -gt 1 ] || tail -n 40 "$work/out"
	named=$(sed -n 's/^ *odd: host \([0-9.]*\).*/\1/p' "$work/out")
	[ "$what" = even ] && wanted='' || wanted=10.77.1.$slow
	[ "$named" != "$wanted" ] || right=$((right + 1))
	printf '%s %s, named: %s\n' "$what" "${wanted:-none}" "${named:-none}"
done
echo "$right of $runs right"
