# SPDX-License-Identifier: MIT
#
# A fio for the tests of tickwise sweep: takes no time, and writes the report of a job of reads on
# a simulated device.
#
#	perl sweep_fio.pl JOB.fio FOLDER PID
#
# The device can do 20,000 reads a second. At 16,000 one of 100 takes longer than 1 ms, and 2.7
# times as many with each 400 more. Above 20,000 all do. SWEEP_SLOWER: it is by this part slower in
# the last run, which has no rate; SWEEP_OWN: the part of the backlog that the job caused.
use strict;
use warnings;
use FindBin;
use JSON::PP;

require "$FindBin::Bin/../../../report_values.pl";

my ($job, $folder, $pid) = @ARGV;
my ($section, %is) = ('');
open my $file, '<', $job or die "$job: $!";
while (<$file>) {
	chomp;
	$section = $1 if /^\[(.*)\]/;
	$is{$1} = $2 if /^(\w+)=(.*)/ && $section !~ /^(global|burst)/;
}
my $count = 0;
if (open my $before, '<', 'runs') { $count = <$before>; }
open my $runs, '>', 'runs' or die;
print $runs $count + 1;

my ($seconds, $rate) = ($is{runtime} =~ /(\d+)/ ? $1 / 1000 : 0, $is{tw_rate_iops});
my $full = 20000 * ($count && !$rate ? 1 - ($ENV{SWEEP_SLOWER} // 0) : 1);
my $done = $rate && $rate < $full ? $rate : $full;
my $part = !$rate ? 1 : $rate > 20000 ? 1 : 0.01 * exp(($rate - 16000) / 400);
my ($width_ns, $start, $ios, $slow, @windows) = (64e6, 1700000000 * 1000000000 + $count * 1e12, 0, 0);
for my $i (1 .. int($seconds / 0.064)) {
	my $all = int($done * 0.064 * $i) - $ios;
	my $late = int($done * 0.064 * $i * ($part < 1 ? $part : 1)) - $slow;

	$ios += $all;
	$slow += $late;
	push @windows, { start => $start + ($i - 1) * $width_ns . '', read => histogram(1,
		$all > $late ? (100000, $all - $late) : (), $late ? (5000000, $late) : ()) };
}
my $lat = histogram(3, $ios > $slow ? (100000, $ios - $slow) : (), $slow ? (5000000, $slow) : ());
my $late = histogram(3, 4000000, $ios);
my %moves = (read => 0, write => 0, trim => 0);
open my $out, '>', "$folder/sweep.1.$pid.tickwise.json" or die "$folder: $!";
print $out JSON::PP->new->canonical->encode({
	schema => 'tickwise-report', version => 1,
	jobs => [{ name => 'sweep', groupid => 0, thread_number => 1, subjob_number => 0,
		pid => $pid, host => 'box', start => "$start", first_ns => 0,
		run_ns => scalar(@windows) * $width_ns, fio_version => 'fio-3.33',
		engine => 'tickwise', iodepth => $is{iodepth}, tickwise_version => '0.1',
		run => "$pid-1", event_time => JSON::PP::false, event_wait => JSON::PP::false,
		fallback => JSON::PP::false }],
	ios => { %moves, read => $ios, sync => 0 }, bytes => { %moves, read => 4096 * $ios },
	stages => { lat => { read => $lat }, device => { read => $lat } },
	$rate && $ENV{SWEEP_OWN} ? (response => { backlog => { read => $late },
		generator_ns => int($late->{sum_ns} * $ENV{SWEEP_OWN}) }) : (),
	clocks => {}, counter => { verdict => 'reliable', reasons => [] },
	slowest => [], devices => [],
	over_time => { width_ns => $width_ns, windows => \@windows } });
