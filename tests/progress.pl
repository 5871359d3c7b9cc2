#!/usr/bin/perl
# SPDX-License-Identifier: MIT
#
# Prints to stderr how far tests/run.sh is, until it is killed:
#
#	tests/progress.pl DIRECTORY TOTAL SECONDS
#
# DIRECTORY is that of one.sh. Each second, a terminal has a line that is written anew, and
# is empty at the end; what failed or was skipped stays above it. A log has a line with the
# tests that ended in this second. If none did for SECONDS, it has a line with those that run.
use strict;
use warnings;

my ($directory, $total, $seconds) = @ARGV;
my $terminal = -t STDERR;
my $parent = getppid;
my $begun = time;

my (%ended, @news);

# Return a test's name, which has colons in the place of slashes.
sub name
{
	return $_[0] =~ m|.*\btests:(.*\.t)$| ? $1 =~ tr|:|/|r : ();
}

# Return how a test ended: "", "FAILED", or the reason why it was skipped.
sub result
{
	my ($test) = @_;

	return "FAILED" if -s "$directory/$test.ended";
	open my $log, "<", "$directory/$test" or return "";
	return (<$log> // "") =~ /^1\.\.0 # SKIP (.*)/i ? "skipped: $1" : "";
}

# Return how far it is. @news are the tests that ended since the last time.
sub line
{
	opendir my $files, $directory or exit;
	my %there = map { $_ => 1 } readdir $files;
	my @all = grep { $there{"$_.ended"} } sort keys %there;
	my $time = time - $begun;

	@news = grep { !defined $ended{$_} } @all;
	$ended{$_} = result($_) for @news;
	delete @there{@all};
	return sprintf("%d:%02d  %d of %d tests, %d failed; ", $time / 60, $time % 60,
		       scalar @all, $total, scalar grep { $_ eq "FAILED" } values %ended),
	       join " ", "running:", map { name($_) } sort keys %there;
}

$SIG{TERM} = sub {
	print STDERR "\r\e[K" if $terminal;
	exit;
};
my $told = time;
while (getppid == $parent) {
	sleep 1;
	my ($far, $running) = line();

	if ($terminal) {
		print STDERR "\r\e[K", name($_), " $ended{$_}\n" for grep { $ended{$_} } @news;
		print STDERR "\r\e[K", substr("$far$running", 0, 79);
	} elsif (@news || time - $told >= $seconds) {
		$told = time;
		print STDERR $far, @news ? "ended: " . join(", ", map { name($_) .
			($ended{$_} ? " ($ended{$_})" : "") } @news) : $running, "\n";
	}
}
