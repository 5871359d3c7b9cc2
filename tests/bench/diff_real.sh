#!/bin/sh
# SPDX-License-Identifier: MIT
#
# How often is tickwise diff wrong on this machine? `tickwise run --ab=` compares
# pairs of sets of runs of one job, the same on both sides. Of 20 pairs of five runs
# it may call at most 2 different. With fewer RUNS it counts how often runs are
# called different; they may then really differ.
#
#	tests/bench/diff_real.sh FILE [PAIRS [RUNS [SECONDS]]]
#
# FILE, a device or one of 256 MB at least, is only read. RW=randread, BS=4k,
# DEPTH=4 and DIRECT=1 may be set. Prints the verdict of each pair, and what was found.
set -eu

file=$(realpath "$1")
pairs=${2:-20}
runs=${3:-5}
seconds=${4:-3}
tickwise=$(realpath "${TICKWISE:-build/tickwise}")
engine=$(dirname "$tickwise")/tickwise.so
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT TERM

cat >"$scratch/job.fio" <<END
[job]
ioengine=external:$engine
filename=$file
size=256m
rw=${RW:-randread}
bs=${BS:-4k}
iodepth=${DEPTH:-4}
direct=${DIRECT:-1}
time_based
runtime=$seconds
tw_interval=500ms
END

cd "$scratch"
pair=0
called=0
while [ $pair -lt "$pairs" ]; do
	pair=$((pair + 1))
	code=0
	mkdir $pair
	(cd $pair && "$tickwise" run --ab= --ab= --runs="$runs" ../job.fio \
		--readonly) \
		>page 2>log || code=$?
	case $code in
	0|1|2) ;;
	*)
		cat log page >&2
		exit 1
		;;
	esac
	printf 'pair %d: %s\n' $pair "$(head -n 1 page)"
	if ! head -n 1 page | grep -q '^No '; then
		called=$((called + 1))
		grep -E 'slower$|faster$' page || :
	fi
	rm -rf "${scratch:?}/$pair"
done
echo "$called of $pairs pairs of equal sets, $runs runs of $seconds s a side, called different"
