#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Behaviour: the report's times agree with fio's own where both mean the same,
# and stages add up.
# Defect: a wrong scale, stages that overlap or leave a gap, stamps at the
# wrong place.
#
# fio's lat begins before ->queue() and ends after ->getevents(), so it
# encloses our total I/O by I/O. Both are sums over the same I/Os: mean total
# <= mean lat, up to 1 ns of rounding on either side and fio's own clock,
# allowed 1e-5 of the value (its worst calibration seen under load is 7.4e-6).
. "$(dirname "$0")/fio_tap.sh"

for depth in 1 16; do
	rm -f ./*.tickwise.json
	run_fio --name=l --rw=randread --bs=4k --size=8m --iodepth="$depth" \
		--iodepth_batch_submit=$(((depth + 3) / 4)) \
		--time_based=1 --runtime=1
	ok $? "depth $depth runs"
	perl -MJSON::PP -e '
		local $/;
		open my $f, "<", "out.json"; my $fio = decode_json(<$f>);
		open my $g, "<", glob "l.1.*.tickwise.json"; my $tw = decode_json(<$g>);
		my $lat = $fio->{jobs}[0]{read}{lat_ns};
		my $total = $tw->{stages}{total}{read};
		print "# mean: fio lat $lat->{mean}, total $total->{mean_ns}\n";
		exit 1 if $total->{mean_ns} > $lat->{mean} * (1 + 1e-5) + 2;
		exit 1 if $total->{mean_ns} < $lat->{mean} / 10;
		exit 1 if $total->{max_ns} > $lat->{max} * (1 + 1e-5) + 2'
	ok $? "depth $depth: fio's lat encloses our total"
	# Three roundings to nearest for each I/O that waited, none for others.
	json l.1.*.tickwise.json 'my $s = $j->{stages};
		my $sum = sub { $s->{$_[0]}{read}{sum_ns} // 0 };
		abs($sum->("queue") + $sum->("inflight") - $sum->("total")) <=
			1.5 * ($s->{queue}{read}{count} // 0)'
	ok $? "depth $depth: queue and inflight add up to total"
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
	# Of the values at most a percentile there are as many as it says, and
	# without its own bin too few. The first and the last are exact.
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

json l.1.*.tickwise.json 'my $c = $j->{clocks};
	abs($c->{tickwise}{error_ns}) <=
		2 * $c->{tickwise}{over_ns} / 1e9 + $c->{tickwise}{uncertainty_ns}
		+ $c->{tickwise}{over_ns} * 1e-9 *
			($c->{tickwise}{rate_uncertainty_ppb} // 0) * 5'
ok $? "our clock is off CLOCK_MONOTONIC_RAW by no more than it may be"
json l.1.*.tickwise.json '$j->{clocks}{fio}{clocksource} =~ /^(cpu|clock_gettime)$/
	&& $j->{clocks}{fio}{uncertainty_ns} > 0'
ok $? "fio's clock is compared too, with the comparison's uncertainty"
done_testing
