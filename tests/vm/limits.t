#!/bin/sh
# SPDX-License-Identifier: MIT
# Tests: core/command/analysis/limit.c
#
# Behaviour: limits of qemu (throttling.iops-total, with a burst at every second device) are named,
# with their IOPS to 3 %. The same device without one is not. Defect: only the shape of io.max is
# known; a slow device is called a limit.
#
# qemu lets a tenth of a second's I/Os pass at once, or what the burst allows. Then a timer lets
# each I/O pass alone. Whether this machine reads faster than a limit, and how evenly, depends on
# what else runs: it is printed. One figure that is wrong fails. SEED= draws the same limits.
. "$(dirname "$0")/boot.sh"

seconds=600
seed=${SEED:-$(date +%N)}
echo "# SEED=$seed"
limits=$(perl -e 'srand shift; print join " ", map { int 200 * 6 ** rand } 1 .. 8' "$seed")
set --
i=0
for limit in $limits 0; do
	i=$((i + 1))
	drive=driver=null-co,size=64M,read-zeroes=on,if=none,id=disk$i
	[ "$limit" = 0 ] || drive=$drive,throttling.iops-total=$limit
	[ $((i % 2)) = 1 ] || drive=$drive,throttling.iops-total-max=$((3 * limit))
	set -- "$@" -drive "$drive" -device "nvme-ns,drive=disk$i,bus=nvme0,nsid=$i"
done
boot limits -device nvme,id=nvme0,serial=tickwise,max_ioqpairs=2 "$@"
ok $? "the machine ran"
i=0
all=0
for limit in $limits 0; do
	i=$((i + 1))
	whole $i
	"$tickwise" report --json "$shared/$i.report.json" >"$scratch/$i.json"
	named=$(from_json "$scratch/$i.json" 'my $l = $j->{analysis}{limit};
		printf "%.0f", $l ? $l->{iops} : 0')
	iops=$(from_json "$shared/$i.report.json" 'printf "%.0f",
		$j->{ios}{read} * 1e9 / $j->{jobs}[0]{run_ns}')
	[ "$named" = 0 ] || all=$((all + 1))
	works "a limit of $limit: $named is named, at $iops reads a second" test "$named" = 0 -o \
		$((named * 100)) -ge $((limit * 97)) -a $((named * 100)) -le $((limit * 103))
done
row "qemu lets 200 to 1,200 reads a second pass, at 8 devices" "a figure is right to 3 %, and none \
is of a device without a limit" "named at $all of 8" "fio knows no limits"
done_testing
