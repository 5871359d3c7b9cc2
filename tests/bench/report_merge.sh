#!/bin/sh
# SPDX-License-Identifier: MIT
#
# How long `tickwise report` takes to merge many reports: the files are made
# first, then read by three warm runs for each kind of output. The fastest
# counts: files that others have pushed out of memory are no matter of merging.
#
#	tests/bench/report_merge.sh [REPORTS [BINS]]
#
# A report is one of a mixed job: five stages for reads and for writes, BINS
# bins in all (4000 when not given), 64 slowest I/Os, 60 seconds. Prints what
# was read, the times, and the size of the program in memory.
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
# Where a stage lies, in ns, and its part of the bins.
my %stages = (queue => [200, 1], enter => [2500, 2], inflight => [90000, 3],
	return => [900, 1], total => [93000, 3]);

# As the engine's of 3 digits: 1024 bins to an octave.
sub edges {
	my $value = shift;
	my $octave = 0;

	$octave++ while ($value >> $octave) >= 2048;
	my $low = ($value >> $octave) << $octave;
	return ($low, $low + (1 << $octave) - 1);
}

sub histogram {
	my ($from, $many, $all) = @_;
	my ($at, $count, $sum, @text) = ($from, 0, 0);
	my ($min, $max) = ($from, $from);

	for my $i (1 .. $many) {
		my ($low, $high) = edges($at);
		my $of = $i == $many ? $all - $count : 1 + int(rand(12));

		push @text, "\"$high\": $of";
		$min = $low if $i == 1;
		$max = $low;
		$count += $of;
		$sum += $low * $of;
		$at = $high + 1;
	}
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

# A dozen different ones: making them takes longer than reading them.
my $ios = 20 * $bins;
my @variants;
for my $variant (0 .. 11) {
	my @stages;

	for my $stage (sort keys %stages) {
		my ($from, $part) = @{$stages{$stage}};

		push @stages, "\"$stage\": {" . join(', ', map {
			"\"$_\": " . histogram($from + 7 * $variant,
				int($bins * $part / 20), $ios) }
			qw(read write)) . '}';
	}
	push @variants, join(', ', @stages);
}
my $over_time = join(', ', map { my $from = $_ * 1000000000;
	sprintf('{"from_ns": %d, "over_ns": 1000000000, %s}', $from,
		join(', ', map { "\"$_\": {\"count\": 1000, \"sum_ns\": " .
			'90000000, "min_ns": 80000, "max_ns": 900000, ' .
			'"percentiles": {"99.000000": 400000}}' }
			qw(read write))) } 0 .. 59);
for my $i (1 .. $reports) {
	my $zero = counts();
	my $slowest = join(', ', map { my $total = 5000000 + 1000 * $_ + $i;
		sprintf('{"offset": %d, "size": 4096, "ddir": "read", ' .
			'"ticks": "%d", "raw_ns": "%d", "monotonic_ns": "%d", ' .
			'"stages": {"queue": 200, "enter": 2500, ' .
			'"inflight": %d, "return": 900, "total": %d}}',
			4096 * $_, 1e15 + $_, 1e14 + $_, 1e14 + $_,
			$total - 200, $total) } 1 .. 64);
	my $counts = counts($ios, $ios);
	my $clock = '"against": "CLOCK_MONOTONIC_RAW", "error_ns": -2516.0, ' .
		'"error_ppb": -250.2, "uncertainty_ns": 108.5, ' .
		'"uncertainty_ppb": 10.79, "over_ns": 60000000000';

	open my $file, '>', "$directory/job.$i.json" or die $!;
	print $file <<"REPORT";
{"schema": "tickwise-report", "version": 2, "tickwise_version": "0.1",
"job": {"run": "1-1", "name": "job", "groupid": 0, "thread_number": $i,
"subjob_number": $i, "pid": $i, "host": "box", "start": "1700000000000000000",
"fio_version": "fio-3.33", "engine": "tickwise", "iodepth": 32,
"run_ns": 60000000000},
"ios": $counts, "errors": $zero, "short": $zero, "unaccounted": $zero,
"backwards": $zero, "batches": {"enters": 7, "tails": 5, "largest_tail": 16},
"stages": {$variants[$i % @variants]},
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

# fastest WORDS ARGUMENT...: of three runs, in ms
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
