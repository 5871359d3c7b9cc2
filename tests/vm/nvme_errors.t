#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Behaviour: I/O errors of a device are handled as by fio's own engine: the job
# stops with the same error, or goes on and counts as many. None of them is in the
# latencies. Defect: a failed command taken for a fast one, a status of the device
# returned as an errno.
. "$(dirname "$0")/boot.sh"

# The first read of the device's second MiB fails, and all later ones there.
truncate -s 64M "$scratch/bad.img"
boot nvme_errors \
	-blockdev "driver=file,node-name=file0,filename=$scratch/bad.img" \
	-blockdev '{"driver":"blkdebug","node-name":"nv0","image":"file0","inject-error":[{"event":"none","iotype":"read","errno":5,"once":false,"sector":2048}]}' \
	-device nvme,serial=tickwise,drive=nv0,max_ioqpairs=8
ok $? "the machine ran"

# errors LABEL: prints fio's errors in one line
errors()
{
	value "$shared/$1.fio.json" 'my $f = $j->{jobs}[0];
		"error $f->{error}, total $f->{total_err}, first $f->{first_error}"'
}

# timed LABEL: checks that the error is counted and not timed
timed()
{
	works "$1: the error is counted and not timed" json "$shared/$1.report.json" '
		$j->{errors}{read} == 1 && $j->{ios}{read} == 511 &&
		$j->{stages}{lat}{read}{count} == 511'
}

for mode in stops goes_on polled; do
	is "$(cat "$shared/$mode-tickwise.status") $(errors $mode-tickwise)" \
		"$(cat "$shared/$mode-io_uring.status") $(errors $mode-io_uring)" \
		"$mode: as fio's own engine: $(errors $mode-io_uring)"
	# fio's own engine negates the status in some versions.
	is "$(value "$shared/$mode-tickwise-cmd.fio.json" \
		'$j->{jobs}[0]{'"$([ $mode = stops ] && echo error ||
			echo first_error)"'}')" 641 \
		"$mode: past the block layer: the device's status, 0x281"
done
for label in goes_on-tickwise polled-tickwise goes_on-tickwise-cmd \
		polled-tickwise-cmd; do
	timed $label
done
for pair in tickwise:io_uring tickwise-cmd:io_uring_cmd; do
	label=goes_on-${pair%:*}
	row "a sector of NVMe can't be read (${pair%:*})" \
		"the error of fio's own engine, counted, not timed" \
		"$(errors $label), $(value "$shared/$label.report.json" \
		'"$j->{errors}{read} error, $j->{ios}{read} timed"')" \
		"$(errors "goes_on-${pair#*:}")"
done
done_testing
