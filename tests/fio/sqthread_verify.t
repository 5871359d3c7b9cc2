#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Behaviour: with sqthread_poll, fio's lat of the reads that verify what was written
# is that of the reads. Defect: slat is turned off as fio's own engine does it (3.36
# on), and fio then takes no start times of these reads: their lat begins with the
# writes.
. "$(dirname "$0")/fio_tap.sh"

depth=8
run_fio --name=v --rw=randwrite --bs=4k --size=4m --iodepth=$depth \
	--verify=crc32c --do_verify=1 --filename=v.data --sqthread_poll=1
status=$?
grep -q 'forbidden\|not permitted' err && {
	echo "1..0 # SKIP no submission thread here: $(head -n 1 err)"
	exit 0
}
ok $status "verified"
# At most $depth I/Os are in flight at any time: their times together are at most
# that many times the whole (of which fio gives milliseconds, rounded down). Start
# times that are not renewed make it half of one I/O's share: 512 of 1024.
json out.json 'my $r = $j->{jobs}[0]{read};
	$r->{lat_ns}{N} == 1024 && $r->{lat_ns}{mean} * $r->{lat_ns}{N} <=
		'$depth' * ($r->{runtime} + 1) * 1e6'
ok $? "lat of the reads fits into their time"
json out.json '!$j->{jobs}[0]{read}{slat_ns}{N} &&
	!$j->{jobs}[0]{write}{slat_ns}{N}'
ok $? "no slat: telling it apart would cost what it takes"
done_testing
