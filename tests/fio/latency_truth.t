#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Behaviour: the report's times agree with fio's own where both mean the same,
# and stages add up.
# Defect: a wrong scale, stages that overlap or leave a gap, stamps at the
# wrong place.
#
# Our lat begins at the end of ->prep(), and fio reads its start time next. It ends
# where ->getevents() returns, and fio reads its clock after that. In simulated time
# (preload/ring_device.c) only readings of the clock are in between, 10 ns each: at
# most ten at the beginning, and at the end at most ten for each I/O of a batch. The
# arithmetic of the report is tested with the counter, too: it holds for any times.
. "$(dirname "$0")/fio_tap.sh"
need ring_device

for depth in 1 16; do
	batch=$(((depth + 3) / 4))
	rm -f ./*.tickwise.json
	on_device DEVICE_SERIAL_US=50 "external:$TICKWISE_SO" --name=l \
		--rw=randread --bs=4k --size=8m --iodepth="$depth" \
		--iodepth_batch_submit=$batch
	ok $? "depth $depth runs"
	perl -MJSON::PP -e '
		local $/;
		open my $f, "<", "out.json"; my $fio = decode_json(<$f>);
		open my $g, "<", glob "l.1.*.tickwise.json"; my $tw = decode_json(<$g>);
		my $lat = $fio->{jobs}[0]{read}{lat_ns};
		my $ours = $tw->{stages}{lat}{read};
		my $more = 100 * shift;
		print "# mean: fio lat $lat->{mean}, ours $ours->{mean_ns}\n";
		for ([$lat->{mean}, $ours->{mean_ns}],
		     [$lat->{min}, $ours->{min_ns}],
		     [$lat->{max}, $ours->{max_ns}]) {
			my $off = $_->[0] - $_->[1];
			exit 1 if $off < -100 || $off > $more;
		}' $batch
	ok $? "depth $depth: fio's lat is ours"
	json l.1.*.tickwise.json '
		$j->{stages}{kernel}{read}{min_ns} >= 50000 &&
		$j->{ios}{read} == 2048'
	ok $? "depth $depth: kernel is the device's time, or more"

	rm -f ./*.tickwise.json
	run_fio --name=l --rw=randread --bs=4k --size=8m --iodepth="$depth" \
		--iodepth_batch_submit=$batch --loops=4
	ok $? "depth $depth runs, in real time"
	json l.1.*.tickwise.json 'my $s = $j->{stages};
		my $lat = $s->{lat}{read};
		my $sum = 0;
		$sum += $s->{$_}{read}{sum_ns} for grep { $_ ne "lat" } keys %$s;
		# Each I/O has kernel, or the stages that replace it.
		my ($whole, $split) = map { $s->{$_}{read}{count} // 0 }
			"kernel", "device";
		$sum == $lat->{sum_ns} && $whole + $split == $lat->{count} &&
			!grep { $s->{$_}{read}{count} != $lat->{count} }
				"queue", "deliver"'
	ok $? "depth $depth: the stages of all I/Os add up to lat"
	json l.1.*.tickwise.json 'my $s = $j->{stages}; my $fine = 1;
		for my $h (map { $_->{read} } values %$s) {
			my $n = 0;
			$n += $_ for values %{$h->{bins}};
			$fine = 0 if $n != $h->{count};
		}
		while ($text =~ /"bins": \{([^}]*)\}/g) {
			my $before = -1;
			for my $ns ($1 =~ /"(\d+)":/g) {
				$fine = 0 if $ns <= $before;
				$before = $ns;
			}
		}
		$fine && $text =~ /"bins": \{"/'
	ok $? "depth $depth: bins ascend and add up to the count"
	# The values up to a percentile are as many as it promises, and too few
	# without its own bin. The first and the last are exact.
	json l.1.*.tickwise.json 'my $s = $j->{stages}; my $fine = 1;
		for my $h (map { $_->{read} } values %$s) {
			my @ns = sort { $a <=> $b } keys %{$h->{bins}};
			my $p = $h->{percentiles};
			for my $percent (keys %$p) {
				my $rank = int($percent * 1e6 + .5);
				my ($at, $n) = (-1, 0);

				$rank *= $h->{count};
				$n += $h->{bins}{$ns[++$at]}
					while $n * 1e8 < $rank && $at < $#ns;
				my $ns = $rank <= 1e8 ? $h->{min_ns} :
					$at == $#ns ? $h->{max_ns} : $ns[$at];
				$fine = 0 if $p->{$percent} != $ns;
			}
		}
		$fine'
	ok $? "depth $depth: the percentiles are those of the bins"
done

json l.1.*.tickwise.json '$j->{clocks}{fio}{clocksource} =~ /^(cpu|clock_gettime)$/
	&& $j->{clocks}{fio}{uncertainty_ns} > 0'
ok $? "fio's clock is compared too, with the comparison's uncertainty"
done_testing
