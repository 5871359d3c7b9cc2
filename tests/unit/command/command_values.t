#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Tries values that no option takes, for every option of every command: none, an
# empty one, a huge number, a negative one, bytes that are no UTF-8, another word.
# Tries output that can't be written, for every command that has -o. Fails if a
# program crashes, if it runs with such a value, or if a message is not one line of
# text.
#
# --help after the option ends a command whose options are valid, before it does anything.

. "$(dirname "$0")/../../tap.sh"
. "$(dirname "$0")/../../report_files.sh"

tickwise=${TW_BUILD:-$root/build}/tickwise-recorded
TW_MACHINE=reliable
export TW_MACHINE
cd "$scratch" || exit 1
write_report a.json
write_report b.json pid=101

# tries.pl COMMAND OPTIONS: prints what is wrong. A line of OPTIONS has an option and its
# value, as --help names it: nothing; =N; [=N], which may be left out.
cat >tries.pl <<'PERL'
use strict;
use warnings;

my ($command, $options) = @ARGV;
my ($huge, $long, $bytes) = ('9' x 400, 'x' x 5000, "\377\033[31m\n.");
$| = 1;

# Run the command; print an exit code that is not @wanted, or an error that is not one
# line that moves no cursor, or that comes with output.
sub tries {
	my ($wanted, @arguments) = @_;
	my $pid = fork;
	if (!$pid) {
		open STDOUT, '>', 'stdout';
		open STDERR, '>', 'stderr';
		exec $ENV{tickwise}, $command, @arguments;
	}
	waitpid $pid, 0;
	my $is = $? & 127 || $? >> 8;
	my $what = substr join(' ', @arguments), 0, 100;
	print "exit code $is: $what\n" if $is != $wanted;
	return if !$wanted;
	open my $err, '<', 'stderr';
	print "not one line: $what\n" if -s 'stdout' || join('', <$err>) !~ /^[ -~]*\n\z/;
}

open my $lines, '<', $options or die;
while (<$lines>) {
	my ($option, $value) = /^(\S+) (\S*)/ or die;
	next if $option eq '--help';
	if (!$value) {
		tries 64, "$option=", '--help';
		tries 64, "$option=x", '--help';
		tries 0, $option, $option, '--help';
		next;
	}
	tries 64, $option if $value !~ /^\[/;
	if ($value =~ /^\[?=(N|NS|US|MS|SECONDS|SIZE|PERCENT|LIST|BYTES|.*\|.*)\]?$/) {
		# options.c has other texts that are no number.
		tries 64, "$option=$_", '--help' for '', $huge, -1, $bytes, $long;
		next;
	}
	# Files may have any name but an empty one, other texts any.
	$value =~ /^\[?=(FILE|FOLDER|PERF|PREFIX|TRACE|PATH|(PROGRAM|NAME|OPTIONS|WORDS|TIME|HOW|COUNT|GOAL))\]?$/
		or print "unknown kind of value: $option$value\n";
	tries $2 ? 0 : 64, "$option=", '--help';
	tries 0, (map { "$option=$_" } $huge, -1, $bytes, $long), '--help';
}
PERL
export tickwise

"$tickwise" --help | sed -n 's/^  \([a-z][a-z-]*\)  *.*/\1/p' >commands
while read -r command; do
	"$tickwise" "$command" --help >help
	sed -n 's/^  \(-., \|    \)\(--[a-z-]*\)\(\[*=[^ ]*\)*.*/\2 \3/p' help >options
	is "$(perl tries.pl "$command" options)" '' "$command: values of $(wc -l <options | tr -d ' ') options"
	is "$(grep -cE '^.{81}| $' help) $("$tickwise" "$command" -h | cmp - help)" '0 ' \
		"$command -h is --help, of 80 columns and no stray blanks"
done <commands

# Print the arguments with which each command prints something.
arguments_of()
{
	case $1 in
	report) echo a.json ;;
	diff) echo a.json b.json ;;
	memlat) echo --max=16K --steps=1 ;;
	compare) echo --fio=none --load=idle --rounds=0 ;;
	profile) echo profile ;;
	*) echo ;;
	esac
}
# As libtickwise-profile writes one (tests/golden/profile.t).
cat >profile <<'END'
tickwise-profile 1
program one
pid 1
rate 1000000000 2 MONOTONIC_RAW kernel
fence full
cost 10 1 20 2 3 5 4 8 0
wall 1000 21000
thread 1 9 4 1000 21000 0 one
node 1 0 10 1 0 10000 9900 9900 0 1 0
node 2 1 20 4 2 6000 2400 3400 1 0 1
node 3 2 30 1 0 1000 900 900 0 0 0
node 4 1 30 3 0 500 100 150 0 0 0
end
END
full=/dev/full
[ -w $full ] || full=
# fails CODE WORD...: notes an exit code that is not 74, or not one line in $err that
# moves no cursor
fails()
{
	[ "$1 $(wc -l <"$err" | tr -d ' ')" = '74 1' ] && ! grep -q '[^ -~]' "$err" ||
		echo "not exit code 74, or not one line:" "$@" >>wrong
}
while read -r command; do
	"$tickwise" "$command" --help >help
	# attach finds a process first, sweep runs fio, and build-engine's folder is another matter.
	grep -q -- '-o, --output=FILE' help || continue
	case $command in attach | sweep) continue ;; esac
	: >wrong
	# shellcheck disable=SC2046
	set -- "$command" $(arguments_of "$command")
	for form in '' --json --csv; do
		grep -q -- "^      $form " help || [ -z "$form" ] || continue
		# shellcheck disable=SC2086
		for file in . / none/file $full; do
			run "$@" $form -o "$file"
			fails "$status" "$@" "$form" -o "$file"
			[ ! -s "$out" ] || echo 'output:' "$@" "$form" -o "$file" >>wrong
		done
		# shellcheck disable=SC2086
		"$tickwise" "$@" $form >&- 2>"$err"
		fails $? 'without stdout:' "$@" "$form"
		[ -z "$full" ] || "$tickwise" "$@" $form >"$full" 2>"$err"
		fails $? 'on a full disk:' "$@" "$form"
	done
	is "$(cat wrong)" '' "$command: output that can't be written"
done <commands

# The HTML page and the printed page would be mixed in one file.
for arguments in check 'check --json' 'report a.json' 'diff a.json b.json'; do
	rm -f got
	# shellcheck disable=SC2086
	run $arguments -o got --html=./got
	is "$status $(cat "$err") $(ls got 2>/dev/null)" "64 tickwise ${arguments%% *}: can't \
write ./got: the output goes to this file, too " "$arguments: one file for both is refused"
done
"$tickwise" check --html=got >got 2>"$err"
is "$? $(wc -c <got | tr -d ' ')" '64 0' 'as is one that the shell opened'
run check -o /dev/null --html=/dev/null
is "$status" 0 'but not a device'
for arguments in 'report a.json -o got --trace=./got' 'profile --keep=./got -o got a.json'; do
	# shellcheck disable=SC2086
	run $arguments
	is "$status $(cat "$err")" "64 tickwise ${arguments%% *}: can't write ./got: the output \
goes to this file, too" "$arguments: nor another file"
done
rm -f got
mkdir -p folder
pairs='report --html=got --trace=./got a.json'
[ ! -x "${tickwise%-recorded}-attach" ] || pairs="$pairs
attach --json=got --html=./got -- true
attach --json=got --html=folder/../got -- true
attach --html=got -o./got -- true
attach --json=got -o./got -- true"
echo "$pairs" | while read -r arguments; do
	# shellcheck disable=SC2086
	run $arguments
	echo "$status $(sed 's/ [^ ]*got:/ GOT:/' "$err") $(ls got 2>/dev/null)"
done >of_two
is "$(sed 's/tickwise [a-z]*/tickwise/' of_two | sort -u)" \
	"64 tickwise: can't write GOT: two options name this file " \
	'one file of two options is refused'

# This happens before a program in the kernel is needed.
if [ -x "${tickwise%-recorded}-attach" ]; then
	for option in --html --json; do
		run attach $option=none/file -- echo its own
		is "$status $(cat "$err" "$out")" \
			"74 tickwise attach: can't write none/file: No such file or directory" \
			"attach $option: a file that can't be written, before the program runs"
	done
else
	skip 'no tickwise-attach'
fi

# A new file must not get the text of a closed stream.
run report none.json -o got
"$tickwise" report none.json -o got 2>&-
is "$? $(cat got 2>/dev/null)" '66 ' 'no stderr: a message does not get into the output'
"$tickwise" check --json --html=got.html >&- 2>"$err"
is "$? $(grep -c '"schema"' got.html)" '74 0' 'no stdout: nothing of it gets into the page'
done_testing
