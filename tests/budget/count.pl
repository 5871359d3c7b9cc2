#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0
#
# Compares the instructions of an I/O with the budget: see path.t.
#
#	count.pl NUMBERS KEY IOS KIND=FILE...
#
# A FILE is what callgrind wrote. Counted are the functions whose file is in core/ or plugin/,
# each with what the compiler put inline into it, and without what it calls. The same for each
# kind is in NUMBERS, by the KEY, which tells the compiler. Prints TAP. With TW_EXPECT=1 it
# writes NUMBERS.
use strict;
use warnings;
use JSON::PP;

# A sum may grow by this share, and a function by this share and this many instructions, while
# the sum grows, too. The counts are the same in each run. What is allowed is for changes that
# nobody meant to make, such as another order of members.
use constant MAY_GROW_SHARE => 0.02;
use constant MAY_GROW_INSTRUCTIONS => 0.5;

my ($path, $key, $ios, @kinds) = @ARGV;

my ($ours, $of_tests) = (qr{(^|/)(core|plugin)/}, qr{(^|/)tests/(unit|budget)/});

# functions_of(FILE): return the instructions of each function, an I/O
sub functions_of
{
	my ($file, %name, %of) = @_;
	my ($at, $function, $is_call) = ('', '', 0);

	open my $in, '<', $file or die "$file: $!\n";
	while (my $line = <$in>) {
		# A name comes with its number once, then the number alone. cfn= and the like
		# are of what is called; fi= and fe= are of what was put inline.
		if ($line =~ /^(c?)(fl|fi|fe|fn)=\((\d+)\)(?: (.*))?/) {
			my ($called, $what, $number, $text) = ($1, $2, $3, $4);
			my $names = $name{$what eq 'fn' ? 'function' : 'file'} //= {};

			$names->{$number} = $text if defined $text;
			next if $called;
			$at = $names->{$number} if $what eq 'fl';
			$function = $at =~ $ours && $at !~ $of_tests ? $names->{$number} : ''
				if $what eq 'fn';
		} elsif ($line =~ /^calls=/) {
			$is_call = 1;
		} elsif ($line =~ /^[-+*\d]\S* (\d+)/) {
			# The line after a call has what was called.
			$of{$function} += $1 / $ios if !$is_call && $function;
			$is_call = 0;
		}
	}
	# Once in many I/Os is not the path of an I/O, but a tenth of an instruction is.
	return {map { ($_ => 0 + sprintf '%.2f', $of{$_}) } grep { $of{$_} >= 0.1 } keys %of};
}

sub sum
{
	my ($functions) = @_;
	my $sum = 0;

	$sum += $_ for values %$functions;
	return $sum;
}

open my $in, '<', $path or die "$path: $!\n";
my $json = JSON::PP->new->canonical->indent->space_after;
my $numbers = $json->decode(do { local $/; <$in> });
my $budget = $numbers->{$key};
my ($test, $failed) = (0, 0);
for (@kinds) {
	my ($kind, $file) = /(.*)=(.*)/;
	my $is = functions_of($file);
	my $may = $budget->{$kind} // {};
	my ($sum, $most) = (sum($is), sum($may));
	my @grew = grep {
		my $grows = $is->{$_} - ($may->{$_} // 0);
		$grows > MAY_GROW_INSTRUCTIONS && $grows > MAY_GROW_SHARE * ($may->{$_} // 0);
	} sort keys %$is;
	my $fails = $sum > $most * (1 + MAY_GROW_SHARE) || ($sum > $most && @grew);

	$numbers->{$key}{$kind} = $is;
	next if $ENV{TW_EXPECT};
	$failed |= $fails;
	printf "%sok %d - %s: %.1f instructions an I/O, of %.1f\n", $fails ? 'not ' : '', ++$test,
		$kind, $sum, $most;
	next if !$fails;
	printf "# %s: %.2f, of %.2f\n", $_, $is->{$_}, $may->{$_} // 0 for @grew;
}
if ($ENV{TW_EXPECT}) {
	open my $out, '>', $path or die "$path: $!\n";
	print $out $json->encode($numbers);
	print "1..0 # SKIP the numbers are written\n";
	exit 0;
}
print "# If an I/O has to do more: TW_EXPECT=1 make test TEST=tests/budget/path.t writes the\n",
	"# new numbers, and the commit says why.\n" if $failed;
print "1..$test\n";
exit $failed;
