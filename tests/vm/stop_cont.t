#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Behaviour: the host stops the machine for two seconds in mid-run. I/Os in flight
# come back, and latencies are whole. Under software emulation all clocks of the
# guest stop with it, so that nothing shows the pause. Defect: a hang, a counter
# blamed for nothing.
. "$(dirname "$0")/boot.sh"

start stop_cont -qmp "unix:$scratch/qmp,server=on,wait=off" \
	-blockdev driver=null-co,node-name=nv0,size=1073741824,latency-ns=200000,read-zeroes=on \
	-device nvme,serial=tickwise,drive=nv0,max_ioqpairs=8

for engine in tickwise io_uring; do
	i=0
	while [ ! -e "$shared/$engine.running" ] && [ $i -lt 400 ]; do
		sleep 0.1
		i=$((i + 1))
	done
	tell stop cont
	ok $? "$engine: stopped and gone on"
done
wait_end
ok $? "the machine ran"
for engine in tickwise io_uring; do
	is "$(cat "$shared/job-$engine.status")" 0 "$engine: the job succeeds"
done
json "$shared/job-tickwise.report.json" '
	my $t = $j->{stages}{lat}{read};
	print "# $j->{counter}{verdict}: $t->{min_ns} to $t->{max_ns}\n";
	$j->{counter}{verdict} ne "unreliable" && $t->{min_ns} > 200000 &&
		$t->{max_ns} < 1.9e9'
ok $? "latencies are whole"
row "the host stops the machine for 2 s" \
	"nothing: all clocks of the guest stand still" \
	"$(value "$shared/job-tickwise.report.json" '"$j->{counter}{verdict}, max " .
		$j->{stages}{lat}{read}{max_ns} . " ns"')" \
	"max $(value "$shared/job-io_uring.fio.json" \
		'$j->{jobs}[0]{read}{lat_ns}{max}') ns"
done_testing
