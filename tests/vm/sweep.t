#!/bin/sh
# SPDX-License-Identifier: MIT
# Tests: core/command/sweep/sweep.c core/command/sweep/search.c
#
# Behaviour: of a device that qemu limits (throttling.iops-total) the limit lies between the two
# bounds of a sweep, or is one of them, to 3 %. Defect: the capacity of the device without its
# limit; what is left in qemu's queue of one trial is part of the next one's response.
#
# How fast this machine emulates the device, and how evenly, depends on what else runs: a sweep
# without two bounds is printed, and so is what gives way. SWEEPS= tells how many, SEED= draws the same limit.
. "$(dirname "$0")/boot.sh"

seconds=1200
sweeps=${SWEEPS:-1}
seed=${SEED:-$(date +%N)}
iops=$(perl -e 'srand shift; print int 400 * 3 ** rand' "$seed")
echo "# SEED=$seed: $iops"
append="$append tw_sweeps=$sweeps"
boot sweep -device nvme,id=nvme0,serial=tickwise,max_ioqpairs=2 \
	-drive "driver=null-co,size=8G,read-zeroes=on,if=none,id=disk,throttling.iops-total=$iops" \
	-device nvme-ns,drive=disk,bus=nvme0,nsid=1
ok $? "the machine ran"
found=0
for i in $(seq "$sweeps"); do
	text=$(from_json "$shared/$i.json" 'printf "%s %s %s", map { defined $_ ? int : "?" }
		@$j{"bears", "too_much"}; print $j->{gives_way} // "nothing"')
	echo "# $text"
	is "$(from_json "$shared/$i.json" 'my ($bears, $too_much) = @$j{"bears", "too_much"};
		print !$bears || !$too_much || ($bears <= 1.03 * '"$iops"' &&
			$too_much >= 0.97 * '"$iops"') || 0')" 1 "the limit lies in the bounds: $text"
	case $text in *limit*) found=$((found + 1)) ;; esac
done
echo "# $found of $sweeps name the limit"
done_testing
