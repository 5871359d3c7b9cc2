#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Behaviour: I/Os of file systems, and of devices on top of devices, are split
# inside the kernel. They stay whole if no request is known to be theirs, with that
# reason. A split I/O has all of its requests: the device takes 100 us for each, and
# no stage `device` is shorter. The stages of every I/O add up to its lat. Defect:
# an I/O that is split by a part of its requests, or by another I/O's; a way from
# the request to its I/O that another kernel lacks; a mirrored write that ends with
# the first of its copies.
#
# One virtual CPU: with two, qemu may run an instruction while the kernel replaces
# it (a tracepoint that is switched on), which ends the machine.
. "$(dirname "$0")/boot.sh"
. "$root/tests/fio/kernel_tap.sh"

cpus=1
memory=2048
seconds=900
device_ns=100000

# pieces NAME: prints the least number of requests of an I/O of 256 KB. Chunks are
# 64 KB, and null_blk takes up to 127 KB.
pieces()
{
	case $1 in
	striped|raid0|raid10) echo 4 ;;
	*) echo 3 ;;
	esac
}

# both NAME: checks the reports of its small and its large I/Os
both()
{
	for size in small large; do
		number=$((number + 1))
		report=$shared/$1.$size.json.$number
		ios=256
		[ $size = small ] || ios=64
		case $1 in
		btrfs)
			split_is "$report" $ios \
				"not_split('no_request') == $ios" \
				"$suite, $1, $size: whole, no request is known"
			continue
			;;
		esac
		split_is "$report" $ios "$all_joined" "$suite, $1, $size: split"
		count=1
		[ $size = small ] || count=$(pieces "$1")
		json "$report" "$kernel_perl"'
			my @device = grep { $_ } values %{$j->{stages}{device}};
			@device && !grep { $_->{count} &&
				$_->{min_ns} < '$device_ns' } @device and
			$j->{kernel_stages}{requests} >= '$count' *
				sum($j->{kernel_stages}{split})'
		ok $? "$suite, $1, $size: $(from_json "$report" "$kernel_perl"'
			print "device from ", join(" and ", map { $_->{min_ns} }
				grep { $_->{count} }
				values %{$j->{stages}{device}}),
			" ns, requests: $j->{kernel_stages}{requests}"')"
		case $1 in
		raid1*|raid10)
			is_mirrored "$1" "$size" "$report"
			;;
		esac
	done
}

# is_mirrored NAME SIZE REPORT: checks that a small write has a request for each copy. With a
# slow disk each write waits for it, and ends there, unless the emulated machine stopped for
# 100 ms between the two copies.
is_mirrored()
{
	[ "$2" = large ] || { json "$3" "$kernel_perl"'
			$j->{kernel_stages}{requests} ==
				$j->{kernel_stages}{split}{read} +
				2 * $j->{kernel_stages}{split}{write}'
		ok $? "$suite, $1: a request for each copy"; }
	json "$3" '@{$j->{slowest}} && !grep { !$_->{disk} } @{$j->{slowest}}'
	ok $? "$suite, $1, $2: each I/O has the disk that was last"
	[ "$1" != raid1_slow ] || { slow=$(cat "$shared/slow") json "$3" '
			my @w = grep { $_->{ddir} eq "write" } @{$j->{slowest}};
			@w && !(grep { $_->{stages}{device} < 100e6 } @w) &&
				10 * (grep { $_->{disk} eq $ENV{slow} } @w) >= 9 * @w'
		ok $? "$suite, $1, $2: writes end at the slow disk"; }
	# Of the large ones there are too few for a sentence.
	[ "$1.$2" != raid1_slow.small ] || { run report --json "$3"
		slow=$(cat "$shared/slow") json "$out" '
			$j->{answers}{tail}{write}{text} =~ / in device $ENV{slow}\b/ &&
				grep { ($_->{disk} // "") eq $ENV{slow} }
				@{$j->{answers}{tail}{write}{causes}}'
		ok $? "$suite, $1, $2: the sentence on slow writes names it: $(from_json "$out" \
			'print $j->{answers}{tail}{write}{text}')"; }
}

# trims NAME: checks its trims, which are split if they go through the ring
trims()
{
	number=$((number + 1))
	report=$shared/$1.trim.json.$number
	if [ "$suite" = bookworm ] || [ "$suite" = noble ]; then
		json "$report" '$j->{ios}{trim} == 256 && !$j->{kernel_stages}{split}{trim}'
		ok $? "$suite, $1: trims are system calls, and whole"
		return
	fi
	split_is "$report" 256 "$all_joined" "$suite, $1: trims are split"
}

for suite in $suites; do
	on_kernel $suite || { skip "$no_kernel"; continue; }
	boot kernel_stacked
	ok $? "$suite: the machine ran"
	sed 's/^/# /' "$shared/version"
	succeeds stacked "$suite: fio succeeds"
	number=0
	while read -r name; do
		both "$name"
	done <"$shared/names"
	while read -r name; do
		trims "$name"
	done <"$shared/trims"
	for cannot in "$shared"/*.cannot; do
		[ ! -e "$cannot" ] || skip "$suite, $(basename "$cannot" \
			.cannot): $(cat "$cannot")"
	done
done
done_testing
