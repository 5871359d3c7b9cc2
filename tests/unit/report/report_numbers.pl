# SPDX-License-Identifier: MIT
#
# Compares the numbers of a report in all of its outputs: see report_numbers.t.
#
#	perl report_numbers.pl NAME: of NAME.txt, .html, .groups (--json), .csv
#
# Prints a line: what is wrong, or how many numbers are the same. Exit 1 if one is wrong.

use strict;
use warnings;
use JSON::PP;

my ($name) = @ARGV;
my %ns = (ns => 1, us => 1e3, ms => 1e6, s => 1e9);
my $number = qr/([\d.]+)/;
my ($checked, @wrong) = (0);

sub read_file {
	my ($end) = @_;
	open my $file, '<:utf8', "$name.$end" or die "$name.$end: $!\n";
	local $/;
	return <$file>;
}

sub check {
	my ($good, $what) = @_;
	$checked++;
	push @wrong, $what unless $good;
}

my $groups = JSON::PP->new->decode(read_file('groups'));
my $report = ref $groups eq "ARRAY" ? $groups->[0] : $groups;
my $text = read_file('txt');
my $html = read_file('html');
my @stages = qw(queue submit blockq device complete reap kernel deliver);

# All times by name and direction; parts have the names that the page has.
my %times = %{$report->{stages}};
my %parts = map { my $of = $_; map { ("$of.$_" => $report->{$of}{$_}) }
	grep { ref $report->{$of}{$_} } keys %{$report->{$of} // {}} }
	qw(blockq sync complete);

# The line of a stage in CSV: direction, stage, ios, mean.
my %csv;
for (split /\n/, read_file('csv')) {
	my @cells = split /,/;
	push @{$csv{"$cells[4] $cells[5]"}}, [@cells[6, 10]];
}

# A number as printed is at most one of its last digit off.
sub is_near {
	my ($printed, $unit, $right_ns) = @_;
	my ($decimals) = $printed =~ /\.(\d+)/;
	my $digit = $ns{$unit} / 10 ** length($decimals // '');

	return abs($printed * $ns{$unit} - $right_ns) <= $digit * 1.000001;
}

for my $direction (qw(read write trim sync)) {
	my $ios = $report->{ios}{$direction} or next;
	my $lat = $times{lat}{$direction};
	my ($sum_ns, $digits, $unit, %printed) = (0, 0);

	# JSON and CSV
	for my $of ((map { $times{$_} } keys %times), values %parts) {
		next unless ref $of eq 'HASH' && ref $of->{$direction} eq 'HASH';
		check($of->{$direction}{count} <= $ios, "$direction: a count above $ios I/Os");
	}
	for (@stages) {
		my $of = $times{$_}{$direction} or next;
		$sum_ns += $of->{mean_ns};
		my $lines = $csv{"$direction $_"};
		check((grep { $_->[0] == $of->{count} &&
			abs($_->[1] - $of->{mean_ns}) <= 1e-8 * $of->{mean_ns} } @$lines),
			"$direction: $_ in CSV");
	}
	check(abs($sum_ns - $lat->{mean_ns}) < 1, "$direction: $sum_ns is not lat's $lat->{mean_ns}");

	# The table: of text, and of HTML with other spaces.
	my ($table) = $text =~ /^$direction: $ios I\/Os?\n(.*?)\n\n/ms or
		check(0, "$direction: no table"), next;
	my ($second) = $html =~ /<h3[^>]*>$direction: $ios I\/Os?<\/h3>.*?<table[^>]*>(.*?)<\/table>/s;
	# The parts of syncs are in place of kernel.
	my @rows = map { $_ eq 'kernel' && $table !~ /^kernel /m ?
		qw(worker data journal flush wake) : $_ } @stages;
	for (@rows, 'lat') {
		my $of = ($times{$_} // $parts{"sync.$_"})->{$direction} or next;
		my ($mean, $in) = $table =~ /^$_ +\S+ +$number(ns|us|ms|s) /m or
			check(0, "$direction: no row of $_"), next;
		my ($count, $again) = ($second // '') =~
			/>$_<\/th><td>([\d,]+)<\/td><td>[^<]*<\/td><td>([^<]*)<\/td>/;

		check(is_near($mean, $in, $of->{mean_ns}), "$direction: $_ $mean $in in the table");
		check(defined $again && $again eq "$mean $in" && $count == $of->{count},
			"$direction: $_ " . ($again // '-') . " in HTML");
		$digits += $mean =~ s/\.//r unless $_ eq 'lat';
		check($in eq ($unit //= $in), "$direction: $_ has another unit");
		$printed{$_} = $mean;
	}
	check($digits == $printed{lat} =~ s/\.//r, "$direction: the table does not add up");
}
print @wrong ? "$name: " . join('; ', @wrong) . "\n" : "$name: $checked numbers\n";
exit(@wrong != 0);
