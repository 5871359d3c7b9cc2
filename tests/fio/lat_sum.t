#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Behaviour: for every single I/O the sum of the stages is the lat in fio's own log,
# within two readings of fio's clock: reads, writes that are verified, and I/Os that
# fio submits in batches. Defect: a stage that begins or ends elsewhere than fio's
# lat, two stages that overlap, or time between two stages that belongs to neither.
#
# In simulated time (preload/ring_device.c) a reading of any clock takes 10 ns, and
# nothing else between the stamps takes any: all I/Os must be within 20 ns.
# tests/machine/lat_sum.t tests real time.
. "$(dirname "$0")/fio_tap.sh"
. "$root/tests/fio/lat_sum.sh"
need ring_device

READINGS_NS=20

# adds_up NAME IOS ARGUMENT...: checks a job whose log has IOS I/Os
adds_up()
{
	name=$1
	ios=$2
	shift 2
	rm -f s_lat.1.log s.json
	on_device "$device" "external:$TICKWISE_SO" --name=s \
		--filename=s.data --bs=4k --size=1m --write_lat_log=s \
		--log_offset=1 --tw_slowest=1000 --tw_report=s.json "$@" ||
		cat err
	lat_differences s_lat.1.log s.json >apart
	is "$(wc -l <apart)" "$ios" "$name: $ios I/Os"
	awk -v limit=$READINGS_NS '
		$1 > limit || $1 < -limit { bad++ }
		NR == 1 { least = $1 }
		END {
			printf "# fio - ours: %d to %d ns\n", least, $1
			exit NR == 0 || bad > 0
		}' apart
	ok $? "$name: each within two readings"
	json s.json '!grep {
		my $fio = $j->{fio_lat};
		my $ios = $fio->{count}{$_};

		$ios != $j->{ios}{$_} || $ios && abs($fio->{sum_ns}{$_} / $ios -
			$j->{stages}{lat}{$_}{mean_ns}) > '$READINGS_NS'
	} "read", "write"'
	ok $? "$name: fio's own lat is in the report"
}

head -c 1048576 /dev/zero >s.data
device=DEVICE_SERIAL_US=20
for depth in 1 8 128; do
	adds_up "depth $depth" 256 --rw=randread --iodepth=$depth
	adds_up "depth $depth, in batches of 4" 256 --rw=randread \
		--iodepth=$depth --iodepth_batch=4 --iodepth_batch_complete=4
done
adds_up "writes" 256 --rw=randwrite --iodepth=8
# fio starts a read that verifies later than other reads.
device=
adds_up "written, then verified" 512 --rw=randwrite --iodepth=8 --verify=crc32c
json s.json '$j->{ios}{read} == 256 && $j->{ios}{write} == 256'
ok $? 'verified: written and read'
adds_up "verified by a job that reads" 256 --rw=read --iodepth=8 --verify=crc32c
done_testing
