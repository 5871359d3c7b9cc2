#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Behaviour: I/Os of file systems, and of devices on top of devices, are split
# inside the kernel. They stay whole if no request is known to be theirs, with that
# reason. A split I/O has all of its requests: the device takes 100 us for each, and
# no stage `device` is shorter. The stages of every I/O add up to its lat. Defect:
# an I/O that is split by a part of its requests, or by another I/O's; a way from
# the request to its I/O that another kernel lacks; a mirrored write that ends with
# the first of its copies; a slow leg or path that is not named.
#
# One virtual CPU: with two, qemu may run an instruction while the kernel replaces
# it (a tracepoint that is switched on), which ends the machine.
. "$(dirname "$0")/boot.sh"
. "$root/tests/fio/kernel_tap.sh"

cpus=1
memory=2048
seconds=900
device_ns=100000
slow_ns=200000000

# pieces NAME: prints the least number of requests of an I/O of 256 KB. Chunks are
# 64 KB, and null_blk takes up to 127 KB.
pieces()
{
	case $1 in
	striped|raid0*|raid10*) echo 4 ;;
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
		[ $size = small ] || [ -e "$shared/$1.slow" ] || ios=64
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
		case $1.$size in
		raid1*.small)
			json "$report" "$kernel_perl"'
				$j->{kernel_stages}{requests} ==
					$j->{kernel_stages}{split}{read} +
					2 * $j->{kernel_stages}{split}{write}'
			ok $? "$suite, $1: a request for each copy"
			;;
		esac
		[ ! -e "$shared/$1.slow" ] || names_slow "$1" "$size" "$report"
	done
}

# names_slow NAME SIZE REPORT: checks that an I/O has the slow disk only if a chunk of it is
# there, and then takes as long, and that the sentence on slow I/Os names it. If the emulated
# machine stops for 200 ms, another disk may be the last, and an I/O elsewhere be slow.
names_slow()
{
	always=0
	never=0
	directions=write
	# Of the chunks every other one is on the slow disk, and on a mirror of it.
	case $1.$2 in
	raid0_slow.small) always='$odd' never='!$odd' ;;
	raid0_slow.large) always=1 ;;
	raid1_slow.*|raid10_slow.large) always='$write' ;;
	raid10_slow.small) always='$odd && $write' never='!$odd' ;;
	esac
	case $1 in
	raid0*|*multipath) directions="read write" ;;
	esac
	export slow slow_ns
	slow=$(cat "$shared/$1.slow")
	json "$3" '
		my ($always, $both, $slow, $wrong) = (0, 0, 0, 0);
		for (@{$j->{slowest}}) {
			my ($write, $odd) = ($_->{ddir} eq "write", $_->{offset} >> 16 & 1);
			my ($disk, $must) = ($_->{disk} // "dm-", '"$always"');
			my $is = $disk eq $ENV{slow};
			$wrong += $disk =~ /^dm-/ || $is && '"$never"' ||
				($is || $must) && $_->{stages}{device} < $ENV{slow_ns};
			$slow += $is;
			$always++, $both += $is if $must;
		}
		print "# $slow of ", scalar @{$j->{slowest}}, " have the slow disk, $both of ",
			"$always that are always there; $wrong are wrong\n";
		$slow && !$wrong && 2 * $both >= $always'
	ok $? "$suite, $1, $2: I/Os that end at the slow disk have it"
	run report --json "$3"
	for direction in $directions; do
		export direction
		json "$3" '!grep { $_->{ddir} eq $ENV{direction} && $_->{disk} ne $ENV{slow} &&
			$_->{stages}{device} >= $ENV{slow_ns} } @{$j->{slowest}}' ||
			{ skip "$suite, $1, $2: other disks were slow, too"; continue; }
		json "$out" '
			my $tail = $j->{analysis}{tail}{$ENV{direction}};
			$tail->{text} =~ / in device $ENV{slow}\b/ &&
				grep { $_->{name} eq $ENV{slow} }
				map { @{$_->{disks} // []} } @{$tail->{causes}}'
		ok $? "$suite, $1, $2: $(from_json "$out" \
			'print $j->{analysis}{tail}{$ENV{direction}}{text}')"
	done
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
	tr -s ' \n' ' ' <"$shared/doctor" | grep -q ", LVM, paths of dm-multipath, dm-crypt, \
md raid0, md raid1, md raid10"
	ok $? "$suite: doctor finds each of them"
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
