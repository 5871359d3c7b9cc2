# SPDX-License-Identifier: MIT
#
# Joins reads of ours with the requests that another tracer saw, and compares their
# times. kernel.sh explains how, and what the line that is printed has.
#
#	perl join.pl NAME DEPTH OURS THEIRS
#
# NAME is the tracer's. OURS and THEIRS are files of lines START_NS DEVICE_NS, in the
# order of the starts.
use strict;
use warnings;

# read_file NAME: returns its lines as [START_NS, DEVICE_NS]
sub read_file
{
	my ($name) = @_;
	open my $file, "<", $name or die "$name: $!\n";
	return [map { [split] } <$file>];
}

# at SHARE NUMBER...: returns the quantile
sub at
{
	my ($share, @number) = @_;
	return (sort { $a <=> $b } @number)[$#number * $share];
}

sub distance
{
	my ($one, $other, $shift) = @_;
	return abs($one->[0] - $other->[0] - $shift);
}

# nearest FROM TO SHIFT: returns for each of FROM the place of the nearest start in TO
sub nearest
{
	my ($from, $to, $shift) = @_;
	my ($i, @place) = 0;
	for my $f (@$from) {
		$i++ while $i < $#$to && distance($to->[$i + 1], $f, $shift) <
			distance($to->[$i], $f, $shift);
		push @place, $i;
	}
	return @place;
}

# pairs OUR THEIR SHIFT: returns the pairs of which each is the nearest to the other,
# as [OURS, THEIRS]
sub pairs
{
	my ($our, $their, $shift) = @_;
	my @theirs = nearest($our, $their, $shift);
	my @ours = nearest($their, $our, -$shift);
	my @pair;
	for my $i (0 .. $#$our) {
		my $other = $their->[$theirs[$i]];
		push @pair, [$our->[$i], $other] if $ours[$theirs[$i]] == $i &&
			distance($other, $our->[$i], $shift) <= 5000;
	}
	return @pair;
}

# best_shift OUR THEIR: returns how much later their times began, in ns: what joins
# the most, of the distances between the first ten of both
sub best_shift
{
	my ($our, $their) = @_;
	my ($best, $joined) = (0, -1);
	my @first = grep { defined } (@$our)[0 .. 9];
	for my $t (grep { defined } (@$their)[0 .. 9]) {
		for my $o (@first) {
			my $shift = $t->[0] - $o->[0];
			my $count = pairs($our, $their, $shift);
			($best, $joined) = ($shift, $count) if $count > $joined;
		}
	}
	return $best;
}

my ($name, $depth, $our_file, $their_file) = @ARGV;
my $our = read_file($our_file);
my $their = read_file($their_file);
printf "depth %-3d %-15s %d reads, ours %d, ", $depth, $name,
	scalar @$their, scalar @$our;
if (!@$their || !@$our) {
	print "nothing to compare\n";
	exit;
}
# These two have the time of our stamps.
my $shift = $name =~ /^(blk|bpftrace-script)$/ ? 0 : best_shift($our, $their);
my @pair = pairs($our, $their, $shift);
printf "joined %d: ", scalar @pair;
if (!@pair) {
	print "nothing to compare\n";
	exit;
}
my @start_us = map { ($_->[1][0] - $shift - $_->[0][0]) / 1e3 } @pair;
my @off_us = map { ($_->[1][1] - $_->[0][1]) / 1e3 } @pair;
printf "starts p1 %+.2f, p99 %+.2f; device %.1f us, ours %.1f, " .
	"difference %+.2f, p1 %+.2f, p99 %+.2f\n",
	at(.01, @start_us), at(.99, @start_us),
	at(.5, map { $_->[1][1] / 1e3 } @pair),
	at(.5, map { $_->[0][1] / 1e3 } @pair),
	map { at($_, @off_us) } .5, .01, .99;
