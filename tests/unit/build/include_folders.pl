#!/usr/bin/perl
# SPDX-License-Identifier: MIT
#
# Finds which folders of the library, the program and the engines need each other:
# by what their files include, and, where there are objects, by what these call.
#
#	include_folders.pl TREE [OBJECTS]
#
# Each folder has a place in the order below. It may use those on earlier lines, and
# none on its own line. Prints each use in another direction, and circles; then it
# fails.
use strict;
use warnings;
use File::Basename;
use File::Find;

my @order = (
	['core'],
	['core/base'],
	['core/counter', 'core/latency', 'core/probe'],
	['core/machine', 'core/probe/preload', 'core/report'],
	['core/clock', 'core/estimate', 'core/memory'],
	['core/trust'],
	['core/example', 'core/preload', 'core/profile', 'core/command/output'],
	['core/command'],
	['core/command/analysis', 'plugin/collect'],
	['core/memory/command', 'core/profile/command',
	 map { "core/command/$_" } qw(bench calibrate check compare diff report)],
	['core/command/run'],
	['core/command/doctor', 'core/command/engine', 'core/command/sweep'],
	['core/command/main', 'plugin/fio', 'plugin/kernel', 'plugin/trace'],
	['plugin/helper/client', 'plugin/job_clock'],
	['plugin/kernel/stages'],
	['plugin/kernel/causes', 'plugin/kernel/sync'],
	['plugin/attach', 'plugin/helper', 'plugin/record'],
	['plugin/job_report'],
	['plugin/engine', 'plugin/memory_engine'],
	['plugin', 'plugin/nvme'],
);
my ($tree, $objects) = @ARGV;
my (%place, %is_file, %is_public, %needs, $includes, $calls, $faults);

for my $line (0 .. $#order) {
	$place{$_} = $line for @{$order[$line]};
}
chdir $tree or die "$tree: $!\n";

# Files that decide are above the folders that they use, and so is main().
sub part_of
{
	my ($file) = @_;

	return 'core' if $is_public{$file};
	return 'core/trust' if $file =~ m<^core/(trust|contradictions)\w*\.>;
	return 'core/command/main' if $file eq 'core/command/main.c';
	return dirname($file);
}

sub need
{
	my ($from, $to, $how) = @_;
	my ($user, $used) = (part_of($from), part_of($to));

	return if $user eq $used;
	for (grep { !exists $place{$_} } $user, $used) {
		print "$_: it has no place in the order\n";
		$place{$_} = @order;
		$faults++;
	}
	$needs{$user}{$used} = 1;
	return if $place{$used} < $place{$user};
	print "$from $how: $user may not use $used\n";
	$faults++;
}

# Search as the Makefile's -I does.
sub find_included
{
	my ($file, $name) = @_;

	for my $folder (dirname($file), 'core', 'plugin', 'core/latency') {
		my $path = "$folder/$name";

		1 while $path =~ s<[^/]+/\.\./><>;
		return $path if $is_file{$path};
	}
	return;
}

sub included_by
{
	my ($file) = @_;

	open my $in, '<', $file or die "$file: $!\n";
	my @found = grep { defined } map {
		/^\s*#\s*include\s+"([^"]+)"/ ? find_included($file, $1) : ()
	} <$in>;
	close $in;
	return @found;
}

sub look_at_calls
{
	my (%source_of, %defined, @used);

	for my $source (grep { /\.c$/ && !/\.bpf\.c$/ } sort keys %is_file) {
		(my $object = "$objects/$source") =~ s/\.c$/.o/;
		# What needs no fio is only in that folder.
		$object =~ s<plugin/><alone/> unless -f $object;
		$source_of{$object} = $source if -f $object;
	}
	open my $nm, '-|', 'nm', '-gA', keys %source_of or die "nm: $!\n";
	while (%source_of && defined($_ = <$nm>)) {
		my ($object, $kind, $name) = /^(.*?):.* (\w) (\w+)$/ or next;
		my $source = $source_of{$object};

		push @used, [$source, $name] if $kind eq 'U';
		$defined{$name}{part_of($source)} = $source if $kind =~ /[BCDRT]/;
	}
	for (@used) {
		my ($source, $name) = @$_;
		my @parts = keys %{$defined{$name} || {}};

		# Each of two programs may have its own. The preload clock has the C library's.
		next unless @parts == 1 && $name ne 'clock_gettime';
		need($source, $defined{$name}{$parts[0]}, "calls $name()");
		$calls++;
	}
}

sub look_for_circle
{
	my ($part, @path) = @_;

	if (grep { $_ eq $part } @path) {
		shift @path while $path[0] ne $part;
		return @path, $part;
	}
	for (sort keys %{$needs{$part}}) {
		my @circle = look_for_circle($_, @path, $part);

		return @circle if @circle;
	}
	delete $needs{$part};
	return;
}

find({ no_chdir => 1, wanted => sub {
	$is_file{$_} = 1 if /\.[ch]$/ && -f;
} }, grep { -d } qw(core plugin));

# What the public header includes is installed as a part of it.
if ($is_file{'core/tickwise.h'}) {
	$is_public{$_} = 1 for included_by('core/tickwise.h');
}
$includes = $calls = $faults = 0;
for my $file (sort keys %is_file) {
	for (included_by($file)) {
		need($file, $_, "includes $_");
		$includes++;
	}
}
look_at_calls() if $objects;
for my $part (sort keys %needs) {
	my @circle = look_for_circle($part);

	next unless @circle;
	print 'a circle: ', join(' -> ', @circle), "\n";
	$faults++;
	last;
}
print scalar(keys %is_file), " files, $includes includes, $calls calls\n";
exit($faults != 0);
