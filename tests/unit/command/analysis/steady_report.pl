# SPDX-License-Identifier: MIT
#
# Writes the report of a job to stdout whose run has 100 windows of 64 ms.
#
#	perl steady_report.pl PERL
#
# PERL gives the number of reads of window $_ and the ns that each takes, such as
# `$_ < 50 ? (1000, 2e6) : (500, 4e6)`. One window in three has one more, one in three one less.

use strict;
use warnings;
use FindBin;
use JSON::PP;

require "$FindBin::Bin/../../../report_values.pl";

my $width = 64000000;
my $start = 1700000000 * 1000000000;
my $code = shift;
my (@windows, @all);

for my $i (0 .. 99) {
	my ($count, $ns) = map { $_ = $i; eval $code } $i;
	$count += $i % 3 - 1;
	push @all, $ns, $count;
	push @windows, { start => $start + $i * $width . '',
		read => histogram(1, $ns, $count) };
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
		fallback => JSON::PP::false }],
	ios => counts($ios), stages => { lat => { read => histogram(3, @all) } },
	clocks => {}, counter => { verdict => 'reliable', reasons => [] },
	slowest => [], devices => [],
	over_time => { width_ns => $width, windows => \@windows } });
