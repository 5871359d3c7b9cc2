#!/usr/bin/perl
# SPDX-License-Identifier: MIT
#
#	report_sums.pl FILE...		counts, bytes, smallest and largest lat of all reports
#	report_sums.pl --fio OUTPUT	counts and bytes of the jobs in the JSON of fio's client
#
# Not of "All clients": if a host has ended before another one starts, fio 3.33 and HEAD print that
# too early, with jobs left out.
use strict;
use warnings;
use JSON::PP;

my $is_fio = @ARGV && $ARGV[0] eq '--fio' && shift;
my (%n, %lats);
my @directions = ('read', 'write', 'trim');
for my $name (@ARGV) {
	open my $file, '<', $name or die "$name: $!\n";
	my $text = do { local $/; <$file> };
	if ($is_fio) {
		$text =~ s/\A.*?^(?=\{)//ms;
		for my $job (grep { $_->{jobname} ne 'All clients' } @{decode_json($text)->{client_stats}}) {
			$n{"$_ bytes"} += $job->{$_}{io_bytes} for @directions;
			$n{"$_ ios"} += $job->{$_}{total_ios} for @directions;
		}
		next;
	}
	for my $report (map { decode_json($_) } split /^(?=\{"schema)/m, $text) {
		for (@directions) {
			my $lat = $report->{stages}{lat}{$_};
			$n{"$_ ios"} += $report->{ios}{$_};
			$n{"$_ bytes"} += $report->{bytes}{$_};
			push @{$lats{$_}}, $lat->{min_ns}, $lat->{max_ns} if $lat->{count};
		}
	}
}
for (keys %lats) {
	my @sorted = sort { $a <=> $b } @{$lats{$_}};
	@n{"$_ min", "$_ max"} = @sorted[0, -1];
}
print "$_ $n{$_}\n" for sort keys %n;
