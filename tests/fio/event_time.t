#!/bin/sh
# SPDX-License-Identifier: MIT
# Tests: plugin
#
# Behaviour: with tw_event_wait=1 each completion of a batch is seen as it comes.
# With tw_event_time=1 fio's own latencies end there, too, and not when the batch
# was complete. The report tells which, and how much is left. Defect: a shift in the
# wrong direction, by the wrong I/O's time, or none.
#
# Time is simulated (preload/ring_device.c), on a device whose reads take 100, 200
# ... 800 us, 450 us on the average; sixteen of them are done after 800 us. fio's
# lat is then ours, minus deliver with tw_event_time=1, but for two gaps: from the
# end of ->prep() to fio's start, and from our last stamp to fio's clock. Each gap
# has only readings of the clock, 10 ns each, at most ten: 100 ns.
. "$(dirname "$0")/fio_tap.sh"
need ring_device

run() # ARGUMENT...
{
	rm -f ./*.tickwise.json
	on_device "DEVICE_DUE_US=100" "external:$TICKWISE_SO" --name=e \
		--rw=read --bs=4k --size=64k --iodepth=16 \
		--iodepth_batch_submit=16 --iodepth_batch_complete_min=16 \
		--loops=20 "$@"
}

# alike STAGE...: true if fio's mean lat is the sum of these means; @gap is the rest, ns
alike()
{
	gap=$(perl -MJSON::PP -e '
		local $/;
		open my $f, "<", "out.json"; my $fio = decode_json(<$f>);
		open my $g, "<", glob "e.1.*.tickwise.json";
		my $tw = decode_json(<$g>);
		my $ours = 0;
		$ours += $tw->{stages}{$_}{read}{mean_ns} for @ARGV;
		printf "%d", $fio->{jobs}[0]{read}{lat_ns}{mean} - $ours' "$@")
	[ "$gap" -ge -100 ] && [ "$gap" -le 100 ]
}

run
ok $? 'batches of 16'
json e.*.tickwise.json '!$j->{jobs}[0]{event_time} &&
	!$j->{jobs}[0]{event_wait} && !$j->{fio_times}{residual}'
ok $? 'the report says that fio was left alone'
json e.*.tickwise.json 'my $d = $j->{stages}{deliver}{read};
	$j->{ios}{read} == 320 && $d->{count} == 320 && $d->{min_ns} > 0'
ok $? 'each I/O of a batch is delivered'
alike lat
ok $? "fio's lat is ours: $gap ns more"
json e.*.tickwise.json '$j->{batches}{tails} == $j->{ios}{read} / 16 &&
	$j->{stages}{kernel}{read}{min_ns} >= 800000'
ok $? 'and each was seen when all were done'

# Nops are done in the call that submits them, and fio takes one at a time.
rm -f ./*.tickwise.json
run_fio --name=e --rw=randread --bs=4k --size=8m --iodepth=16 \
	--iodepth_batch_submit=16 --iodepth_batch_complete_max=1 \
	--tw_test_nop=1
ok $? 'batches of 16, taken one by one'
json e.*.tickwise.json '$j->{stages}{deliver}{read}{count} ==
	$j->{ios}{read}'
ok $? 'those that fio leaves in the ring are delivered, too'

run --tw_event_wait=1
ok $? 'the same with tw_event_wait=1'
alike queue kernel deliver
ok $? "fio's lat is that of the last, with deliver: $gap ns more"
json e.*.tickwise.json '$j->{jobs}[0]{event_wait} &&
	$j->{batches}{tails} == $j->{ios}{read} / 2'
ok $? 'more tails are seen than there are batches: one for each time'
json e.*.tickwise.json 'my $d = $j->{stages}{deliver}{read};
	$d->{max_ns} > 700000 && $d->{max_ns} <= 700000 + 16 * 100 &&
	$d->{mean_ns} > 350000 && $d->{mean_ns} <= 350000 + 16 * 100'
ok $? 'which lasts until the last one is done'
same_counts
ok $? 'none is lost'

run --tw_event_wait=1 --tw_event_time=1
ok $? 'the same with tw_event_time=1'
alike queue kernel
ok $? "fio's lat is ours without deliver: $gap ns more"
json e.*.tickwise.json '$j->{jobs}[0]{event_time} &&
	$j->{fio_times}{residual}{read}{count} == $j->{ios}{read} / 16 &&
	$j->{fio_times}{residual}{read}{min_ns} > 0 &&
	$j->{fio_times}{residual}{read}{max_ns} <= 100'
ok $? 'the report says so, and what is left'
json out.json 'my $c = $j->{jobs}[0]{read}{clat_ns};
	$c->{min} >= 100000 && $c->{min} <= 100100 &&
	$c->{max} >= 800000 && $c->{max} <= 800100'
ok $? "fio's completion latencies are the device's"
same_counts
ok $? 'none is lost'
done_testing
