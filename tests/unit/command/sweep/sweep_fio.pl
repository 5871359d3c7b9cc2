# SPDX-License-Identifier: MIT
#
# A fio for the tests of tickwise sweep: takes no time, and writes the report of a job of reads on
# a simulated device.
#
#	perl sweep_fio.pl JOB.fio FOLDER PID
#
# The device can do 20,000 reads a second. At 16,000 one of 100 takes longer than 1 ms, and 2.7
# times as many with each 400 more. Above 20,000 all do. SWEEP_SLOWER: it is by this part slower in
# the last run, which has no rate; SWEEP_OWN: the part of the backlog that the job caused;
# SWEEP_BEHIND: at higher rates I/Os begin ever later; SWEEP_BLOCK: the job's bssplit; SWEEP_SPEED:
# all rates are multiplied by this; SWEEP_WRITES: there are as many writes, which take 10 us;
# SWEEP_IDLE: at less than 4,000 a few more are slow than 1 of 100, and from there to 6,000 all;
# SWEEP_SYNC: the time in the device is in the syncs that follow these writes;
# SWEEP_SIZE: bytes of each of the job's two files;
# SWEEP_LIMIT: without a rate, a limit holds every other I/O,
# so long that only the second of these trials shows it.
use strict;
use warnings;
use FindBin;
use JSON::PP;

require "$FindBin::Bin/../../../report_values.pl";

my ($job, $folder, $pid) = @ARGV;
my ($section, $jobs, %is) = ('', 0);
open my $file, '<', $job or die "$job: $!";
while (<$file>) {
	chomp;
	# The second job is the copy that has no rate.
	last if /^\[(.*)\]/ && ($section = $1) ne 'global' && ++$jobs > 1;
	$is{$1} = $2 if /^(\w+)=(.*)/ && $section ne 'global';
}
my $count = 0;
if (open my $before, '<', 'runs') { $count = <$before>; }
open my $runs, '>', 'runs' or die;
print $runs $count + 1;

my ($seconds, $rate) = ($is{runtime} =~ /(\d+)/ ? $1 / 1000 : 0, $is{tw_rate_iops});
$rate *= $is{numjobs} // 1 if $rate;
# How long all runs take.
my $takes = 0;
if (open my $before, '<', 'takes') { $takes = <$before>; }
open my $sum, '>', 'takes' or die;
$takes += $_ for map { ($is{$_} // 0) =~ /(\d+)/ ? $1 / 1000 : 0 } qw(startdelay ramp_time runtime);
print $sum $takes;
my $speed = $ENV{SWEEP_SPEED} // 1;
my $full = 20000 * $speed * ($count && !$rate ? 1 - ($ENV{SWEEP_SLOWER} // 0) : 1);
my $done = $rate && $rate < $full ? $rate : $full;
my $part = !$rate ? $ENV{SWEEP_LIMIT} ? 0.5 : 1 : $rate > 20000 * $speed ? 1 :
	0.01 * exp(($rate / $speed - 16000) / 400);
$part = $rate < 4000 ? 0.012 : 1 if $ENV{SWEEP_IDLE} && $rate && $rate < 6000;
my $fast_ns = $rate && $rate > ($ENV{SWEEP_BEHIND} // 1e9) ? 200000 : 100000;
my $slow_ns = !$rate && $ENV{SWEEP_LIMIT} ? 80000000 : 5000000;
my $width_s = 0.064;
$width_s *= 2 while $seconds > 128 * $width_s;
my ($width_ns, $start, $ios, $slow, @windows) = ($width_s * 1e9, 1700000000 * 1000000000 + $count * 2.048e12, 0, 0);
for my $i (1 .. int($seconds / $width_s)) {
	# A limit makes up for each delay.
	my $over = $rate ? 0 : $ENV{SWEEP_LIMIT} ? 0.5 * ($i % 2) : 0.01 * ($i * $i % 7);
	my $all = int($done * $width_s * ($i + $over)) - $ios;
	my $late = int(($ios + $all) * ($part < 1 ? $part : 1)) - $slow;

	$ios += $all;
	$slow += $late;
	push @windows, !$all ? () : { start => $start + ($i - 1) * $width_ns  . '', read => histogram(1, $all > $late ? ($fast_ns, $all - $late) : (),
			$late ? ($slow_ns, $late) : ()),
			$ENV{SWEEP_WRITES} ? (write => histogram(1, 10000, $all)) : () };
}
my $lat = histogram(3, $ios > $slow ? ($fast_ns, $ios - $slow) : (), $slow ? ($slow_ns, $slow) : ());
my $is_late = $rate && ($ENV{SWEEP_OWN} || $ENV{SWEEP_BEHIND});
my $late = histogram(3, 90000, $ios);
my @writes = $ENV{SWEEP_WRITES} ? (write => histogram(3, 10000, $ios)) : ();
my %moves = (read => 0, write => 0, trim => 0);
my $place = $ENV{SWEEP_SYNC} ? 'complete' : 'device';
open my $out, '>', "$folder/sweep.1.$pid.tickwise.json" or die "$folder: $!";
print $out JSON::PP->new->canonical->encode({
	schema => 'tickwise-report', version => 1,
	jobs => [{ name => 'sweep', groupid => 0, thread_number => 1, subjob_number => 0,
		pid => $pid, host => 'box', start => "$start", first_ns => 0,
		run_ns => scalar(@windows) * $width_ns, fio_version => 'fio-3.33',
		engine => 'tickwise', iodepth => $is{iodepth}, options => { bssplit => $ENV{SWEEP_BLOCK} // '4k/100' }, tickwise_version => '0.1',
		run => "$pid-1", event_time => JSON::PP::false, event_wait => JSON::PP::false,
		fallback => JSON::PP::false, $ENV{SWEEP_SYNC} ? (kernel => { state => 'on' }) : () }],
	ios => { %moves, read => $ios, @writes ? (write => $ios) : (), sync => 0 }, bytes => { %moves, read => 4096 * $ios },
	stages => { lat => { read => $lat, @writes }, $place => { read => $is_late ? histogram(3, 10000, $ios) : $lat, @writes },
		$is_late ? (backlog => { read => $late }) : () },
	$ENV{SWEEP_SYNC} ? (complete => { worker => { @writes } }) : (),
	$ENV{SWEEP_SIZE} ? (files => [ map +{ host => 'box', path => $_,
		size => $ENV{SWEEP_SIZE} + 0 }, 'a', 'b' ]) : (),
	$is_late ? (response => { generator_ns => int($late->{sum_ns} *
			($ENV{SWEEP_OWN} // 0)), backlog_at_end_ns => { %moves, sync => 0,
			read => $rate > ($ENV{SWEEP_BEHIND} // 1e9) ? int($seconds * 2e7) : 0 } }) : (),
	clocks => {}, counter => { verdict => 'reliable', reasons => [] },
	slowest => [], devices => [],
	over_time => { width_ns => $width_ns, windows => \@windows } });
