#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Behaviour: a job whose NVMe device is taken away in mid-run ends in time, with a
# report of what was done. It has as many I/Os as fio counts; each failed one counts
# as an error and is not timed, and none takes longer than the job.
#
# The error is a race. Reads of a block device that is gone fail, or move nothing.
# An empty read is the end of the file to fio, which counts it as an I/O, with its
# own engine, too. The report counts those apart, as many as fio's bytes are short
# of, and the job's log tells so. A command has no such end: it fails. Defect: a
# wait for completions that never come, a crash, a failed I/O among the latencies, a
# device that is gone passed off as a fast one.
. "$(dirname "$0")/boot.sh"

boot nvme_unplug \
	-blockdev driver=null-co,node-name=nv0,size=1073741824,read-zeroes=on \
	-device nvme,serial=tickwise,drive=nv0,max_ioqpairs=8
ok $? "the machine ran"

told()
{
	value "$shared/$1.fio.json" 'my $f = $j->{jobs}[0]; "error $f->{error}"'
}

# empty LABEL: prints the I/Os that fio counts and that moved nothing
empty()
{
	value "$shared/$1.fio.json" 'my $r = $j->{jobs}[0]{read};
		$r->{lat_ns}{N} - $r->{io_bytes} / 4096'
}

for pair in tickwise:io_uring tickwise-cmd:io_uring_cmd; do
	ours=${pair%:*}
	own=${pair#*:}
	if json "$shared/$ours.fio.json" '!$j->{jobs}[0]{read}{total_ios}'; then
		skip "$ours: pulled out before the first I/O"
		continue
	fi
	[ "$(cat "$shared/$ours.status")" -lt 128 ]
	ok $? "$ours: ends: $(told "$ours"); fio's own engine: $(told "$own")"
	# The error is: no such device, no such address, or the device's own.
	json "$shared/$ours.fio.json" 'my $e = $j->{jobs}[0]{error};
		grep { $e == $_ } ("'$ours'" =~ /cmd/ ? () : 0, 19, 6, 5)'
	ok $? "$ours: with an error that tells so"
	timed=$(value "$shared/$ours.report.json" '$j->{ios}{read}')
	is "$timed" "$(value "$shared/$ours.fio.json" \
		'$j->{jobs}[0]{read}{lat_ns}{N}')" \
		"$ours: as many are timed as fio counts"
	json "$shared/$ours.report.json" '
		my $t = $j->{stages}{lat}{read};
		print "# $t->{count} timed, $j->{errors}{read} errors\n";
		$t->{count} == $j->{ios}{read} && $t->{count} > 0 &&
			$t->{min_ns} > 0 && $t->{max_ns} <= $j->{jobs}[0]{run_ns}'
	ok $? "$ours: a report of what was done"
	is "$(value "$shared/$ours.report.json" '$j->{zero_byte}{read}')" \
		"$(empty "$ours")" "$ours: those that moved nothing are apart"
	is "$(grep -c '^tickwise: .* moved nothing' "$shared/$ours.err")" \
		"$([ "$(empty "$ours")" = 0 ] && echo 0 || echo 1)" \
		"$ours: and one line reports them, if there are any"
	row "NVMe pulled out in mid-run ($ours)" \
		"ends in time; as many I/Os as fio counts (one that finds the \
device gone may move 0 bytes: to fio an I/O); the empty ones are reported" \
		"exit $(cat "$shared/$ours.status"), $(told "$ours"), $timed \
timed, reported as empty: $(value "$shared/$ours.report.json" '$j->{zero_byte}{read}')" \
		"exit $(cat "$shared/$own.status"), $(told "$own"), $(value \
		"$shared/$own.fio.json" '$j->{jobs}[0]{read}{lat_ns}{N}') \
counted, $(empty "$own") of them empty, not a word"
done
done_testing
