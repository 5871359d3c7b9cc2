#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Behaviour: time is virtual (every instruction takes a nanosecond, so nothing
# disturbs), and a device takes a known time. The report has that time and one
# constant for the way from fio and back. Defect: a wrong rate, a stamp at the wrong
# place, a stage left out: then the difference is not the same at 10 us and at 1 ms.
. "$(dirname "$0")/boot.sh"

# Two processors would wait for each other's virtual time for ever.
cpus=1
accel=tcg,thread=single
seconds=240
boot truth_null -icount shift=0,sleep=off
ok $? "the machine ran"

# The mean minus the device's time, in ns: of the engine, and of fio's own clat.
tops=
own_tops=
for ns in 10000 20000 50000 100000 1000000; do
	report=$shared/$ns-tickwise.report.json
	is "$(value "$report" '$j->{stages}{lat}{read}{count}')" 500 \
		"$ns ns: all are recorded"
	[ "$(value "$report" '$j->{stages}{kernel}{read}{min_ns}')" -ge $ns ]
	ok $? "$ns ns: none is faster than the device"
	top=$(value "$report" 'int($j->{stages}{lat}{read}{mean_ns} - '$ns')')
	tops="$tops $top"
	own_tops="$own_tops $(value "$shared/$ns-io_uring.fio.json" \
		'int($j->{jobs}[0]{read}{clat_ns}{mean} - '$ns')')"
	echo "# $ns ns: lat +$top (sd" \
		"$(value "$report" 'int($j->{stages}{lat}{read}{stddev_ns})'));" \
		"fio's clat of it" \
		"+$(value "$shared/$ns-tickwise.fio.json" \
			'int($j->{jobs}[0]{read}{clat_ns}{mean} - '$ns')');" \
		"of its own engine +${own_tops##* }"
done
# The way from fio and back may vary by 3 us: the timer's interrupt comes while
# other code runs at 10 us, and on an idle CPU at 1 ms.
spread=$(echo "$tops" | tr ' ' '\n' | sort -n |
	awk 'NF { if (!n++) low = $1; high = $1 } END { print high - low }')
[ "$spread" -lt 3000 ]
ok $? "the added constant is the same to $spread ns ($tops)"
row "null_blk that takes 10, 20, 50, 100, 1000 us; virtual time" \
	"the set value and one constant, the same to 3 us" \
	"lat: on top$tops ns" "clat: on top$own_tops ns"
done_testing
