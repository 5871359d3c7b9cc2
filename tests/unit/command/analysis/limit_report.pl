# SPDX-License-Identifier: MIT
#
# Writes the report of a job to stdout whose I/Os have a shape over 100 windows of 64 ms.
#
#	perl limit_report.pl SHAPE
#
# Nothing is random but what a generator with a fixed seed gives.

use strict;
use warnings;
use FindBin;
use JSON::PP;

require "$FindBin::Bin/../../../report_values.pl";

my ($width_ns, $start, $shape) = (64e6, 1700000000 * 1000000000, shift);
my $seed = 1;
sub chance { return ($seed = $seed * 16807 % 2147483647) / 2147483647 }

# bucket(RATE, SPEED, DEPTH): 100 ms have tokens for RATE / 10 I/Os. SPEED a second pass, then
# DEPTH are held until the 100 ms are over.
sub bucket {
	my ($rate, $speed, $depth) = @_;
	my $held_ns = int(1e8 * (1 - $rate / $speed));
	my $ended = sub {
		my ($slices, $ios) = (int($_[0] / 100), int($_[0] % 100 * $speed / 1000));
		return $slices * $rate / 10 + ($ios < $rate / 10 ? $ios : $rate / 10);
	};
	return map {
		my $ios = $ended->(64 * ($_ + 1)) - $ended->(64 * $_);
		my $held = (int(0.64 * ($_ + 1)) - int(0.64 * $_)) * $depth;
		$held = $ios if $ios < $held;
		[100000, $ios - $held, $held_ns, $held];
	} 0 .. 99;
}

# stalls(SPEED, SHARE): a device that stops for 50 ms at random times, which are SHARE of all
sub stalls {
	my ($speed, $share) = @_;
	my ($until, $stalled) = (0, 0);
	return map {
		my ($ios, $held) = (0, 0);
		for my $ms (0 .. 63) {
			$stalled = $stalled > 0 ? $stalled - 1 :
				chance() < $share / (1 - $share) / 50 ? 50 : 0;
			$held += $stalled == 50;
			$ios += $speed / 1000 unless $stalled;
		}
		[100000, $ios, 50000000, $held * 8];
	} 0 .. 99;
}

my @spread = map { 1000000 * $_, 10 } 1 .. 20;
my %shapes = (
	bucket => sub { bucket(3000, 6000, 16) },
	slow => sub { bucket(500, 6000, 1) },
	near => sub { bucket(3000, 3600, 4) },
	rated => sub { bucket(3000, 6000, 16) },
	behind => sub { bucket(3000, 6000, 16) },
	job => sub { bucket(3000, 6000, 16) },
	shared => sub { bucket(3000, 6000, 16) },
	# Something else takes 15 % of the begin.
	disturbed => sub {
		my @windows = bucket(3000, 6000, 16);
		$windows[$_][1] = int($windows[$_][1] / 2) for 5 .. 24;
		@windows;
	},
	# 2 s at 10000, then each of 16 waits for a token of its own.
	burst => sub { map { $_ < 30 ? [100000, 640] : [15980000, 64 + ($_ % 3 - 1)] } 0 .. 99 },
	# The same without a burst: the device has this time.
	paced => sub { map { [15980000, 64 + ($_ % 3 - 1)] } 0 .. 99 },
	constant => sub { map { [66000, 960 + ($_ % 3 - 1)] } 0 .. 99 },
	full => sub { map { [@spread] } 0 .. 99 },
	# A flat device with 1 of 50 I/Os in its cache, from begin to end.
	cached => sub { map { [20000, 2, 10000000, 98] } 0 .. 99 },
	# A full queue that was short at the begin.
	filled => sub { map { $_ < 3 ? [100000, 200] : [@spread] } 0 .. 99 },
	stalls => sub { stalls(6000, 0.5) },
	few_stalls => sub { map { [3400000, $_ % 10 > 6 ? 0 : 300,
		$_ % 10 == 6 ? (200000000, 16) : ()] } 0 .. 99 },
);
# Reads; of the limit that is shared, a half at random.
my (@windows, @all, @written, @write_windows);
my $i = 0;

for my $window ($shapes{$shape}->()) {
	my @values = @$window;

	while (my ($ns, $count) = splice @values, 0, 2) {
		my $writes = 0;

		if ($shape eq 'shared') {
			$writes += chance() < 0.5 for 1 .. $count;
			push @written, $ns, $writes if $writes;
			push @{$write_windows[$i]}, $ns, $writes if $writes;
			$count -= $writes;
		}
		push @all, $ns, $count if $count;
		push @{$windows[$i]}, $ns, $count if $count;
	}
	$i++;
}
my %lat = (read => histogram(3, @all), @written ? (write => histogram(3, @written)) : ());
my %ios = (read => $lat{read}{count}, write => @written ? $lat{write}{count} : 0, trim => 0);
my %rated = (rated => 1000000, behind => 2000000000);
# Half of lat.
my $deliver = histogram(3, map { $_ % 2 ? $all[$_] : $all[$_] / 2 } 0 .. $#all);
print JSON::PP->new->canonical->encode({
	schema => 'tickwise-report', version => 1,
	jobs => [{ name => $shape, groupid => 0, thread_number => 1, subjob_number => 0,
		pid => 100, host => 'box', start => "$start", first_ns => 0,
		run_ns => 100 * $width_ns, fio_version => 'fio-3.33', engine => 'tickwise',
		iodepth => 16, tickwise_version => '0.1', run => 'box-7',
		event_time => JSON::PP::false, event_wait => JSON::PP::false,
		fallback => JSON::PP::false }],
	ios => { %ios, sync => 0 }, bytes => { map { $_ => 4096 * $ios{$_} } keys %ios },
	stages => { lat => \%lat, $shape eq 'job' ? (deliver => { read => $deliver }) : () },
	$rated{$shape} ? (response => { backlog_at_end_ns =>
		{ read => $rated{$shape}, write => 0, trim => 0 } }) : (),
	clocks => {}, counter => { verdict => 'reliable', reasons => [] },
	slowest => [], devices => [],
	over_time => { width_ns => $width_ns, windows => [map { $windows[$_] ? {
		start => $start + $_ * $width_ns . '',
		read => histogram(1, @{$windows[$_]}), $write_windows[$_] ?
			(write => histogram(1, @{$write_windows[$_]})) : () } : () } 0 .. 99] } });
