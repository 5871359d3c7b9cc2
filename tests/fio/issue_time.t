#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Behaviour: fio's issue time is read off our stamp of the end of the submitting
# call where fio's clock is the counter too, and from fio's clock where it is
# another one; fio's slat and clat are the same either way.
# Defect: an anchor of fio's clock kept for too long or taken from a disturbed
# read, a second that is not carried over, our ticks put on another clock's time.
. "$(dirname "$0")/fio_tap.sh"

# fio starts its slat before ->queue() and ends it with our stamp, so none can be
# shorter than ours from queued to entered by more than half of a bracket (125
# ns), nor the median by more than a bin of fio's, 1/64 of it. Nor is it much
# longer: what fio does before ->queue(), well below a microsecond when nothing
# interrupts, which half of all I/Os see on any machine. 20 us are allowed: a
# fifth of how long fio's clock is followed at most, and a mistaken clock or
# second is further off.
for clock in cpu clock_gettime gettimeofday; do
	rm -f ./*.tickwise.json
	run_fio --clocksource=$clock --name=r --rw=randread --bs=512 --size=4m \
		--time_based --runtime=1200ms --invalidate=0 --slat_percentiles=1
	ok $? "$clock: a job of more than a second"
	ours=$(from_json r.*.tickwise.json \
		'print $j->{stages}{enter}{read}{percentiles}{"50.000000"}')
	fios=$(from_json out.json \
		'print $j->{jobs}[0]{read}{slat_ns}{percentile}{"50.000000"}')
	# fio takes its start times by that clock, too: to a microsecond.
	least=125
	[ $clock = gettimeofday ] && least=1125
	[ -n "$ours" ] && [ -n "$fios" ] &&
		[ "$fios" -ge $((ours - ours / 32 - least)) ] &&
		[ "$fios" -le $((ours + 20000)) ]
	ok $? "$clock: fio's median slat ($fios ns) ends with our stamp ($ours)"
	json out.json 'my $r = $j->{jobs}[0]{read};
		$r->{slat_ns}{N} == $r->{clat_ns}{N} &&
		$r->{clat_ns}{max} < 3.6e12 && $r->{slat_ns}{max} < 3.6e12 &&
		abs($r->{lat_ns}{mean} - $r->{slat_ns}{mean} -
		    $r->{clat_ns}{mean}) < 2'
	ok $? "$clock: slat and clat add up, and none is a wrong clock"
done
done_testing
