#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Behaviour: in real time fio's own lat of 99 % of all single I/Os is queue + kernel +
# deliver within two readings of fio's clock, at depth 1, 8 and 128, in processes and
# threads. The figures are shown; only a share below half is a failure, as whatever
# else runs can come between our stamp and fio's reading.
# Defect: a stage that begins or ends elsewhere than fio's lat.
#
# A reading of fio's clock is as long as fio's lat of an I/O that does nothing
# (ioengine=null), which has one reading and a function call in it; in a job that has
# slept it takes longer, since code and data have left the caches.
. "$(dirname "$0")/../fio/fio_tap.sh"
. "$root/tests/fio/lat_sum.sh"

"$FIO" --name=n --ioengine=null --rw=read --bs=4k --size=1g \
	--output-format=json --output=null.json
reading=$(from_json null.json '
	my $p = $j->{jobs}[0]{read}{clat_ns}{percentile};
	print $p->{"99.000000"}')
echo "# a reading of fio's clock: at most $reading ns in 99 % of I/Os"

head -c 67108864 /dev/zero >s.data
for more in --thread=0 --thread=1; do
	for depth in 1 8 128; do
		rm -f s_lat.1.log s.json
		run_fio --name=s --filename=s.data --bs=4k --size=64m \
			--rw=randread --iodepth=$depth --tw_slowest=100000 \
			--write_lat_log=s --log_offset=1 --tw_report=s.json \
			"$more" || cat err
		lat_differences s_lat.1.log s.json >apart
		awk -v limit=$((2 * reading)) -v what="depth $depth $more" '
			{ ns[NR] = $1; within += $1 <= limit && $1 >= -limit }
			END {
				printf "# %s: %d I/Os, %.2f %% within %d ns; " \
					"fio - ours: p1 %d, median %d, p99 %d ns\n",
					what, NR, 100 * within / (NR ? NR : 1), limit,
					ns[int(NR / 100) + 1], ns[int(NR / 2) + 1],
					ns[int(NR * 99 / 100)]
				exit within * 2 < NR || NR != 16384
			}' apart
		ok $? "depth $depth, $more: lat is the sum of the stages"
	done
done
done_testing
