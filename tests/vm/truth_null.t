#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Behaviour: where time is virtual (every instruction takes a nanosecond, so
# nothing disturbs) and a device takes a known time, that is what is reported,
# plus one constant for the way there and back to fio.
# Defect: a wrong rate, a stamp at the wrong place, a stage left out: then what
# is on top is not the same at 10 us and at 1 ms.
. "$(dirname "$0")/boot.sh"

# Two processors would wait for one another's virtual time for ever.
cpus=1
accel=tcg,thread=single
seconds=240
boot truth_null -icount shift=0,sleep=off
ok $? "the machine ran"

# What the mean is more than the device takes, in ns: ours, and fio's own clat.
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
# 3 us is what the way there and back may differ in: the timer's interrupt comes
# when something else runs at 10 us and when nothing does at 1 ms.
spread=$(echo "$tops" | tr ' ' '\n' | sort -n |
	awk 'NF { if (!n++) low = $1; high = $1 } END { print high - low }')
[ "$spread" -lt 3000 ]
ok $? "the constant on top is the same to $spread ns ($tops)"
row "null_blk that takes 10, 20, 50, 100, 1000 us; virtual time" \
	"the set value and one constant, the same to 3 us" \
	"lat: on top$tops ns" "clat: on top$own_tops ns"
done_testing
