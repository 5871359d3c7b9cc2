#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Measures what the stages inside the kernel cost, and where. Run it as root.
#
#	tests/bench/kernel_iops.sh FILE [ROUNDS [SECONDS]]
#
# FILE, on ext4 or XFS, or a device, of 64 MB at least, is only read: 4 KiB with
# O_DIRECT, and 512 bytes from the page cache. Each I/O is split. These may be set:
# DEPTHS="1 32", CPU=(the last one), OTHER=(a tickwise.so: one from before, to
# compare), UNDER="chrt -f 1" (so that other programs do not take the CPU), and CAUSES=1 (the
# jobs have tw_causes=1, with two more programs; what the device has in flight is counted).
#
# All runs are on that CPU, one after the other, in an order that changes from round to
# round. The arms are
#
#	off, off2	the engine without the stages; twice, for the noise
#	empty		the same, with empty programs at the same tracepoints
#	auto		with the stages
#	stock, loaded	fio's own engine, alone and next to another job's programs
#	counted		as auto, and the kernel measures the programs (bpf_stats)
#	others		as loaded, and the kernel measures the programs
#	other		as counted, of OTHER
#
# Prints ratios of IOPS, and the CPU time of an I/O by part: `entry` is empty - off,
# `all` is auto - off, and `bodies` is what the programs take net of empty ones, by the
# kernel's account. The rest of `all` is the engine's: readings of the clock in a settle
# and histograms of five more stages. Each figure is the median of the rounds, with its
# 95 % interval (from order statistics) and p10-p90.
set -eu
# shellcheck source=tests/bench/fio_figures.sh
. "$(dirname "$0")/fio_figures.sh"

file=$(realpath "$1")
rounds=${2:-15}
seconds=${3:-1}
so=$(realpath "${TW_BUILD:-build}/tickwise.so")
other=${OTHER:+$(realpath "$OTHER")}
cpu=${CPU:-$(($(nproc) - 1))}
# shellcheck source=tests/bench/program_costs.sh
. "$(dirname "$0")/program_costs.sh"
milliseconds=$(awk -v s="$seconds" 'BEGIN { printf "%d", s * 1e3 }')

submit=io_uring_submit_sqe
! "$bpftool" btf dump file /sys/kernel/btf/vmlinux |
	grep -q "'btf_trace_io_uring_submit_req'" || submit=io_uring_submit_req
make_empty "$submit" e_submit io_uring_complete e_complete block_rq_issue e_issue \
	block_rq_complete e_done block_bio_queue e_queued block_getrq e_got
split="--tw_report=none --tw_kernel=require --tw_kernel_every=1 --tw_causes=${CAUSES:-0}"

# reads ENGINE DEPTH ARGUMENT...: has fio read at random
reads()
{
	engine=$1
	depth=$2
	shift 2
	# shellcheck disable=SC2086
	${UNDER-} "${FIO:-fio}" --name="${job:-j}" --ioengine="$engine" --filename="$file" \
		--size=64m --readonly --rw=randread $how --norandommap=1 \
		--iodepth="$depth" --time_based=1 --cpus_allowed="$cpu" \
		--runtime="$milliseconds"ms "$@"
}

# load: starts a job that loads the programs and does an I/O per second
load()
{
	# shellcheck disable=SC2086
	job=loaded reads "external:$so" 1 $split --rate_iops=1 \
		--runtime="$((milliseconds + 3000))ms" --exec_postrun="sh programs.sh $bpftool" \
		--output=loaded.out >/dev/null 2>&1 &
	sleep 1.5
}

# bodies FILE: prints "NAME ns" of each program in FILE that ran for most I/Os, net of
# the empty one
bodies()
{
	perl -MJSON::PP -e '
		my (%runs, %ns);
		while (<>) {
			my $p = decode_json($_);
			my $name = $p->{name} =~ s/^submit_.*/submit/r;
			$runs{$name} = $p->{run_cnt} or next;
			$ns{$name} = $p->{run_time_ns} / $p->{run_cnt};
		}
		for (qw(submit queued got issue done complete)) {
			printf " %s %.0f", $_, $ns{$_} - $ns{"e_$_"}
				if ($runs{$_} // 0) > $runs{complete} / 3;
		}' "$1"
}

# arm NAME DEPTH: prints IOPS, CPU ns per I/O, and bodies()
arm()
{
	name=$1
	case $name in
	stock | loaded | others) engine=io_uring ;;
	other) engine=external:$other ;;
	*) engine=external:$so ;;
	esac
	case $name in
	empty | counted | other | others)
		begin_empty ;;
	esac
	case $name in
	counted | other | others) echo 1 >"$account" ;;
	esac
	case $name in
	auto | counted | other)
		# shellcheck disable=SC2086
		set -- "$2" $split ;;
	off* | empty) set -- "$2" --tw_report=none --tw_kernel=off ;;
	loaded | others) load; set -- "$2" ;;
	*) set -- "$2" ;;
	esac
	case $name in
	counted | other) set -- "$@" \
		--exec_postrun="sh programs.sh $bpftool" ;;
	esac
	depth=$1
	shift
	figures=$(fio_figures reads "$engine" "$depth" "$@") || return 1
	case $name in
	loaded | others) wait_for=$!; wait "$wait_for" || : ;;
	esac
	echo "$figures" | awk '{ printf "%.3f %.0f", $1 / $2, $3 / $1 * 1e9 }'
	case $name in
	counted | other) bodies j.postrun.txt ;;
	others) bodies loaded.postrun.txt ;;
	esac
	echo "$before" >"$account"
	exec 9>&-
}

# figure NAME AWK-EXPRESSION: prints the median of the expression over the rounds, of
# iops[ARM], cpu[ARM] and body[ARM, PROGRAM]
figure()
{
	printf '%-6s depth %-3d %-28s ' "$what" "$depth" "$1"
	awk '
		function all(arm) {
			sum = body[arm, "submit"] + body[arm, "complete"]
			sum += body[arm, "queued"] + body[arm, "got"]
			return sum + body[arm, "issue"] + body[arm, "done"]
		}
		function tell() { if (NR > 1) print '"$2"' }
		$1 != round { tell(); round = $1; split("", body) }
		{
			iops[$2] = $3
			cpu[$2] = $4
			for (i = 5; i < NF; i += 2)
				body[$2, $i] = $(i + 1)
		}
		END { tell() }' results | quantiles | in_words
	echo
}

arms="off empty auto off2 stock loaded counted others${other:+ other}"
for what in direct cache; do
	how="--direct=1 --bs=4k"
	[ "$what" = direct ] || how="--direct=0 --bs=512 --invalidate=0"
	cat "$file" >/dev/null
	for depth in ${DEPTHS:-1 32}; do
		round=0
		: >results
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
		figure 'IOPS auto/off' 'iops["auto"] / iops["off"]'
		figure 'IOPS off2/off' 'iops["off2"] / iops["off"]'
		figure 'IOPS loaded/stock' 'iops["loaded"] / iops["stock"]'
		figure 'CPU us/IO off' 'cpu["off"] / 1e3'
		figure 'CPU us/IO all' '(cpu["auto"] - cpu["off"]) / 1e3'
		figure 'CPU us/IO entry' '(cpu["empty"] - cpu["off"]) / 1e3'
		figure 'CPU us/IO noise' '(cpu["off2"] - cpu["off"]) / 1e3'
		for of in counted others ${other:+other}; do
			for program in submit ${CAUSES:+queued got} issue "done" complete; do
				figure "$of: $program ns" "body[\"$of\", \"$program\"] + 0"
			done
			figure "$of: bodies ns" "all(\"$of\")"
		done
	done
done
