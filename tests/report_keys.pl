# SPDX-License-Identifier: MIT
#
# Compares a report, or a line of a file of intervals, with its manual page as it is
# built: tickwise-report(5).
#
#	perl report_keys.pl PAGE REPORT
#		a line for each key that the page does not have, that is of
#		another type, or that should be there; the file may have several
#		reports, one after another
#	perl report_keys.pl PAGE REPORT DIRECTORY
#		writes the report once without each of its keys but those of
#		single bins, as N.always.json or N.may.json, and once with a value
#		of another type, as N.other.json; prints "FILE PATH" for each

use strict;
use warnings;
use B;
use FindBin;
use JSON::PP;

# Return the names of the list that the engine's names come from.
sub stages {
	my $list = "$FindBin::Bin/../core/latency/stages.h";

	open my $text, '<', $list or die "$list: $!";
	return map { /^\tSTAGE\(\w+, (\w+),/ ? $1 : () } <$text>;
}

my ($page, $report, $directory) = @ARGV;
my %names = (
	DIRECTION => 'read|write|trim|sync',
	STAGE => join('|', stages(), 'lat'),
	OPTION => '[a-z][a-z0-9_]*',
	OPERATION => '[a-z][a-z0-9_ ]*',
	COUNT => '[a-z][a-z_]*',
	CLOCK => 'tickwise|fio|monotonic',
	PERCENT => '\d+\.\d{6}',
	NS => '\d+',
);

# The keys of the page, in its order. An item has them in a .BR, or a list has one a
# line, after "In" and the object's name.
my (@keys, $in_object);
sub add_key {
	my ($path, $type) = @_;
	my $always = $type =~ s/, always$//;
	my ($parent, $name) = $path =~ /^(?:(.*)\.)?([^.]+)$/;

	push @keys, { parent => $parent // '', name => $name, type => $type,
		always => $always };
}
open my $text, '<', $page or die "$page: $!";
while (<$text>) {
	if (/^\.BR (\S+) :$/) {
		$in_object = $1;
	} elsif (/^\.EE$|^\.S[HS]/) {
		undef $in_object;
	} elsif (/^\.BR /) {
		add_key($1, $2) while /(\S+) " \(([^)]*)\)[",]/g;
	} elsif ($in_object && /^(\S+) {2,}([a-z]+(?:, always)?)(?: |$)/) {
		add_key("$in_object.$1", $2);
	}
}
die "no keys in $page" unless @keys;

sub is_number {
	my $flags = B::svref_2object(\$_[0])->FLAGS;

	return !ref $_[0] && $flags & (B::SVf_IOK | B::SVf_NOK) &&
		!($flags & B::SVf_POK);
}

my %types = (
	object => sub { ref $_[0] eq 'HASH' },
	(map { $_ => sub { ref $_[0] eq 'HASH' } } qw(counts histogram histograms
		windows error)),
	array => sub { ref $_[0] eq 'ARRAY' },
	boolean => sub { JSON::PP::is_bool($_[0]) },
	string => sub { !ref $_[0] && !is_number($_[0]) },
	digits => sub { !ref $_[0] && !is_number($_[0]) && $_[0] =~ /^\d+$/ },
	number => sub { is_number($_[0]) },
	count => sub { !ref $_[0] && $_[0] =~ /^\d+$/ },
);

# True if a part of a page's path stands for a part of a report's.
sub stands_for {
	my ($named, $is) = @_;

	# The elements of an array have its name, too.
	return 1 if $named eq $is;
	return 0 if ($named =~ s/\[\]$//) != ($is =~ s/\[\]$//);
	return exists $names{$named} && $is =~ /^(?:$names{$named})$/;
}

sub path_stands_for {
	my @named = split /\./, $_[0];
	my @is = split /\./, $_[1];

	return 0 if @named != @is;
	for my $i (0 .. $#named) {
		return 0 unless stands_for($named[$i], $is[$i]);
	}
	return 1;
}

# Types that the page describes in one place: where their keys are.
my %shared = (histogram => 'histogram', windows => 'windows', error => 'clocks.CLOCK',
	counts => 'counts', histograms => 'histograms');
push @keys, { parent => 'histograms', name => 'DIRECTION', type => 'histogram' },
	map { { parent => 'counts', name => $_, type => 'count', always => 1 } }
	qw(read write trim);
# Some rows have no sync; but where it is written it is needed.
push @keys, { parent => 'counts', name => 'sync', type => 'count', always => 'there' };

my (@wrong, @found);

sub check;
sub check {
	my ($object, $parent, $shown) = @_;
	my @here = grep { path_stands_for($_->{parent}, $parent) } @keys;

	for my $name (sort keys %$object) {
		my ($key) = grep { stands_for($_->{name}, $name) }
			(sort { exists $names{$a->{name}} <=>
				exists $names{$b->{name}} } @here);
		my $path = $parent eq '' ? $name : "$parent.$name";
		my $value = $object->{$name};

		if (!$key) {
			push @wrong, "$shown$name is not in the manual";
			next;
		}
		# Bins are one thing: without one of them they do not add up.
		push @found, [ $object, $name, $key->{always}, "$shown$name" ]
			unless $key->{name} eq 'NS';
		if (!$types{$key->{type}}->($value)) {
			push @wrong, "$shown$name is no $key->{type}";
		} elsif (exists $shared{$key->{type}}) {
			check($value, $shared{$key->{type}}, "$shown$name.");
		} elsif ($key->{type} eq 'object') {
			check($value, $path, "$shown$name.");
		} elsif ($key->{type} eq 'array') {
			check($_, "${path}[]", "$shown${name}[].")
				for grep { ref eq 'HASH' } @$value;
		}
	}
	for my $key (grep { $_->{always} && $_->{always} ne 'there' } @here) {
		for my $name (exists $names{$key->{name}} ?
				split(/\|/, $names{$key->{name}}) :
				$key->{name}) {
			push @wrong, "$shown$name is missing"
				unless exists $object->{$name} ||
					$name eq 'bins' && exists $object->{hdr};
		}
	}
}

# The header of a file of intervals has no numbers, and is written when the job begins.
sub as_of_header {
	$_->{always} = 0 for grep { $_->{parent} eq '' &&
		$_->{name} =~ /^(?:clocks|counter|ios|stages)$/ } @keys;
}

# A line has the keys of a report and its own, but needs none of a report's.
sub as_of_line {
	for (@keys) {
		$_->{always} = 0 if $_->{parent} eq '';
		$_->{parent} = '' if $_->{parent} eq 'line';
	}
}

# A fault is a line, too: no line means that all is well.
$SIG{__DIE__} = sub { print @_ };

local $/;
open my $file, '<', $report or die "$report: $!";
my $rest = <$file>;
my ($root, $is_line);
while ($rest =~ /\S/) {
	($root, my $length) = JSON::PP->new->utf8->decode_prefix($rest);
	substr($rest, 0, $length, '');
	as_of_header() if exists $root->{kind};
	as_of_line() if exists $root->{interval} && !$is_line++;
	check($root, '', '');
}
if (!defined $directory) {
	print "$_\n" for @wrong;
	exit;
}
my $number = 0;

# Write the report as it is now.
sub put {
	my ($kind, $path) = @_;
	my $to = sprintf '%s/%d.%s.json', $directory, ++$number, $kind;

	open my $out, '>', $to or die "$to: $!";
	print $out JSON::PP->new->utf8->canonical->encode($root);
	close $out or die "$to: $!";
	print "$to $path\n";
}

for (@found) {
	my ($object, $name, $always, $path) = @$_;
	my $value = delete $object->{$name};

	put($always ? 'always' : 'may', $path);
	$object->{$name} = ref $value eq 'ARRAY' ? {} : [];
	put('other', $path);
	$object->{$name} = $value;
}
