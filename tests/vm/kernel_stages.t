#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Behaviour: on the kernels of Debian 12 and 13, and on an NVMe device, the same
# object file splits I/Os inside the kernel: those of the block device and commands
# of the NVMe character device, with an interrupt or polled. So does `tickwise
# attach` for fio's own engine, also if the ring exists before, and explains the
# slowest. Defect: a tracepoint or structure that differs there; a missing way from
# the request to its I/O.
. "$(dirname "$0")/boot.sh"
. "$root/tests/fio/kernel_tap.sh"

# release: prints that of the running kernel, of $shared/version
release()
{
	sed 's/^Linux version \([^ ]*\).*/\1/' "$shared/version"
}

seconds=300
for suite in $suites; do
	on_kernel $suite || { skip "$no_kernel"; continue; }
	on_nvme kernel_stages
	ok $? "$suite: the machine ran"
	sed 's/^/# /' "$shared/version"
	happened=
	for mode in block block_hipri block_async block_polled block_fixed \
			block_large command command_fixed; do
		report=$shared/$mode.report.json
		succeeds "$mode" "$suite, $mode: fio succeeds"
		if json "$report" '$j->{jobs}[0]{kernel}{state} eq "off" &&
				$j->{jobs}[0]{kernel}{why} =~ /built without/'; then
			skip "$suite, $mode: $(value "$report" \
				'$j->{jobs}[0]{kernel}{why}')"
			continue
		fi
		ios=256
		[ "$mode" != block_large ] || ios=64
		split_is "$report" $ios "$all_joined" "$suite, $mode: split"
		if [ "$mode" = block ]; then
			json "$report" '$j->{jobs}[0]{causes}{state} eq "on"'
			ok $? "$suite, $mode: its thread was followed"
		fi
		happened="$happened${happened:+, }$mode $(from_json "$report" \
			"$kernel_perl"'print sum($j->{kernel_stages}{split})')"
	done
	for mode in attach attach_late; do
		report=$shared/$mode.json
		if [ ! -e "$report" ]; then
			skip "$suite, $mode: $(cat "$shared/$mode.err")"
			continue
		fi
		succeeds "$mode" "$suite, tickwise $mode: ends well"
		json "$report" 'my @rows = @{$j->{attached}{operations}};
			my $ios = 0;
			$ios += $_->{ios} + $_->{no_cqe} for @rows;
			$ios == 256 && !$j->{attached}{lost_records} &&
			!grep { $_->{no_request} || $_->{file} ne "/dev/nvme0n1" }
				grep { $_->{ios} } @rows'
		ok $? "$suite, tickwise $mode: each I/O, split, on its device"
		# The machine decides in which stage they were slow.
		[ "$mode" = attach_late ] || {
			json "$report" '$j->{jobs}[0]{causes}{state} eq "on" &&
				!grep { !$_->{causes}{stage} } @{$j->{slowest}}'
			ok $? "$suite, tickwise $mode: with causes of the slowest"
		}
		happened="$happened, $mode $(from_json "$report" \
			"$kernel_perl"'print sum($j->{kernel_stages}{split})')"
	done
	for mode in all waiting many; do
		report=$shared/kinds_$mode.json
		if [ ! -e "$report" ]; then
			skip "$suite, attach_kinds $mode: $(cat "$shared/kinds_$mode.err")"
			continue
		fi
		json "$report" 'my ($a, %sum) = $j->{attached};
			for my $row (@{$a->{operations}}) {
				$sum{$_} += $row->{$_} for "ios", "linked", "drained";
			}
			!$a->{lost_ios} && !$a->{lost_rings} && !$a->{lost_records} &&
			("'$mode'" eq "waiting" ? $sum{ios} == 1000 :
			"'$mode'" eq "many" ? $sum{ios} == 20000 && $a->{more_rings} == 3616 :
			$sum{ios} == 28 && $sum{linked} == 4 && $sum{drained} == 3 &&
			$a->{others}{recv} == 10 && $a->{others}{read} == 7 &&
			$a->{operations}[0]{file} eq "/tmp/file")'
		ok $? "$suite, attach_kinds $mode: counted as on other kernels" ||
			shows "$shared/kinds_$mode.err"
	done
	[ -z "$happened" ] || row "kernel $(release), NVMe" \
		"each I/O is split inside the kernel, or lacks a stamp" \
		"split of 256 (large: 64): $happened" "has no stages"
done
done_testing
