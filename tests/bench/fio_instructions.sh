#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# How many instructions does fio need for an I/O? Counts them by callgrind with
# ioengine=null and full latency statistics, so that no other program has a part in
# them. Runs two jobs of different length, and divides the difference by the
# difference of their I/Os. Only the job's own thread counts: the calibration of the
# clock spins for a time. Instructions are not time (rdtsc alone is worth forty).
# But they show where a difference in IOPS comes from and which part of it is noise.
#
#	tests/bench/fio_instructions.sh PROGRAM... [-- more options of fio]
#
# Needs valgrind. IOS=100000: the I/Os of the shorter job, half of the longer one's.
# CLOCK=cpu.
set -eu

ios=${IOS:-100000}
programs=
while [ $# -gt 0 ] && [ "$1" != -- ]; do
	programs="$programs $1"
	shift
done
[ -n "$programs" ] || {
	echo "usage: $0 PROGRAM... [-- more options of fio]" >&2
	exit 64
}
[ $# = 0 ] || shift
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT TERM

# count PROGRAM IOS OPTION...: prints the instructions of a job
count()
{
	program=$1 number=$2
	shift 2
	valgrind --tool=callgrind --callgrind-out-file="$scratch/out" \
		--toggle-collect=thread_main "$program" --name=j \
		--ioengine=null --size=1g --bs=4k --rw=read --thread \
		--number_ios="$number" --clocksource="${CLOCK:-cpu}" \
		--lat_percentiles=1 --clat_percentiles=1 --slat_percentiles=1 \
		"$@" >"$scratch/fio" 2>&1 || { cat "$scratch/fio" >&2; exit 1; }
	sed -n 's/^totals: //p' "$scratch/out"
}

for program in $programs; do
	few=$(count "$program" "$ios" "$@")
	many=$(count "$program" $((2 * ios)) "$@")
	echo "$program: $(((many - few + ios / 2) / ios)) instructions an I/O"
done
