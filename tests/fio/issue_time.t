#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Behaviour: fio's issue time is our stamp of the end of the submitting call if
# fio's clock is the counter too. With another clock it is a reading of that clock.
# fio's slat and clat are the same either way. Defect: an anchor of fio's clock kept
# for too long or taken from a disturbed reading, a second that is not carried over,
# our ticks put on another clock's time.
#
# fio starts its slat before ->queue() and ends it with our stamp. Simulated time
# (preload/ring_device.c) shows this for a clock of the system. A reading of a clock
# takes 10 ns, and there are at most ten of them besides the call.
. "$(dirname "$0")/fio_tap.sh"
need ring_device

# adds_up WHAT: checks slat and clat of out.json
adds_up()
{
	json out.json 'my $r = $j->{jobs}[0]{read};
		$r->{slat_ns}{N} == $r->{clat_ns}{N} &&
		$r->{clat_ns}{max} < 3.6e12 && $r->{slat_ns}{max} < 3.6e12 &&
		abs($r->{lat_ns}{mean} - $r->{slat_ns}{mean} -
		    $r->{clat_ns}{mean}) < 2'
	ok $? "$1: slat and clat add up, and none is a wrong clock"
}

# fio's microseconds can hide one at either end.
for clock in clock_gettime gettimeofday; do
	slack=0
	[ $clock = gettimeofday ] && slack=1000
	rm -f ./*.tickwise.json
	on_device DEVICE_SERIAL_US=100 "external:$TICKWISE_SO" --name=r \
		--rw=randread --bs=512 --size=4m --io_size=6m \
		--norandommap=1 --clocksource=$clock
	ok $? "$clock: a job of more than a second"
	json out.json '$j->{jobs}[0]{read}{runtime} > 1000'
	ok $? "$clock: of its own time"
	ours=$(from_json r.*.tickwise.json '
		print $j->{submitting_call}{read}{mean_ns}')
	json out.json 'my $s = $j->{jobs}[0]{read}{slat_ns}; my $ours = '"$ours"';
		$s->{min} >= $ours - '$slack' && $s->{max} <= $ours + 100 + '$slack
	ok $? "$clock: fio's slat ends with our stamp"
	adds_up $clock
done

# The counter is in real time. No slat can be shorter than ours from queued to
# entered by more than half of a bracket (125 ns). The median can be shorter by no
# more than a bin of fio's, 1/64 of it. Other programs make it longer.
# tests/unit/plugin/engine_stages.c shows with a counter made by hand that it is right to 4
# ns, also where a second ends.
rm -f ./*.tickwise.json
run_fio --clocksource=cpu --name=r --rw=randread --bs=512 --size=4m \
	--time_based --runtime=1100ms --invalidate=0 --slat_percentiles=1
ok $? 'cpu: a job of more than a second'
ours=$(from_json r.*.tickwise.json \
	'print $j->{submitting_call}{read}{percentiles}{"50.000000"}')
fios=$(from_json out.json \
	'print $j->{jobs}[0]{read}{slat_ns}{percentile}{"50.000000"}')
[ -n "$ours" ] && [ -n "$fios" ] && [ "$fios" -ge $((ours - ours / 32 - 125)) ]
ok $? "cpu: fio's median slat ($fios ns) is not shorter than our call ($ours)"
adds_up cpu
done_testing
