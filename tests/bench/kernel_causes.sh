#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Measures what tw_causes=1 costs: IOPS of direct reads at depth 1 and 32 with and
# without, alternating, ROUNDS (7) of SECONDS (2) each. Then the time of its
# programs by the kernel's own count (bpf_stats), for a switch of tasks anywhere and
# for an I/O. Run it as root, with bpftool. FILE is on a file system with block
# requests of its own (ext4, XFS).
#
#	tests/bench/kernel_causes.sh FILE
set -eu
file=$(realpath "${1:?FILE is missing}")
build=$(realpath "${TW_BUILD:-build}")
rounds=${ROUNDS:-7}
seconds=${SECONDS_EACH:-2}
scratch=$(mktemp -d)
stats=$(cat /proc/sys/kernel/bpf_stats_enabled)
trap 'echo "$stats" >/proc/sys/kernel/bpf_stats_enabled; rm -rf "$scratch"' EXIT
cd "$scratch"

# run DEPTH CAUSES [OPTION]...: runs the job; its output is out.json
run()
{
	depth=$1
	causes=$2
	shift 2
	"${FIO:-fio}" --name=c --ioengine="external:$build/tickwise.so" \
		--filename="$file" --size=64m --bs=4k --rw=randread --direct=1 \
		--norandommap=1 --iodepth="$depth" --time_based \
		--runtime="$seconds" --tw_kernel=require --tw_causes="$causes" \
		--tw_report="$scratch/r.json" --output-format=json \
		--output="$scratch/out.json" "$@"
}

# number PERL: prints an expression of $j, the last output
number()
{
	perl -MJSON::PP -e 'local $/; open my $f, "<", $ARGV[0] or die;
		my $j = JSON::PP->new->decode(<$f> =~ s/\A.*?^(?=\{)//msr);
		print eval $ARGV[1]' "$scratch/out.json" "$1"
}

median()
{
	sort -n "$1" | awk '{ v[NR] = $1 } END {
		print v[int((NR + 1) / 2)], v[1], v[NR] }'
}

for depth in 1 32; do
	: >"$scratch/off"
	: >"$scratch/on"
	: >"$scratch/ratio"
	round=0
	while [ $round -lt "$rounds" ]; do
		round=$((round + 1))
		run $depth 0
		off=$(number '$j->{jobs}[0]{read}{iops}')
		run $depth 1
		on=$(number '$j->{jobs}[0]{read}{iops}')
		echo "$off" >>"$scratch/off"
		echo "$on" >>"$scratch/on"
		awk "BEGIN { print $on / $off }" >>"$scratch/ratio"
	done
	echo "depth $depth: IOPS without $(median "$scratch/off"), with" \
		"$(median "$scratch/on"), ratio $(median "$scratch/ratio")" \
		"(median, least, most of $rounds)"
done

echo 1 >/proc/sys/kernel/bpf_stats_enabled
for depth in 1 32; do
	run $depth 1 --exec_postrun='PATH=$PATH:/usr/sbin bpftool -j prog show >stats.json; true'
	ios=$(number '$j->{jobs}[0]{read}{total_ios}')
	echo "depth $depth, $ios I/Os: programs, runs, ns a run, ns an I/O"
	perl -MJSON::PP -e 'local $/; open my $f, "<", $ARGV[0] or die;
		my %of = map { $_ => 1 } qw(switched waking wakeup migrate
			hard_begins hard_ends soft_begins soft_ends);
		my $all = 0;
		for my $p (sort { $b->{run_time_ns} <=> $a->{run_time_ns} }
				grep { $of{$_->{name} // ""} && $_->{run_cnt} }
				@{JSON::PP->new->decode(<$f>)}) {
			$all += $p->{run_time_ns};
			printf "  %-12s %9d %6.0f %6.0f\n", $p->{name},
				$p->{run_cnt}, $p->{run_time_ns} / $p->{run_cnt},
				$p->{run_time_ns} / $ARGV[1];
		}
		printf "  all %.0f ns an I/O\n", $all / $ARGV[1]' \
		"$scratch/stats.json" "$ios"
done
