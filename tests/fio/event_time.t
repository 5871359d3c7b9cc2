#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Behaviour: with tw_event_wait=1 each completion of a batch is seen as it
# comes, and with tw_event_time=1 fio's own latencies end there, too, and not
# when the batch was complete. The report says which, and how much is left.
# Defect: a shift in the wrong direction, by the wrong I/O's time, or none.
#
# In simulated time (preload/ring_device.c) on a device whose reads take 100, 200
# ... 800 us, 450 us on the average, and sixteen of which are done after 800 us.
# fio's lat then encloses our total I/O by I/O with two gaps: from fio's start to
# our queued stamp, and from our last stamp to fio's clock. What happens in either
# are readings of the clock, 10 ns each: no more than ten, 100 ns.
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

# gap FROM TO: mean of fio's lat less mean of our total, ns, lies between
gap()
{
	gap=$(perl -MJSON::PP -e '
		local $/;
		open my $f, "<", "out.json"; my $fio = decode_json(<$f>);
		open my $g, "<", glob "e.1.*.tickwise.json";
		my $tw = decode_json(<$g>);
		printf "%d", $fio->{jobs}[0]{read}{lat_ns}{mean} -
			$tw->{stages}{total}{read}{mean_ns}')
	[ "$gap" -ge "$1" ] && [ "$gap" -le "$2" ]
}

run
ok $? 'batches of 16'
json e.*.tickwise.json '!$j->{fio_times}{event_time} &&
	!$j->{fio_times}{event_wait} && !$j->{fio_times}{residual}'
ok $? 'the report says that fio was left alone'
json e.*.tickwise.json 'my $r = $j->{stages}{return}{read};
	$j->{ios}{read} == 320 && $r->{count} == 320 && $r->{min_ns} > 0'
ok $? 'each I/O of a batch has a return stage'
json e.*.tickwise.json '$j->{batches}{tails} == $j->{ios}{read} / 16 &&
	$j->{stages}{total}{read}{min_ns} >= 800000'
ok $? 'and each was seen when all were done'

# Nops are done in the call that submits them, and fio takes one at a time.
rm -f ./*.tickwise.json
run_fio --name=e --rw=randread --bs=4k --size=8m --iodepth=16 \
	--iodepth_batch_submit=16 --iodepth_batch_complete_max=1 \
	--tw_test_nop=1
ok $? 'batches of 16, taken one by one'
json e.*.tickwise.json '$j->{stages}{return}{read}{count} >=
	$j->{ios}{read} / 2'
ok $? 'those that fio leaves in the ring have a return stage, too'

run --tw_event_wait=1
ok $? 'the same with tw_event_wait=1'
gap 350000 350100
ok $? "fio's lat is that of the last: $gap ns more than our total"
json e.*.tickwise.json '$j->{fio_times}{event_wait} &&
	$j->{batches}{tails} == $j->{ios}{read} / 2'
ok $? 'more tails are seen than there are batches: one for each time'
json e.*.tickwise.json 'my $r = $j->{stages}{return}{read};
	$r->{max_ns} > 700000 && $r->{max_ns} <= 700000 + 16 * 100'
ok $? 'and the rest is in the return stage'
same_counts
ok $? 'none is lost'

run --tw_event_wait=1 --tw_event_time=1
ok $? 'the same with tw_event_time=1'
gap 0 100
ok $? "fio's lat is our total and a little more: $gap ns"
json e.*.tickwise.json '$j->{fio_times}{event_time} &&
	$j->{fio_times}{residual}{count} == $j->{ios}{read} / 16 &&
	$j->{fio_times}{residual}{min_ns} > 0 &&
	$j->{fio_times}{residual}{max_ns} <= 100'
ok $? 'the report says so, and what is left'
json out.json 'my $c = $j->{jobs}[0]{read}{clat_ns};
	$c->{min} >= 100000 && $c->{min} <= 100100 &&
	$c->{max} >= 800000 && $c->{max} <= 800100'
ok $? "fio's completion latencies are the device's"
same_counts
ok $? 'none is lost'
done_testing
