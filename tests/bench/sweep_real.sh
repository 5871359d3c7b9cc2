#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Do sweeps of this machine's disk agree, and do they name what gives way? As root:
#
#	tests/bench/sweep_real.sh limit RATE COUNT SECONDS FILE		a cgroup limits its reads
#	tests/bench/sweep_real.sh disk COUNT SECONDS FILE		nothing does
#	tests/bench/sweep_real.sh generator COUNT SECONDS FILE		busy loops have the CPU, too
#
# Prints a line for each sweep, and of how many the bounds have a rate in common. FILE is larger than
# a cache of the disk. GOAL is the goal. The cgroup is of version 1, or of version 2 where that has
# the controller.
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
build=${TW_BUILD:-$root/build}
work=$(mktemp -d "${TMPDIR:-/tmp}/sweep_real.XXXXXX")
group=
loops=
put_back()
{
	[ -z "$loops" ] || kill $loops 2>/dev/null
	[ -z "$group" ] || rmdir "$group"
	rm -rf "$work"
}
trap put_back EXIT
trap 'exit 1' INT TERM

kind=$1 rate=
[ "$kind" != limit ] || { rate=$2; shift; }
count=$2 seconds=$3 file=$4
pinned=
case $kind in
limit)
	device=$(stat -c %d "$file")
	device=$(((device >> 8) & 4095)):$((device & 255))
	group=/sys/fs/cgroup/blkio/tw_sweep limit=blkio.throttle.read_iops_device\ $device\ $rate
	[ -d /sys/fs/cgroup/blkio ] || group=/sys/fs/cgroup/tw_sweep limit=io.max\ $device\ riops=$rate
	mkdir "$group" && echo "${limit#* }" >"$group/${limit%% *}" || exit
	;;
generator)
	pinned='taskset -c 0'
	for loop in 1 2 3; do
		$pinned sh -c 'while :; do :; done' &
		loops="$loops $!"
	done
	;;
esac

for i in $(seq "$count"); do
	begin=$(date +%s)
	(
		[ -z "$group" ] || echo 0 >"$group/cgroup.procs"
		exec $pinned "$build/tickwise" sweep ${GOAL:+--goal="$GOAL"} --quiet --json \
			--for="$seconds" "$file"
	) >"$work/$i.json" 2>"$work/err" || [ $? = 2 ] || cat "$work/err"
	perl -MJSON::PP -we 'use strict; local $/;
		my $j = decode_json(<STDIN>);
		printf "%s to %s of %.0f, %d s, load %s: %s\n",
			map({ defined $_ ? sprintf "%.0f", $_ : "?" } @$j{"bears", "too_much"}),
			$j->{capacity}, @ARGV, $j->{gives_way} // "nothing"' \
		$(($(date +%s) - begin)) "$(cut -d ' ' -f 1 /proc/loadavg)" <"$work/$i.json"
done
perl -MJSON::PP -we 'use strict; local $/;
	my (@bounds, %named, $most);
	for (@ARGV) {
		open my $f, "<", $_ or die;
		my $j = decode_json(<$f>);
		push @bounds, [$j->{bears}, $j->{too_much}] if $j->{bears} && $j->{too_much};
		my ($way) = ($j->{gives_way} // "nothing") =~ /^(the generator|\w+: a limit|\w+)/;
		$named{$way}++;
	}
	for my $at (map { $_->[0] } @bounds) {
		my $in = grep { $_->[0] <= $at && $at <= $_->[1] } @bounds;
		$most = $in if $in > ($most // 0);
	}
	printf "%d sweeps: %d have bounds, %d of these have a rate in common; gives way: %s\n",
		scalar @ARGV, scalar @bounds, $most // 0,
		join ", ", map { "$named{$_} $_" } sort keys %named' "$work"/*.json
