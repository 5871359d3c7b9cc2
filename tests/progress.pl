#!/usr/bin/perl
# SPDX-License-Identifier: MIT
#
# Prints to stderr how far tests/run.sh is, until it is killed:
#
#	tests/progress.pl DIRECTORY TOTAL SECONDS
#
# DIRECTORY is that of one.sh. A terminal has one line, which is written anew each
# second, and is empty at the end. Elsewhere, for a log, there is a line every
# SECONDS.
use strict;
use warnings;

my ($directory, $total, $seconds) = @ARGV;
my $terminal = -t STDERR;
my $parent = getppid;
my $begun = time;

# Return the line. A test's name has colons in the place of slashes.
sub line
{
	opendir my $files, $directory or exit;
	my %there = map { $_ => 1 } readdir $files;
	my @ended = grep { $there{"$_.ended"} } keys %there;
	my $failed = grep { -s "$directory/$_.ended" } @ended;
	my $time = time - $begun;

	delete @there{@ended};
	my @running = map { m|.*\btests:(.*\.t)$| ? $1 =~ tr|:|/|r : () } sort keys %there;
	return sprintf "%d:%02d  %d of %d tests, %d failed; running: %s",
		$time / 60, $time % 60, scalar @ended, $total, $failed,
		join " ", @running;
}

$SIG{TERM} = sub {
	print STDERR "\r\e[K" if $terminal;
	exit;
};
while (getppid == $parent) {
	sleep($terminal ? 1 : $seconds);
	print STDERR $terminal ? "\r\e[K" . substr(line(), 0, 79) : line() . "\n";
}
