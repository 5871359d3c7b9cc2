# SPDX-License-Identifier: MIT
#
# Writes changed copies of reports: those of the cases of standard input.
#
#	perl report_change.pl DIRECTORY <CASES
#
# A case is a line BASE [ARGUMENTS...], and lines of Perl that begin with a tab and change
# $r, the report in the file BASE.json, $j, its first job, or $s, its slowest I/Os. Case
# N's report is DIRECTORY/N.json. N.2.json is the same one of thread 2, and N.base.json and
# N.base.2.json are those without the change. Prints "N ARGUMENTS" and a line with the
# Perl for each.

use strict;
use warnings;
use FindBin;
use JSON::PP;

require "$FindBin::Bin/report_values.pl";

our ($r, $j, $s, $true, $false) = (undef, undef, undef, JSON::PP::true, JSON::PP::false);
my ($directory) = @ARGV;
my $json = JSON::PP->new->utf8->canonical->allow_bignum;
my ($number, @cases) = (0);

sub reads { return { read => histogram(3, @_) } }
sub moves { return { read => $_[0], write => 0, trim => 0 } }

# Add fio's own lat.
sub fio_lat {
	$r->{fio_lat} = { count => moves($_[0]), sum_ns => moves($_[1]) };
}

# Make one of the slowest I/Os: at CLOCK_MONOTONIC, STAGE => NS...
sub slow {
	my ($at_ns, %stages) = @_;
	my $lat_ns = 0;

	$lat_ns += $_ for values %stages;
	return { job => 0, offset => 8192, size => 4096, ddir => 'read',
		monotonic_ns => "$at_ns", stages => { lat => $lat_ns, %stages } };
}

# Make windows over time of some ms from the start of the job: WINDOW => READS... Each has
# one more read, of 200 ns and as many ns as its number.
sub windows {
	my ($ms, %reads) = @_;
	my $first = int(1700000000000 / $ms);

	return { width_ns => $ms * 1000000, windows => [map +{
		start => ($first + $_) * $ms . '000000',
		read => histogram(1, 100, $reads{$_}, $_ + 200, 1) },
		sort { $a <=> $b } keys %reads] };
}

# Make slices of the sums of stages by lat: FROM, TO, IOS, {STAGE => SUM}...
sub slices {
	my @slices;

	while (my ($from, $to, $ios, $stages) = splice @_, 0, 4) {
		push @slices, { from_ns => $from, to_ns => $to, ios => $ios,
			stages => $stages };
	}
	return { read => \@slices };
}

# Count each I/O a hundred times.
sub hundred_times {
	for (values %{$r->{stages}}, $r->{submitting_call}) {
		my $of = $_->{read} or next;

		$of->{$_} .= '00' for qw(sum_ns sum_squares_ns2);
		$of->{count} *= 100;
		$_ *= 100 for values %{$of->{bins}};
	}
	$r->{ios}{read} *= 100;
}

# Let this many reads be not chosen to be split. The others count for all.
sub not_chosen {
	my ($not) = @_;
	my $chosen = $r->{ios}{read} - $not;

	$r->{kernel_stages}{not_split}{not_chosen} = { %{moves($not)}, sync => 0 };
	for (@{$r->{stages}}{qw(submit blockq device complete reap kernel)},
	     values %{$r->{blockq}}) {
		my $of = $_ && $_->{read};

		next if !$of || $of->{count} <= $chosen;
		@$of{qw(weight count)} = ($of->{count}, $chosen);
	}
}

sub read_base {
	open my $file, '<', "$_[0].json" or die "$_[0].json: $!\n";
	local $/;
	$r = $json->decode(<$file>);
	$j = ref $r eq 'HASH' ? $r->{jobs}[0] : undef;
	$s = $r->{slowest};
}

# Write the report, and the same one of thread 2.
sub put {
	my ($name) = @_;

	for my $path ("$directory/$name.json", "$directory/$name.2.json") {
		open my $file, '>', $path or die "$path: $!\n";
		print $file $json->encode($r), "\n";
		close $file or die "$path: $!\n";
		@{$r->{jobs}[0]}{qw(thread_number pid)} = (2, 102)
			if ref $r eq 'HASH' && ref $r->{jobs} && ref $r->{jobs}[0] eq 'HASH';
	}
}

while (<STDIN>) {
	chomp;
	if (s/^\t//) {
		$cases[-1]{code} .= " $_";
	} elsif (/^(\S+)\s*(.*)/) {
		push @cases, { base => $1, arguments => $2 || '@', code => '' };
	}
}
for my $case (@cases) {
	$number++;
	read_base($case->{base});
	put("$number.base");
	read_base($case->{base});
	eval "no strict; no warnings; $case->{code}; 1" or die "$case->{code}: $@";
	put($number);
	print "$number $case->{arguments}\n$case->{base}:$case->{code}\n";
}
