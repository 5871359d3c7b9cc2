# SPDX-License-Identifier: MIT
#
# Joins reads of ours with the requests that another tracer saw, and compares their
# times. kernel.sh explains how, and what the line that is printed has.
#
#	perl join.pl NAME DEPTH OURS THEIRS
#
# NAME is the tracer's. OURS and THEIRS are files of lines START_NS DEVICE_NS, in the
# order of the starts.

my ($name, $depth, @file) = @ARGV;
my ($our, $their) = map { open my $f, "<", $_ or die;
	[map { [split] } <$f>] } @file;
sub at { my ($share, @v) = @_; @v = sort { $a <=> $b } @v;
	$v[$#v * $share] }
# For each of @$from the place of the nearest start among @$to.
sub nearest {
	my ($from, $to, $shift) = @_;
	my $i = 0;
	sub off { abs($_[0][0] - $_[1][0] - $_[2]) }
	return map { my $f = $_;
		$i++ while $i < $#$to && off($to->[$i + 1], $f, $shift) <
			off($to->[$i], $f, $shift);
		$i } @$from;
}
# Pairs of which each is the nearest to the other.
sub pairs {
	my ($shift) = @_;
	my @t = nearest($our, $their, $shift);
	my @o = nearest($their, $our, -$shift);
	return [map { [$our->[$_], $their->[$t[$_]]] }
		grep { $o[$t[$_]] == $_ && off($their->[$t[$_]],
			$our->[$_], $shift) <= 5000 } 0 .. $#$our];
}
printf "depth %-3d %-15s %d reads, ours %d, ", $depth, $name,
	scalar @$their, scalar @$our;
if (!@$their || !@$our) { print "nothing to compare\n"; exit }
my $shift = 0;
if ($name !~ /^(blk|bpftrace-script)$/) {
	my %joined;
	for my $t (grep { $_ } @$their[0 .. 9]) {
		for my $o (grep { $_ } @$our[0 .. 9]) {
			my $try = $t->[0] - $o->[0];
			$joined{$try} = @{pairs($try)};
		}
	}
	($shift) = sort { $joined{$b} <=> $joined{$a} } keys %joined;
}
my $pair = pairs($shift);
printf "joined %d: ", scalar @$pair;
if (!@$pair) { print "nothing to compare\n"; exit }
my @start = map { ($_->[1][0] - $shift - $_->[0][0]) / 1e3 } @$pair;
my @off = map { ($_->[1][1] - $_->[0][1]) / 1e3 } @$pair;
printf "starts p1 %+.2f, p99 %+.2f; device %.1f us, ours %.1f, " .
	"difference %+.2f, p1 %+.2f, p99 %+.2f\n",
	at(.01, @start), at(.99, @start),
	at(.5, map { $_->[1][1] / 1e3 } @$pair),
	at(.5, map { $_->[0][1] / 1e3 } @$pair),
	map { at($_, @off) } .5, .01, .99;
