#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Behaviour: a job whose NVMe device is taken away in mid-run ends in time, with a
# report of what was done. With which error is a race: reads of a block device
# that is gone fail, or move nothing, which fio takes for the end of the file.
# Defect: a wait for completions that never come, a crash.
. "$(dirname "$0")/boot.sh"

boot nvme_unplug \
	-blockdev driver=null-co,node-name=nv0,size=1073741824,read-zeroes=on \
	-device nvme,serial=tickwise,drive=nv0,max_ioqpairs=8
ok $? "the machine ran"

told()
{
	value "$shared/$1.fio.json" 'my $f = $j->{jobs}[0]; "error $f->{error}"'
}

for pair in tickwise:io_uring tickwise-cmd:io_uring_cmd; do
	ours=${pair%:*}
	own=${pair#*:}
	[ "$(cat "$shared/$ours.status")" -lt 128 ]
	ok $? "$ours: ends: $(told "$ours"); fio's own engine: $(told "$own")"
	json "$shared/$ours.report.json" '
		my $t = $j->{stages}{total}{read};
		print "# $t->{count} timed, $j->{errors}{read} errors\n";
		$t->{count} > 0 && $t->{min_ns} > 0 && $t->{max_ns} < 10e9'
	ok $? "$ours: a report of what was done"
	row "NVMe pulled out in mid-run ($ours)" "ends in time, with a report" \
		"exit $(cat "$shared/$ours.status"), $(told "$ours"), $(value \
		"$shared/$ours.report.json" '"$j->{ios}{read} timed"')" \
		"exit $(cat "$shared/$own.status"), $(told "$own")"
done
done_testing
