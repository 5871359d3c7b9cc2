# SPDX-License-Identifier: MIT
#
# Values of reports, for the scripts that write some: histograms and counts.

use strict;
use warnings;

# Return the last nanosecond of the bin.
sub last_of {
	my ($digits, $value) = @_;
	my $bins = (0, 16, 128, 1024)[$digits];
	my $width = 1;

	$width *= 2 while int($value / $width) >= 2 * $bins;
	return int($value / $width) * $width + $width - 1;
}

# Make a histogram: VALUE => COUNT...
sub histogram {
	my ($digits, @values) = @_;
	my ($count, $sum, $squares, %bins, @sorted) = (0, 0, 0);

	while (my ($value, $times) = splice @values, 0, 2) {
		$count += $times;
		$sum += $value * $times;
		$squares += $value * $value * $times;
		$bins{last_of($digits, $value)} += $times;
		push @sorted, $value;
	}
	@sorted = sort { $a <=> $b } @sorted;
	return { digits => $digits, count => $count, min_ns => $sorted[0],
		max_ns => $sorted[-1], sum_ns => "$sum", sum_squares_ns2 =>
			$squares < 2 ** 64 ? "$squares" : sprintf("%.0f", $squares),
		bins => \%bins };
}

sub counts { return { read => $_[0], write => 0, trim => 0, sync => 0 } }

1;
