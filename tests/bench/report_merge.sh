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
# and for writes, 64 slowest I/Os, 58 windows over time. It has some BINS bins in all
# (4000 by default), without those over time. Prints what was read and the times.
set -eu

reports=${1:-1000}
bins=${2:-4000}
tickwise=${TICKWISE:-build/tickwise}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT TERM

perl - "$reports" "$bins" "$scratch" "$tickwise" <<'END'
use strict;
use warnings;

my ($reports, $bins, $directory, $tickwise) = @ARGV;
my @names = qw(read write trim sync);
# The smallest time of each, in ns, and its part of the bins. The stages are of the
# same I/Os, in the same order, and lat is their sum.
my %times = (queue => [200, 1], kernel => [90000, 4], deliver => [900, 1],
	submitting_call => [2500, 1]);

# Bins as the engine's: 1024 bins to an octave with 3 digits, 16 with one.
sub edges {
	my ($value, $digits) = @_;
	my $bins = ($digits // 3) == 3 ? 1024 : 16;
	my $octave = 0;

	$octave++ while ($value >> $octave) >= 2 * $bins;
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
	my ($digits, $values) = @_;
	my ($count, $sum, $squares, %bins) = (scalar @$values, 0, 0);
	my ($min, $max) = ($values->[0], $values->[-1]);

	for my $value (@$values) {
		$sum += $value;
		$squares += $value * $value;
		$bins{$value}++;
	}
	# Values of one bin are counted together.
	my %of;
	for my $value (keys %bins) {
		$of{(edges($value, $digits))[1]} += $bins{$value};
	}
	my $text = join(', ', map { "\"$_\": $of{$_}" } sort { $a <=> $b } keys %of);
	my $derived = $digits == 1 ? '' : sprintf('"mean_ns": %.17g, "stddev_ns": %.17g, ' .
		'"percentiles": {%s}, ', $sum / $count,
		sqrt(($squares - $sum * $sum / $count) / ($count - 1)),
		join(', ', map { sprintf '"%f": %d', $_, $max }
			(1, 5, 10, 20, 30, 40, 50, 60, 70, 80, 90, 95, 99,
			 99.5, 99.9, 99.95, 99.99, 99.999)));

	return sprintf('{"digits": %d, "count": %d, "min_ns": %d, "max_ns": %d, ' .
		'"sum_ns": "%d", "sum_squares_ns2": "%d", %s"bins": {%s}}',
		$digits, $count, $min, $max, $sum, $squares, $derived, $text);
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
	my %text = map { my $json = histogram(3, $values{$_});
		$_ => "{\"read\": $json, \"write\": $json}" } keys %values;

	push @variants, '"stages": {' . join(', ', map { "\"$_\": $text{$_}" }
		qw(queue kernel deliver lat)) . "},\n" .
		"\"submitting_call\": $text{submitting_call}";
}
my $window = histogram(1, [map { 80000 + 820 * $_ } 0 .. 999]);
my $over_time = '"width_ns": 1024000000, "windows": [' . join(', ', map {
	sprintf('{"start": "%d", "read": %s, "write": %s}',
		1700000000000000000 + 1024000000 * $_, $window, $window) } 0 .. 57) . ']';

# Return a report as the engine writes it: as the program does, without the answers.
sub as_written {
	my ($times) = @_;
	my $zero = counts();
	my $no_moves = '{"read": 0, "write": 0, "trim": 0}';
	my $slowest = join(', ', map { my $lat = 5000000 + 1000 * $_;
		sprintf('{"job": 0, "offset": %d, "size": 4096, "ddir": "read", ' .
			'"ticks": "%d", "raw_ns": "%d", "monotonic_ns": "%d", ' .
			'"submitting_call_ns": 2500, "stages": {"queue": 200, ' .
			'"kernel": %d, "deliver": 900, "lat": %d}}',
			4096 * $_, 1e15 + $_, 1e14 + $_, 1e14 + $_,
			$lat - 1100, $lat) } 1 .. 64);
	my $counts = counts($ios, $ios);
	my $clock = '"against": "CLOCK_MONOTONIC_RAW", "error_ns": -2516.0, ' .
		'"error_ppb": -250.2, "uncertainty_ns": 108.5, ' .
		'"uncertainty_ppb": 10.79, "over_ns": 60000000000';

	open my $file, '>', "$directory/made.json" or die $!;
	print $file <<"REPORT";
{"schema": "tickwise-report", "version": 1,
"jobs": [{"run": "1-1", "name": "job", "groupid": 0, "thread_number": 1,
"subjob_number": 1, "pid": 1, "host": "box", "start": "1700000000000000000",
"start_monotonic_ns": "100000000000000", "first_ns": 0, "run_ns": 60000000000,
"fio_version": "fio-3.33", "engine": "tickwise", "tickwise_version": "0.1", "iodepth": 32,
"event_time": false, "event_wait": false, "fallback": false}],
"ios": $counts, "errors": $zero, "short": $no_moves, "unaccounted": $zero,
"backwards": $zero, "batches": {"enters": 7, "tails": 5, "largest_tail": 16},
$times,
"clocks": {"tickwise": {$clock, "source": "kernel", "hz": 2e9},
"fio": {$clock, "clocksource": "cpu"}, "monotonic": {$clock}},
"counter": {"verdict": "reliable", "reasons": []},
"slowest": [$slowest], "over_time": {$over_time}}
REPORT
	close $file or die $!;
	open my $program, '-|', $tickwise, 'report', '--json', "$directory/made.json"
		or die $!;
	my $text = do { local $/; <$program> };
	close $program or die "the report is refused\n";
	unlink "$directory/made.json";
	$text =~ s/, "answers": .*/}/s or die "no answers at the end\n";
	return $text;
}

@variants = map { as_written($_) } @variants;
for my $i (1 .. $reports) {
	my $text = $variants[$i % @variants];

	$text =~ s/"(thread_number|pid)": 1,/"$1": $i,/g;
	open my $file, '>', "$directory/job.$i.json" or die $!;
	print $file $text;
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
