#!/usr/bin/perl
# SPDX-License-Identifier: MIT
#
# Types commands into shells on terminals of their own, as a person does, and times them:
#
#	tests/type.pl SHELL BEFORE STEP...
#
# SHELL is the command that starts a shell. BEFORE is what the shell is told before
# the clock starts. A STEP is a command, typed at 5 characters a second. It ends
# when the shell prompts again. A STEP that begins with "second terminal: " is for
# another shell. It ends when it has printed something and then nothing for a
# second.
#
# A question for a password is answered by "tickwise", a question [Y/n] by Y. Prints
# what the terminals show, then "# SECONDS COMMAND" for each step and for all. Exit
# 0, or 1 if a step took longer than 300 s or a shell ended.
use strict;
use warnings;
use IO::Handle;
use IPC::Open2;
use Time::HiRes qw(sleep time);

my $characters_per_second = 5;
my $step_seconds = 300;

# ---- terminals ----

# Return the text without the control sequences, with the last state of a line that
# was overwritten.
sub shown
{
	my ($text) = @_;

	$text =~ s/\e\[[0-9;?]*[A-Za-z]|\e\][^\a]*\a|\e[()][A-Z0-9]|\e[=>78M]//g;
	$text =~ s/ \r(?!\n)//g;	# a command that goes on in the next line
	$text =~ s/\r+\n/\n/g;
	$text =~ s/[^\n]*\r//g;
	return $text;
}

sub new_terminal
{
	my ($shell) = @_;
	my %terminal = (text => '', seen => 0);

	$terminal{pid} = open2($terminal{from}, $terminal{to}, 'script', '-q', '-e',
			       '-c', $shell, '/dev/null');
	$terminal{to}->autoflush(1);
	return \%terminal;
}

# Take what is printed within @seconds. Return 0 if nothing was.
sub take
{
	my ($terminal, $seconds) = @_;
	my $ready = '';

	vec($ready, fileno($terminal->{from}), 1) = 1;
	return 0 if select($ready, undef, undef, $seconds) <= 0;
	sysread($terminal->{from}, $terminal->{text}, 65536, length($terminal->{text})) or
		die "type: the shell ended:\n" . shown($terminal->{text});
	return 1;
}

sub type
{
	my ($terminal, $text) = @_;

	for my $character (split(//, $text)) {
		sleep(1 / $characters_per_second);
		print { $terminal->{to} } $character;
		1 while take($terminal, 0);
	}
	$terminal->{seen} = length($terminal->{text});
	print { $terminal->{to} } "\r";
}

# Return what was printed since the last line was typed.
sub printed
{
	my ($terminal) = @_;

	return shown(substr($terminal->{text}, $terminal->{seen}));
}

sub answer
{
	my ($terminal) = @_;

	type($terminal, 'tickwise') if printed($terminal) =~ /password[^\n]*: ?\z/i;
	type($terminal, 'Y') if printed($terminal) =~ m{\[Y/n\] ?\z};
}

# ---- waiting ----

sub wait_until
{
	my ($terminal, $is_over) = @_;
	my $end = time() + $step_seconds;

	until ($is_over->()) {
		die "type: no end after $step_seconds s:\n" . shown($terminal->{text})
			if time() > $end;
		take($terminal, 1);
		answer($terminal);
	}
}

sub wait_for_prompt
{
	my ($terminal) = @_;

	wait_until($terminal, sub { printed($terminal) =~ /(^|\n)\S+@\S+:\S*[\$#] \z/ });
}

sub wait_for_output
{
	my ($terminal) = @_;

	wait_until($terminal, sub {
		return printed($terminal) =~ /\S/ &&
			printed($terminal) !~ /password[^\n]*: ?\z/i && !take($terminal, 1);
	});
}

# ---- the steps ----

sub begin
{
	my ($shell, $before) = @_;
	my $terminal = new_terminal($shell);

	wait_for_prompt($terminal);
	$terminal->{seen} = length($terminal->{text});
	print { $terminal->{to} } "$before\r";
	wait_for_prompt($terminal);
	# Only the new prompt of this line is shown.
	$terminal->{text} =~ s/.*\n//s;
	return $terminal;
}

my ($shell, $before, @steps) = @ARGV;
my $first = begin($shell, $before);
my $second = grep(/^second terminal: /, @steps) ? begin($shell, $before) : undef;
my $start = time();
my @lines;
my $failed = 0;

for my $step (@steps) {
	my $begun = time();
	my $is_second = $step =~ s/^second terminal: //;
	my $terminal = $is_second ? $second : $first;

	eval {
		type($terminal, $step);
		$is_second ? wait_for_output($terminal) : wait_for_prompt($terminal);
	};
	$failed = 1 if $@;
	print STDERR $@ if $@;
	push(@lines, sprintf("# %.1f s  %s", time() - $begun, $step));
	last if $failed;
}
push(@lines, sprintf("# %.1f s  in total", time() - $start));
print shown($first->{text}), "\n";
print "\n---- second terminal ----\n", shown($second->{text}), "\n" if $second;
print "$_\n" for @lines;
# What still runs gets Ctrl-C, the shell Ctrl-D; nothing of it is waited for.
for my $terminal (grep { $_ } $first, $second) {
	print { $terminal->{to} } "\x03";
	sleep(0.5);
	print { $terminal->{to} } "\x04";
	sleep(0.5);
	kill('HUP', $terminal->{pid});
}
exit($failed);
