#!/usr/bin/perl
# SPDX-License-Identifier: MIT
#
# Writes the small report of a job for golden/diff.t: diff_report.pl FILE
# [variable=value]...
use strict;
use warnings;
use integer;

my $file = shift;
my %of = (
	name => 'job', group => 0, thread => 1, pid => 100, start => 1700000000, run => 'r',
	run_ns => 10000000000, scale => 1000, tail => 100, split => 0, fio => 'fio-3.33',
	depth => 32, host => 'box', clock => 'kernel', direction => 'read', failed => 0,
	facts => '', more => '');
/^(\w+)=(.*)/s and $of{$1} = $2 for @ARGV;
my $begin = $of{start} * 1000000000;

# Print a histogram of VALUE COUNT pairs, each value in a bin of its own.
sub counted {
	my ($digits, @pairs) = @_;
	my ($min, $max, $count, $sum, $squares, @bins) = ($pairs[0], 0, 0, 0, 0);
	while (my ($value, $times) = splice @pairs, 0, 2) {
		my $width = 1;
		$width *= 2 while $value / $width >= 2 * (16, 128, 1024)[$digits - 1];
		$count += $times;
		$sum += $value * $times;
		$squares += $value * $value * $times;
		$min = $value if $value < $min;
		$max = $value if $value > $max;
		push @bins, '"' . ($value / $width * $width + $width - 1) . "\": $times";
	}
	return qq({"$of{direction}": {"digits": $digits, "count": $count, "min_ns": $min, )
		. qq("max_ns": $max, "sum_ns": "$sum", "sum_squares_ns2": "$squares", "bins": {)
		. join(', ', @bins) . '}}}';
}

# Print a stage of 9000 I/Os of A ns, 900 of B, and @tail of C; or all of A.
sub stage {
	my ($name, @ns) = @_;
	my @times = @ns == 1 ? (9900 + $of{tail}) : (9000, 900, $of{tail});
	return "\"$name\": " . counted(3, map { ($ns[$_], $times[$_]) } 0 .. $#ns);
}

# Print the counts by direction.
sub counts_of {
	my %count = (ios => $_[0], errors => $_[1]);
	my $counts = '';
	for my $name (qw(ios errors short_ios zero_byte requeued unaccounted clock_went_back)) {
		my @directions = qw(read write trim);
		push @directions, 'sync' if $name !~ /short|zero/;
		$counts .= "\"$name\": {" . join(', ', map { "\"$_\": " .
			($_ eq $of{direction} && $count{$name} || 0) } @directions) . '}, ';
	}
	return $counts . '"batches": {"enters": 7, "reaps": 5, "largest_reap": 16},';
}

my $job = <<JOB;
{"name": "$of{name}", "groupid": $of{group}, "thread_number": $of{thread}, "run": "$of{run}",
"subjob_number": 0, "pid": $of{pid}, "host": "$of{host}", "start": "$begin",
"first_ns": 0, "run_ns": $of{run_ns}, "fio_version": "$of{fio}", "engine": "tickwise",
"tickwise_version": "0.1", "event_time": false, "event_wait": false, "fallback": false,
$of{more} "iodepth": $of{depth}}
JOB
my $clocks = <<CLOCKS;
"counter": {"verdict": "reliable", "reasons": []},
"clocks": {"tickwise": {"against": "CLOCK_MONOTONIC_RAW", "error_ns": 0,
"error_ppb": 0, "uncertainty_ns": 10, "uncertainty_ppb": 1, "over_ns": 10000000000,
"source": "$of{clock}"}}
CLOCKS

my @lat = map { $_ * $of{scale} / 1000 } 80000, 160000, 900000;
my @kernel_ns = map { $_ - 3000 } @lat;
# With split=most the fast I/Os are split, and the others have one stage in the kernel.
my @kernel = !$of{split} ? stage('kernel', @kernel_ns) : $of{split} eq 'most' ? (
	'"submit": ' . counted(3, 1000, 9000), '"reap": ' . counted(3, 2000, 9000),
	'"device": ' . counted(3, $kernel_ns[0] - 3000, 9000),
	'"kernel": ' . counted(3, $kernel_ns[1], 900, $kernel_ns[2], $of{tail})) :
	(stage('submit', 1000),
	stage('device', map { $_ - 3000 } @kernel_ns), stage('reap', 2000));
my $stages = join ', ', stage('queue', 2000), @kernel, stage('deliver', 1000),
	stage('lat', @lat);
open my $out, '>', $file or die "$file: $!\n";
print $out '{"schema": "tickwise-report", "version": 1, "jobs": [', $job, '], ',
	counts_of(9900 + $of{tail}, $of{failed}), "\n\"stages\": {$stages},\n",
	'"submitting_call": ', counted(3, 1500, 9900 + $of{tail}), ",\n",
	"$of{facts}\n$clocks}\n";
