# SPDX-License-Identifier: MIT
#
# Writes the report of a job to stdout whose run has 100 windows of 64 ms.
#
#	perl steady_report.pl PERL [SAMPLE]
#
# PERL gives the number of reads of window $_ and the ns that each takes, such as
# `$_ < 50 ? (1000, 2e6) : (500, 4e6)`. One window in three has one more, one in three one less.
# Each moves 4096 bytes, on the disk vda of a machine with 2 CPUs. SAMPLE gives what others do in
# the 100 ms before sample $_: the part of all CPUs' time that is stolen, the part that they have,
# and bytes that they move.

use strict;
use warnings;
use FindBin;
use JSON::PP;

require "$FindBin::Bin/../../../report_values.pl";

my $width = 64000000;
my $start = 1700000000 * 1000000000;
my ($code, $sample) = @ARGV;
my (@windows, @all);

for my $i (0 .. 99) {
	my ($count, $ns) = map { $_ = $i; eval $code } $i;
	$count += $i % 3 - 1 if $count;
	push @all, $ns, $count if $count;
	push @windows, { start => $start + $i * $width . '',
		read => histogram(1, $ns, $count) } if $count;
}

# The sums, from the first sample 50 ms after the start on.
my (%samples, @sums);
for my $i (0 .. ($sample ? 63 : -1)) {
	my ($stolen, $cpu, $bytes) = map { $_ = $i; eval $sample } $i;
	my ($from, $to) = map { $_ * 0.1 + 0.05 } $i - 1, $i;
	@sums = (0, 0, 0, 0) unless $i;
	if ($i) {
		$sums[1] += $stolen * 2e8;
		$sums[2] += $cpu * 2e8;
		$sums[3] += $bytes;
		for my $j (0 .. 99) {
			my $begin = $j * $width / 1e9;
			my $end = $begin + $width / 1e9;
			my $in = ($end < $to ? $end : $to) - ($begin > $from ? $begin : $from);
			$sums[3] += 4096 * $windows[$j]{read}{count} * $in / ($end - $begin)
				if $in > 0;
		}
	}
	$sums[0] = $to * 1e9;
	push @{$samples{(qw(at_ns stolen_ns cpu_of_others_ns disk_bytes))[$_]}}, int($sums[$_] + 0.5)
		for 0 .. 3;
}
my $ios = 0;
$ios += $_->{read}{count} for @windows;
print JSON::PP->new->canonical->encode({
	schema => 'tickwise-report', version => 1,
	jobs => [{ name => 'steady', groupid => 0, thread_number => 1, subjob_number => 0,
		pid => 100, host => 'box', start => "$start", first_ns => 0,
		run_ns => 100 * $width, fio_version => 'fio-3.33', engine => 'tickwise',
		iodepth => 1, tickwise_version => '0.1', run => 'box-7',
		event_time => JSON::PP::false, event_wait => JSON::PP::false,
		fallback => JSON::PP::false,
		$sample ? (machine_over_time => { cpus => 2, disk => 'vda', %samples }) : () }],
	ios => counts($ios), stages => { lat => { read => histogram(3, @all) } },
	clocks => {}, counter => { verdict => 'reliable', reasons => [] },
	bytes => { read => 4096 * $ios, write => 0, trim => 0 }, slowest => [],
	devices => [{ host => 'box', device => '254:0', name => 'vda' }],
	over_time => { width_ns => $width, windows => \@windows } });
