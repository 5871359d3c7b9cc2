#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Behaviour: 100,000 I/Os in all, direct ones at depth 1 and 32 and from 4 kB to 8
# MB, and reads from the page cache. Prints how many are split inside the kernel,
# where their time went, and how far the kernel's clock and the engine's can be
# apart. Fails if stages do not add up to lat, or if a lat is not fio's. Fails also
# if a stage is negative by more than that error where the counter is reliable.
# Defect: an error that does not hold, stamps of another I/O, time that is in two
# stages or in none.
#
# TW_IOS=1000000 does a million. A device that needs longer than 20 seconds (200 for
# a million) for a job's I/Os does fewer.
. "$(dirname "$0")/../fio/fio_tap.sh"
. "$root/tests/fio/kernel_tap.sh"

kernel_is_on || skip_all "no program in the kernel here: $off_why"
find_disk
[ -n "$disk" ] || skip_all "direct I/O is not split here:$reasons"
head -c 67108864 /dev/zero >"$disk/data"
sync "$disk/data"
ios=${TW_IOS:-100000}
total=0

# job NAME PERCENT ARGUMENT...: runs a job with this percentage of all I/Os
job()
{
	name=$1
	count=$((ios * $2 / 100))
	shift 2
	run_fio --name=k --filename="$disk/data" --bs=4k --size=64m \
		--rw=randread --direct=1 --norandommap=1 --iodepth=1 \
		--number_ios=$count --io_size=100t \
		--runtime=$((ios / 5000))s --tw_kernel=auto --tw_kernel_every=1 \
		--tw_slowest=1000 --tw_report=k.json "$@" || sed 's/^/# /' err
	from_json k.json "$kernel_perl"'
		my $k = $j->{kernel_stages};
		my ($ios, $split) = (sum($j->{ios}), sum($k->{split}));
		printf "# '"$name"': %d I/Os, %.3f %% split; no request %d, " .
			"missing stamp %d, no stamps %d\n", $ios,
			100 * $split / $ios, map { not_split($_) }
			"no_request", "missing_stamp", "no_stamps";
		printf "# clocks known to %d ns; negative within that %d, " .
			"beyond %d; requests %d, retries %d; counter: %s\n",
			$k->{clock_error_ns}, $k->{negative_within},
			$k->{negative_beyond}, $k->{requests}, $k->{retries},
			$j->{counter}{verdict};
		my $lat = $j->{stages}{lat}{read};
		for my $stage ("queue", @inside, "kernel", "deliver", "lat") {
			my $s = $j->{stages}{$stage}{read} or next;
			printf "# %-8s of %7d: mean %8.0f ns, %5.1f %%\n",
				$stage, $s->{count}, $s->{sum_ns} / $s->{count},
				100 * $s->{sum_ns} / $lat->{sum_ns};
		}'
	total=$((total + $(from_json k.json "$kernel_perl"' print sum($j->{ios})')))
	works "$name: the stages add up to lat" json k.json "$kernel_perl"'
		my $s = $j->{stages};
		my @inside_and = (@inside, "kernel", "queue", "deliver");
		sum($j->{ios}) > 0 && $s->{lat}{read}{sum_ns} ==
			sum({map { ($_ => $s->{$_}{read}{sum_ns} // 0) }
				@inside_and}) &&
		!grep { my %stage = %{$_->{stages}}; my $lat = delete $stage{lat};
			sum(\%stage) != $lat } @{$j->{slowest}}'
	if json k.json "$kernel_perl"'
		$j->{kernel_stages}{negative_beyond} && !trusted()'; then
		skip "$name: the counter is not known to be reliable"
		return
	fi
	json k.json '$j->{kernel_stages}{negative_beyond} == 0'
	ok $? "$name: no stage is negative by more than the error"
}

job 'depth 1' 20
job 'depth 32' 50 --iodepth=32
job '4 kB to 8 MB' 2 --iodepth=4 --bssplit=4k/55:64k/25:1m/15:8m/5
job 'page cache' 28 --tw_kernel=require --direct=0 --iodepth=32
echo "# $total I/Os in all"
done_testing
