#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Behaviour: with tw_event_wait=1 each completion of a batch is seen as it
# comes, and with tw_event_time=1 fio's own latencies end there, too, and not
# when the batch was complete. The report says which, and how much is left.
# Defect: a shift in the wrong direction, by the wrong I/O's time, or none.
#
# fio's lat then encloses our total I/O by I/O with two gaps: from fio's start
# to our queued stamp, and from our last stamp to fio's clock. The second is at
# most the residual, which is measured; the first is a few hundred instructions
# of fio's, but for those moments in which somebody else has the CPU: the mean
# over half a second of I/Os may be 20 us of that in a busy container.
. "$(dirname "$0")/fio_tap.sh"

run() # ARGUMENT...
{
	rm -f ./*.tickwise.json
	run_fio --name=e --rw=randread --bs=4k --size=8m --iodepth=16 \
		--iodepth_batch_submit=16 --iodepth_batch_complete_min=16 \
		--time_based=1 --runtime=500ms "$@"
}

# gap: mean of fio's lat less mean of our total, ns
gap()
{
	perl -MJSON::PP -e '
		local $/;
		open my $f, "<", "out.json"; my $fio = decode_json(<$f>);
		open my $g, "<", glob "e.1.*.tickwise.json";
		my $tw = decode_json(<$g>);
		printf "%d", $fio->{jobs}[0]{read}{lat_ns}{mean} -
			$tw->{stages}{total}{read}{mean_ns}'
}

# least_gap ARGUMENT...: of five runs, in $least. Whoever else has the CPU makes a
# gap longer, and none shorter.
least_gap()
{
	least=
	for round in 1 2 3 4 5; do
		run "$@" || return 1
		now=$(gap)
		if [ -z "$least" ] || [ "$now" -lt "$least" ]; then
			least=$now
		fi
	done
}

run
ok $? 'batches of 16'
json e.*.tickwise.json '!$j->{fio_times}{event_time} &&
	!$j->{fio_times}{event_wait} && !$j->{fio_times}{residual}'
ok $? 'the report says that fio was left alone'
# At the end of its time fio takes what is left as it comes: at most a batch.
json e.*.tickwise.json 'my $r = $j->{stages}{return}{read};
	$r->{count} >= $j->{ios}{read} - 16 && $r->{count} <= $j->{ios}{read} &&
	$r->{mean_ns} > 0'
ok $? 'each I/O of a batch has a return stage'

# Sixteen from the page cache are done at once, and fio takes one at a time.
rm -f ./*.tickwise.json
run_fio --name=e --rw=randread --bs=4k --size=8m --iodepth=16 \
	--iodepth_batch_submit=16 --iodepth_batch_complete_max=1
ok $? 'batches of 16, taken one by one'
json e.*.tickwise.json '$j->{stages}{return}{read}{count} >=
	$j->{ios}{read} / 2'
ok $? 'those that fio leaves in the ring have a return stage, too'

least_gap --tw_event_wait=1
ok $? 'the same with tw_event_wait=1'
waited=$least
json e.*.tickwise.json '$j->{fio_times}{event_wait} &&
	$j->{batches}{tails} > $j->{ios}{read} / 16'
ok $? 'more tails are seen than there are batches'
same_counts
ok $? 'none is lost'

least_gap --tw_event_wait=1 --tw_event_time=1
ok $? 'the same with tw_event_time=1'
shifted=$least
echo "# fio's lat less our total: $waited ns, with event times $shifted ns"
[ "$shifted" -ge 0 ] && [ "$shifted" -le 20000 ]
ok $? "fio's lat is our total and a little more"
# The first of sixteen waits for the last, unless the device finishes them all
# at once; it does not always. Where it was tried, ten times as long.
[ "$waited" -gt $((2 * shifted)) ]
ok $? 'which it was not without'
json e.*.tickwise.json '$j->{fio_times}{event_time} &&
	$j->{fio_times}{residual}{count} > 0 &&
	$j->{fio_times}{residual}{min_ns} < 20000'
ok $? 'the report says so, and what is left'
json out.json '$j->{jobs}[0]{read}{clat_ns}{min} > 0'
ok $? "fio's completion latencies are positive"
same_counts
ok $? 'none is lost'
done_testing
