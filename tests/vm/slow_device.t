#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Behaviour: of 24 devices the one that is 10 % slower is the first in the table of
# devices, and is named: for one job with all of them, and for 24 jobs with one
# each. Defect: I/Os that count for another device, a verdict without a difference
# or a difference without a verdict.
. "$(dirname "$0")/boot.sh"

# Two processors would wait for one another's virtual time for ever.
cpus=1
accel=tcg,thread=single
seconds=400
slow=null17

boot slow_device -icount shift=0,sleep=off
ok $? "the machine ran"
tar -x -C "$shared" -f "$shared/results.tar"
for name in each one; do
	is "$(cat "$shared/$name.status")" 0 "$name: fio succeeds" ||
		sed 's/^/# /' "$shared/$name.err"
done
# judged NAME: prints the sentence on the devices
judged()
{
	sed -n '/devices by p99 of lat/,/^ *lat in device/p' "$shared/$1.txt" | sed '1d; $d' |
		tr -s ' \n' ' '
}
for name in each one; do
	has "$shared/$name.txt" 'devices by p99 of lat' "$name: they are in order of p99"
	sed -n '/devices by p99/,/^$/p' "$shared/$name.txt" | grep '^null' >"$scratch/rows"
	is "$(wc -l <"$scratch/rows")" 24 "$name: there are 24 devices"
	is "$(sed 's/ .*//; 1q' "$scratch/rows")" $slow "$name: the slow one is the first"
	is "$(judged $name | grep -o 'null[0-9]* is slower than each of the 23')" \
		"$slow is slower than each of the 23" "$name: and is named"
	echo "# $name:$(judged $name)"
	sed 's/^/# /; 12q' "$scratch/rows"
done

row "24 null_blk devices of 1 ms, one of 1.1 ms, in one job and in 24; virtual time" \
	"the slow one is first by p99 and is named" \
	"$slow;$(judged one)" "has no devices"
done_testing
