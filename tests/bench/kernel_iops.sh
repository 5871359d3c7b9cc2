#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Measures what the stages inside the kernel cost. Prints IOPS and CPU time per I/O
#
#	auto/off	of the engine, with the stages relative to without
#	off/off		a second arm without: what the machine's noise alone does
#	loaded/stock	of fio's own engine, while the programs of another job are
#			loaded: what they cost a process that they do not stamp
#	stock/stock	its noise
#	off/other	relative to the engine that OTHER names, where it is set: one
#			from before there were such stages
#
# and the time in the programs per I/O, by the kernel's own account (bpf_stats). Run
# it as root.
#
#	tests/bench/kernel_iops.sh FILE [ROUNDS [SECONDS]]
#
# FILE, on ext4 or XFS, or a device, of 64 MB at least, is only read. These may be
# set: DEPTHS="1 32", BS=4k, CPU=(the last one), OTHER=(a tickwise.so), and
# UNDER="chrt -f 1" (so that other programs do not take the CPU). All runs are on
# that CPU, one after the other, in an order that changes from round to round.
#
# Prints the median of the rounds' ratios, its 95 % interval (from order statistics)
# and the ratios' p10-p90. The bar for auto/off is an IOPS ratio of 0.95.
set -eu
# shellcheck source=tests/bench/fio_figures.sh
. "$(dirname "$0")/fio_figures.sh"

file=$(realpath "$1")
rounds=${2:-15}
seconds=${3:-1}
so=$(realpath "${TW_BUILD:-build}/tickwise.so")
other=${OTHER:+$(realpath "$OTHER")}
cpu=${CPU:-$(($(nproc) - 1))}
scratch=$(mktemp -d)
trap 'wait; rm -rf "$scratch"' EXIT
trap 'exit 130' INT TERM
cd "$scratch"

# reads ENGINE DEPTH ARGUMENT...: has fio read at random
reads()
{
	engine=$1
	depth=$2
	shift 2
	# shellcheck disable=SC2086
	${UNDER-} "${FIO:-fio}" --name=j --ioengine="$engine" --filename="$file" \
		--size=64m --readonly --rw=randread --bs="${BS:-4k}" --direct=1 \
		--norandommap=1 --iodepth="$depth" --time_based=1 \
		--cpus_allowed="$cpu" --runtime="$milliseconds"ms "$@"
}

# load: starts a job that loads the programs and does an I/O per second
load()
{
	reads "external:$so" 1 --tw_report=none --tw_kernel=require \
		--rate_iops=1 --runtime="$((milliseconds + 3000))ms" \
		--output=loaded.out >/dev/null 2>&1 &
	sleep 1.5
}

# arm NAME DEPTH: prints IOPS and CPU seconds per I/O
arm()
{
	case $1 in
	stock* | loaded) engine=io_uring ;;
	other) engine=external:$other ;;
	*) engine=external:$so ;;
	esac
	case $1 in
	auto) set -- "$1" "$2" --tw_report=none --tw_kernel=require ;;
	off*) set -- "$1" "$2" --tw_report=none --tw_kernel=off ;;
	other) set -- "$1" "$2" --tw_report=none ;;
	loaded) load ;;
	esac
	depth=$2
	shift 2
	figures=$(fio_figures reads "$engine" "$depth" "$@") || return 1
	wait
	echo "$figures" | awk '{ printf "%.3f %.9f", $1 / $2, $3 / $1 }'
}

# ratios DEPTH WHAT COLUMN ARM TO
ratios()
{
	printf 'depth %-3d %-12s %-13s ' "$1" "$2" "$4/$5"
	awk -v column="$3" -v arm="$4" -v to="$5" '
		{ v[$1, $2] = $column; last = $1 }
		END { for (r = 0; r <= last; r++)
			print v[r, arm] / v[r, to] }' results |
		quantiles | in_words
	echo
}

# programs DEPTH: prints the ns per I/O in each program, of one run
programs()
{
	bpftool=$(PATH=$PATH:/usr/sbin:/sbin command -v bpftool) || return 0
	account=/proc/sys/kernel/bpf_stats_enabled
	before=$(cat "$account")
	echo 1 >"$account" || return 0
	reads "external:$so" "$1" --tw_report=stats.json --tw_kernel=require \
		--exec_postrun="sh programs.sh $bpftool" --output=stats.out || :
	echo "$before" >"$account"
	perl -MJSON::PP -e '
		my ($ios, $sum, @each) = (0, 0);
		my ($report, @programs) = map { decode_json($_) } do {
			local @ARGV = @ARGV[0, 1];
			<>
		};
		$ios += $_ for values %{$report->{ios}};
		for (grep { $_->{run_cnt} } @programs) {
			$sum += $_->{run_time_ns} / $ios;
			push @each, sprintf "%s %.0f", $_->{name},
				$_->{run_time_ns} / $ios;
		}
		printf "depth %-3d bpf_stats: %.0f ns per I/O (%s)\n", $ARGV[2],
			$sum, join ", ", @each;
	' stats.json j.postrun.txt "$1"
}

# Show the programs that the job's process, or fio's above it, has links to.
cat >programs.sh <<'END'
above=$(sed -n 's/^PPid:[^0-9]*//p' /proc/$PPID/status)
sed -n 's/^prog_id:[^0-9]*//p' "/proc/$PPID/fdinfo/"* "/proc/$above/fdinfo/"* \
	2>/dev/null | sort -un | while read -r id; do
	"$1" -j prog show id "$id"
done
END
milliseconds=$(awk -v s="$seconds" 'BEGIN { printf "%d", s * 1e3 }')
arms="off auto off2 stock loaded stock2 ${other:+other}"
for depth in ${DEPTHS:-1 32}; do
	round=0
	: >results
	arm stock "$depth" >/dev/null
	while [ "$round" -lt "$rounds" ]; do
		for name in $arms; do
			figures=$(arm "$name" "$depth")
			echo "$round $name $figures" >>results
		done
		# The first becomes the last.
		# shellcheck disable=SC2086
		set -- $arms
		first=$1
		shift
		arms="$* $first"
		round=$((round + 1))
	done
	for what in "IOPS 3" "CPU_per_I/O 4"; do
		name=${what% *}
		ratios "$depth" "$name" "${what#* }" auto off
		ratios "$depth" "$name" "${what#* }" off2 off
		ratios "$depth" "$name" "${what#* }" loaded stock
		ratios "$depth" "$name" "${what#* }" stock2 stock
		[ -z "$other" ] ||
			ratios "$depth" "$name" "${what#* }" off other
	done
	programs "$depth"
done
