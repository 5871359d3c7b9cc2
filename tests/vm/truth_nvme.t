#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Behaviour: an NVMe device answers nothing before a set time is over, and no
# total in the report is shorter.
# Defect: a begin that is taken too late, an end that is another I/O's.
. "$(dirname "$0")/boot.sh"

for ns in 1000000 10000000; do
	boot truth_nvme \
		-blockdev "driver=null-co,node-name=nv0,size=1073741824,latency-ns=$ns,read-zeroes=on" \
		-device nvme,serial=tickwise,drive=nv0,max_ioqpairs=8
	ok $? "$ns ns: the machine ran"
	for mode in block polled command; do
		report=$shared/$mode.report.json
		total='$j->{stages}{total}{read}'
		min=$(value "$report" "${total}{min_ns}")
		[ "${min:-0}" -ge $ns ]
		ok $? "$ns ns, $mode: the shortest of $(value "$report" \
			"${total}{count}") took $min ns"
		echo "# median $(value "$report" \
			"${total}{percentiles}{'50.000000'}") ns"
	done
	echo "# fio's own engine: lat from" \
		"$(value "$shared/own.fio.json" \
		'$j->{jobs}[0]{read}{lat_ns}{min}') ns, clat from" \
		"$(value "$shared/own.fio.json" \
		'$j->{jobs}[0]{read}{clat_ns}{min}') ns"
done
done_testing
