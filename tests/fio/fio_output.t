#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Behaviour: with our engine fio itself writes the same of a job as with io_uring:
# logs of latencies and histograms, the status while a job runs, and the end of a
# job in a steady state. The report counts what they count. Defect: an I/O that is
# in fio's log and not in the report, or with another latency; a job that a status
# disturbs, or that fio can't end before its time.
. "$(dirname "$0")/fio_tap.sh"
need ring_device

# ---- logs, in simulated time: the same to the nanosecond ----

for engine in io_uring "external:$TICKWISE_SO"; do
	name=${engine%%:*}
	on_device 'DEVICE_READ_NS=0 DEVICE_SERIAL_US=1000' \
		"$engine" --name=log --filename=x --size=1m --rw=randrw \
		--bs=4k --iodepth=4 --fsync=8 --write_lat_log="$name" \
		--write_hist_log="$name" --log_hist_msec=20 --log_offset=1
	ok $? "a job that writes logs: $name"
done
for log in lat clat slat clat_hist; do
	[ -s "external_$log.1.log" ] &&
		cmp "io_uring_$log.1.log" "external_$log.1.log" >&2
	ok $? "its $log log has the same bytes with both engines"
done
same_counts
ok $? 'the report has the counts of fio'
rm -f ./*.tickwise.json

# ---- --status-interval: until two have been printed, however long that takes ----

rm -f out.json
"$FIO" --ioengine="external:$TICKWISE_SO" --output-format=json --output=out.json \
	--name=status --filename=x --size=1m --rw=randread --bs=4k --iodepth=4 \
	--thread --time_based --runtime=600 --status-interval=1 2>err &
fio=$!
printed()
{
	[ "$(grep -s '^{' out.json | wc -l)" -ge 2 ]
}
waited=0
until printed || [ $waited -ge 1200 ] || ! kill -0 $fio 2>/dev/null; do
	sleep 0.1
	waited=$((waited + 1))
done
printed
ok $? 'fio prints its status while the job runs'
kill -INT $fio
wait $fio
is "$(perl -MJSON::PP -e '
	# Between the two, fio prints that it was told to end.
	local $/; open my $f, "<", "out.json"; my @all = <$f> =~ /^\{.*?^\}/msg;
	my @n = map { decode_json($_)->{jobs}[0]{read}{clat_ns}{N} } @all;
	open my $last, ">", "last.json"; print $last $all[-1];
	print join " ", grep { $n[$_] < $n[$_ - 1] } 1 .. $#n')" '' \
	'which never falls back'
mv last.json out.json
same_counts
ok $? 'and the report has the counts of the last one'
rm -f ./*.tickwise.json

# ---- steadystate: any IOPS are steady enough ----

run_fio --name=steady --filename=x --size=1m --rw=randread --bs=4k \
	--iodepth=4 --time_based --runtime=600 --steadystate=iops:1000000000% \
	--steadystate_duration=2s
ok $? 'a job that may end in a steady state'
json out.json '$j->{jobs}[0]{steadystate}{attained} == 1 &&
	$j->{jobs}[0]{read}{runtime} < 600000'
ok $? 'ends in it'
same_counts
ok $? 'and the report has the counts of fio'
done_testing
