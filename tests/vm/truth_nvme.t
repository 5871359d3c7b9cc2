#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Behaviour: an NVMe device answers nothing before a set time is over, and no stage
# `device` in the report is shorter (`kernel`, where it is not split). Defect: a
# start that is stamped too late, an end that is another I/O's.
. "$(dirname "$0")/boot.sh"

seconds=240
least=
least_own=
for ns in 1000000 10000000; do
	boot truth_nvme \
		-blockdev "driver=null-co,node-name=nv0,size=1073741824,latency-ns=$ns,read-zeroes=on" \
		-device nvme,serial=tickwise,drive=nv0,max_ioqpairs=8
	ok $? "$ns ns: the machine ran"
	for mode in block polled command; do
		report=$shared/$mode.report.json
		stage=device
		if json "$report" '$j->{jobs}[0]{kernel}{state} eq "off"'; then
			stage=kernel
			skip "$ns ns, $mode: $(value "$report" \
				'$j->{jobs}[0]{kernel}{why}')"
		fi
		stage='$j->{stages}{'$stage'}{read}'
		min=$(value "$report" "${stage}{min_ns}")
		[ "${min:-0}" -ge $ns ]
		ok $? "$ns ns, $mode: the shortest of $(value "$report" \
			"${stage}{count}") took $min ns"
		least="$least $min"
		echo "# median $(value "$report" \
			"${stage}{percentiles}{'50.000000'}") ns"
	done
	least_own="$least_own $(value "$shared/own.fio.json" \
		'$j->{jobs}[0]{read}{lat_ns}{min}')"
	echo "# fio's own engine: lat from ${least_own##* } ns, clat from" \
		"$(value "$shared/own.fio.json" \
		'$j->{jobs}[0]{read}{clat_ns}{min}') ns"
done
row "NVMe that takes 1 and 10 ms (block device, polled, command)" \
	"no stage device is shorter" "from$least ns" "lat from$least_own ns"
done_testing
