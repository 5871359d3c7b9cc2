#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Behaviour: of 100,000 direct I/Os each, at depth 1 and 32, how many are split inside
# the kernel, where their time went, and how far the kernel's clock and the engine's
# can be apart. A failure is a stage that is negative by more than that error where
# the counter is reliable, or stages that do not add up to lat.
# Defect: an error that does not hold, stamps of another I/O.
#
# A device that needs longer than 20 seconds for them does fewer.
. "$(dirname "$0")/../fio/fio_tap.sh"
. "$root/tests/fio/kernel_tap.sh"

if ! kernel_is_on; then
	echo "1..0 # SKIP no program in the kernel here: $off_why"
	exit 0
fi
find_disk
if [ -z "$disk" ]; then
	echo "1..0 # SKIP direct I/O is not split here:$reasons"
	exit 0
fi
head -c 67108864 /dev/zero >"$disk/data"
sync "$disk/data"

for depth in 1 32; do
	run_fio --name=k --filename="$disk/data" --bs=4k --size=64m \
		--rw=randread --direct=1 --norandommap=1 --iodepth=$depth \
		--io_size=409600000 --runtime=20 --tw_kernel=auto \
		--tw_slowest=1000 --tw_report=k.json || sed 's/^/# /' err
	from_json k.json "$kernel_perl"'
		my $k = $j->{kernel_stages};
		my ($ios, $split) = (sum($j->{ios}), sum($k->{split}));
		printf "# depth '$depth': %d I/Os, %.3f %% split; no request %d, " .
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
			printf "# %-8s mean %8.0f ns, %5.1f %%\n", $stage,
				$s->{sum_ns} / $s->{count},
				100 * $s->{sum_ns} / $lat->{sum_ns};
		}'
	json k.json "$kernel_perl"'
		my $s = $j->{stages};
		my @inside_and = (@inside, "kernel", "queue", "deliver");
		sum($j->{ios}) > 0 && $s->{lat}{read}{sum_ns} ==
			sum({map { ($_ => $s->{$_}{read}{sum_ns} // 0) }
				@inside_and}) &&
		!grep { my %stage = %{$_->{stages}}; my $lat = delete $stage{lat};
			sum(\%stage) != $lat } @{$j->{slowest}}'
	ok $? "depth $depth: the stages add up to lat"
	if json k.json "$kernel_perl"'
		$j->{kernel_stages}{negative_beyond} && !trusted()'; then
		skip "depth $depth: the counter is not known to be reliable"
		continue
	fi
	json k.json '$j->{kernel_stages}{negative_beyond} == 0'
	ok $? "depth $depth: no stage is negative by more than the error"
done
done_testing
