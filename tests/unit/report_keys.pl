# SPDX-License-Identifier: MIT
#
# Compares a report with its manual page, tickwise-report(5).
#
#	perl report_keys.pl PAGE REPORT
#		a line for each key that the page does not have, that is of
#		another type, or that should be there
#	perl report_keys.pl PAGE REPORT DIRECTORY
#		writes the report once without each of its keys but those of
#		single bins, as N.always.json or N.may.json, and prints
#		"FILE PATH" for each

use strict;
use warnings;
use B;
use FindBin;
use JSON::PP;

# Return the names of the list that the engine's names come from.
sub stages {
	my $list = "$FindBin::Bin/../../core/latency/stages.h";

	open my $text, '<', $list or die "$list: $!";
	return map { /^\tSTAGE\(\w+, (\w+),/ ? $1 : () } <$text>;
}

my ($page, $report, $directory) = @ARGV;
my %names = (
	DIRECTION => 'read|write|trim|sync',
	STAGE => join('|', stages(), 'lat'),
	REASON => 'no_request|missing_stamp|sync_write|no_stamps|waited',
	OPTION => '[a-z][a-z0-9_]*',
	OPERATION => '[a-z][a-z0-9_ ]*',
	CLOCK => 'tickwise|fio|monotonic',
	PERCENT => '\d+\.\d{6}',
	NS => '\d+',
);

# The keys of the page, in its order: a path that names a key itself comes before
# one that stands for many.
my @keys;
open my $text, '<', $page or die "$page: $!";
while (<$text>) {
	next unless /^\.BR (\S+) " \((\w+)(, always)?\)"$/;
	my ($path, $type, $always) = ($1, $2, defined $3);
	my ($parent, $name) = $path =~ /^(?:(.*)\.)?([^.]+)$/;

	push @keys, { parent => $parent // '', name => $name, type => $type,
		always => $always };
}
die "no keys in $page" unless @keys;

sub is_number {
	my $flags = B::svref_2object(\$_[0])->FLAGS;

	return !ref $_[0] && $flags & (B::SVf_IOK | B::SVf_NOK) &&
		!($flags & B::SVf_POK);
}

my %types = (
	object => sub { ref $_[0] eq 'HASH' },
	histogram => sub { ref $_[0] eq 'HASH' },
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

# The page describes some objects of the header of intervals only once.
sub as_in_report {
	return $_[0] =~ s/^header\.(?=(?:options|machine|files\[\]|devices\[\])$)//r;
}

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
		} elsif ($key->{type} eq 'histogram') {
			check($value, 'histogram', "$shown$name.");
		} elsif ($key->{type} eq 'object') {
			check($value, as_in_report($path), "$shown$name.");
		} elsif ($key->{type} eq 'array') {
			check($_, as_in_report("${path}[]"), "$shown${name}[].")
				for grep { ref eq 'HASH' } @$value;
		}
	}
	for my $key (grep { $_->{always} } @here) {
		for my $name (exists $names{$key->{name}} ?
				split(/\|/, $names{$key->{name}}) :
				$key->{name}) {
			push @wrong, "$shown$name is missing"
				unless exists $object->{$name};
		}
	}
}

local $/;
open my $file, '<', $report or die "$report: $!";
my $root = JSON::PP->new->utf8->decode(<$file>);
check($root, '', '');
if (!defined $directory) {
	print "$_\n" for @wrong;
	exit;
}
my $number = 0;
for (@found) {
	my ($object, $name, $always, $path) = @$_;
	my $to = sprintf '%s/%d.%s.json', $directory, ++$number,
		$always ? 'always' : 'may';
	my $value = delete $object->{$name};

	open my $out, '>', $to or die "$to: $!";
	print $out JSON::PP->new->utf8->canonical->encode($root);
	close $out or die "$to: $!";
	$object->{$name} = $value;
	print "$to $path\n";
}
