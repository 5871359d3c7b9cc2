#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Measures how long `tickwise report` takes to merge many reports. The files are
# made first, then three warm runs read them for each kind of output. The fastest
# run counts: reading files again that other programs have displaced from memory is
# no part of merging.
#
#	tests/bench/report_merge.sh [REPORTS [BINS]]
#
# A report is one of a mixed job: the stages, lat and the submitting call for reads
# and for writes, 64 slowest I/Os, 60 seconds. It has some BINS bins in all (4000 by
# default). Prints what was read and the times.
set -eu

reports=${1:-1000}
bins=${2:-4000}
tickwise=${TICKWISE:-build/tickwise}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT TERM

perl - "$reports" "$bins" "$scratch" <<'END'
use strict;
use warnings;

my ($reports, $bins, $directory) = @ARGV;
my @names = qw(read write trim sync);
# The smallest time of each, in ns, and its part of the bins. The stages are of the
# same I/Os, in the same order, and lat is their sum.
my %times = (queue => [200, 1], kernel => [90000, 4], deliver => [900, 1],
	submitting_call => [2500, 1]);

# Bins as the engine's with 3 digits: 1024 bins to an octave.
sub edges {
	my $value = shift;
	my $octave = 0;

	$octave++ while ($value >> $octave) >= 2048;
	my $low = ($value >> $octave) << $octave;
	return ($low, $low + (1 << $octave) - 1);
}

# Make a value for each I/O, from as many bins.
sub spread {
	my ($from, $many, $all) = @_;
	my @lows;

	for (1 .. $many) {
		my ($low, $high) = edges($from);

		push @lows, $low;
		$from = $high + 1;
	}
	return [ map { $lows[$_ * $many / $all] } 0 .. $all - 1 ];
}

sub histogram {
	my ($values) = @_;
	my ($count, $sum, %bins) = (scalar @$values, 0);
	my ($min, $max) = ($values->[0], $values->[-1]);

	for my $value (@$values) {
		$sum += $value;
		$bins{$value}++;
	}
	# Values of one bin are counted together.
	my %of;
	for my $value (keys %bins) {
		$of{(edges($value))[1]} += $bins{$value};
	}
	my @text = map { "\"$_\": $of{$_}" } sort { $a <=> $b } keys %of;

	return sprintf('{"digits": 3, "count": %d, "min_ns": %d, "max_ns": %d, ' .
		'"mean_ns": %.17g, "stddev_ns": 1.0, "sum_ns": "%d", ' .
		'"percentiles": {%s}, "bins": {%s}}', $count, $min, $max,
		$sum / $count, $sum,
		join(', ', map { sprintf '"%f": %d', $_, $max }
			(1, 5, 10, 20, 30, 40, 50, 60, 70, 80, 90, 95, 99,
			 99.5, 99.9, 99.95, 99.99, 99.999)),
		join(', ', @text));
}

sub counts {
	my @values = @_;
	return '{' . join(', ', map { "\"$names[$_]\": " . ($values[$_] // 0) }
		0 .. 3) . '}';
}

# Make a dozen different ones: making them takes longer than reading them.
my $ios = 20 * $bins;
my @variants;
for my $variant (0 .. 11) {
	my %values = map { my ($from, $part) = @{$times{$_}};
		$_ => spread($from + 7 * $variant, int($bins * $part / 20), $ios)
		} keys %times;
	my $queue = $values{queue};

	$values{lat} = [ map { $queue->[$_] + $values{kernel}[$_] +
		$values{deliver}[$_] } 0 .. $ios - 1 ];
	my %text = map { my $json = histogram($values{$_});
		$_ => "{\"read\": $json, \"write\": $json}" } keys %values;

	push @variants, '"stages": {' . join(', ', map { "\"$_\": $text{$_}" }
		qw(queue kernel deliver lat)) . "},\n" .
		"\"submitting_call\": $text{submitting_call}";
}
my $over_time = join(', ', map { my $from = $_ * 1000000000;
	sprintf('{"from_ns": %d, "over_ns": 1000000000, %s}', $from,
		join(', ', map { "\"$_\": {\"count\": 1000, \"sum_ns\": " .
			'90000000, "min_ns": 80000, "max_ns": 900000, ' .
			'"percentiles": {"99.000000": 400000}}' }
			qw(read write))) } 0 .. 59);
for my $i (1 .. $reports) {
	my $zero = counts();
	my $slowest = join(', ', map { my $lat = 5000000 + 1000 * $_ + $i;
		sprintf('{"offset": %d, "size": 4096, "ddir": "read", ' .
			'"ticks": "%d", "raw_ns": "%d", "monotonic_ns": "%d", ' .
			'"submitting_call_ns": 2500, "stages": {"queue": 200, ' .
			'"kernel": %d, "deliver": 900, "lat": %d}}',
			4096 * $_, 1e15 + $_, 1e14 + $_, 1e14 + $_,
			$lat - 1100, $lat) } 1 .. 64);
	my $counts = counts($ios, $ios);
	my $clock = '"against": "CLOCK_MONOTONIC_RAW", "error_ns": -2516.0, ' .
		'"error_ppb": -250.2, "uncertainty_ns": 108.5, ' .
		'"uncertainty_ppb": 10.79, "over_ns": 60000000000';

	open my $file, '>', "$directory/job.$i.json" or die $!;
	print $file <<"REPORT";
{"schema": "tickwise-report", "version": 3, "tickwise_version": "0.1",
"job": {"run": "1-1", "name": "job", "groupid": 0, "thread_number": $i,
"subjob_number": $i, "pid": $i, "host": "box", "start": "1700000000000000000",
"fio_version": "fio-3.33", "engine": "tickwise", "iodepth": 32,
"run_ns": 60000000000},
"ios": $counts, "errors": $zero, "short": $zero, "unaccounted": $zero,
"backwards": $zero, "batches": {"enters": 7, "tails": 5, "largest_tail": 16},
$variants[$i % @variants],
"fio_times": {"event_time": false, "event_wait": false},
"clocks": {"tickwise": {$clock, "source": "kernel", "hz": 2e9},
"fio": {$clock, "clocksource": "cpu"}, "monotonic": {$clock}},
"counter": {"verdict": "reliable", "fallback": false, "reasons": []},
"slowest": [$slowest], "over_time": [$over_time]}
REPORT
	close $file or die $!;
}
END

cat "$scratch"/*.json | wc -c | awk -v reports="$reports" -v bins="$bins" '
{ printf "%d reports of %d bins, %.1f MB\n", reports, bins, $1 / 1e6 }'

# fastest WORDS ARGUMENT...: prints the fastest of three runs, in ms
fastest()
{
	words=$1
	shift
	for _ in 1 2 3; do
		perl -MTime::HiRes=time -e '
			my $begin = time;
			open STDOUT, ">", "/dev/null" or die $!;
			system(@ARGV) == 0 or exit 1;
			printf STDERR "%.0f\n", (time - $begin) * 1e3;' -- \
			"$tickwise" report "$@" "$scratch"/job.*.json \
			2>>"$scratch/times"
	done
	sort -n "$scratch/times" | awk -v words="$words" 'NR == 1 {
		printf "%-12s %6d ms\n", words, $1 }'
	rm "$scratch/times"
}

fastest page
fastest json --json
fastest html --html="$scratch/page.html"
fastest percentiles --percentiles="$scratch/hgrm."
