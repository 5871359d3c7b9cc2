#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Does a second run of tickwise memlat agree with the first? Runs it several times, and
# compares each run with each other one: do the intervals of a row overlap?
#
#	tests/bench/memlat_repeats.sh [RUNS [OPTION...]]
#
# RUNS: 10. OPTIONs are those of memlat. A run takes about a minute.
#
# Prints a line for each row of the table of translations, with the medians of all
# runs, and the pairs whose intervals overlap: of random less window order on small
# and on huge pages, and of translation. Then the share of all pairs of all rows (90 %
# is wanted), and where each run found the ends of L1 and L2. KEEP=DIR keeps the JSON.
set -eu

runs=${1:-10}
[ $# -eq 0 ] || shift
tickwise=${TICKWISE:-${TW_BUILD:-build}/tickwise}
keep=${KEEP:-$(mktemp -d)}
[ -n "${KEEP:-}" ] || trap 'rm -rf "$keep"' EXIT
mkdir -p "$keep"
trap 'exit 130' INT TERM

run=0
while [ "$run" -lt "$runs" ]; do
	run=$((run + 1))
	"$tickwise" memlat --json "$@" >"$keep/run$run.json"
done

perl -MJSON::PP -e '
	my @columns = qw(small huge translation);
	my (%rows, %ends, $pairs, $good);
	for my $name (@ARGV) {
		local $/;
		open my $file, "<", $name or die "$name: $!\n";
		my $run = decode_json(<$file>);
		push @{$rows{$_->{size_bytes}}}, $_ for @{$run->{translation}};
		for my $i (0, 1) {
			my $level = $run->{levels}[$i] or next;
			my $end = $level->{size_bytes} // 0;
			$ends{"$level->{name} ends at $end, " .
				"sysfs: $level->{sysfs}"}++;
		}
	}
	printf "%8s %-11s %5s  %s\n", "memory", "column", "pairs", "medians, ns";
	for my $bytes (sort { $a <=> $b } keys %rows) {
		my @row = @{$rows{$bytes}};
		for my $column (@columns) {
			my ($all, $overlap) = (0, 0);
			for my $i (0 .. $#row) {
				for my $j (0 .. $i - 1) {
					my ($one, $other) = ($row[$i]{$column},
						$row[$j]{$column});
					$all++;
					$overlap += $one->{low_ns} <= $other->{high_ns} &&
						$other->{low_ns} <= $one->{high_ns};
				}
			}
			printf "%7dM %-11s %2d/%-2d  %s\n", $bytes >> 20, $column,
				$overlap, $all, join " ", map {
				sprintf "%.1f", $_->{$column}{ns} } @row;
			$pairs += $all;
			$good += $overlap;
		}
		printf "%20s %5s  %s\n", "share", "", join " ", map {
			$_->{share} ? sprintf "%.0f%%", $_->{share} * 100 :
			"place" } @row;
	}
	printf "%d of %d pairs overlap: %.1f %% (wanted: 90 %%)\n", $good, $pairs,
		$good / $pairs * 100 if $pairs;
	print "$_: $ends{$_} runs\n" for sort keys %ends;
' "$keep"/run*.json
