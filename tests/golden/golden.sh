# SPDX-License-Identifier: MIT
#
# Compares the whole outputs of the program with the files in expected/. To be
# sourced. Fails if one character of an output changes.
#
# To accept a change: `TW_EXPECT=1 make test TEST=tests/golden/NAME.t` writes the files of that
# test anew, and removes those that it no longer makes. The commit explains each
# line that changed. `for t in tests/golden/*.t; do TW_EXPECT=1 $t; done` writes all
# files.
#
# Nothing here depends on machine, time, load, user, time zone, locale or terminal.
# What the program measures of a machine is recorded (recorded.h); other inputs are
# files of the test. mask() below masks this, and nothing else:
#
#	DIR		the test's own directory
#	XXXXXX		the random part of a temporary file's name
#	0 s, 0		how long memlat took (the page, took_ns)
#	COUNTER		the name of the processor's counter
#	numbers of 16 and more digits with a point: 15 digits. Versions of the JSON
#			library differ in the last ones

. "$(dirname "$0")/../tap.sh"

TZ=UTC0
TERM=dumb
export TZ TERM
unset COLUMNS FIO FIO_PATCHED TICKWISE_PROFILE

test=$(basename "$0" .t)
expected=$root/tests/golden/expected
got=$scratch/got
mkdir "$got" "$scratch/work"
recorded=${TW_BUILD:-$root/build}/tickwise-recorded
cd "$scratch/work" || exit 1

mask()
{
	perl -pe '
		BEGIN { $dir = shift }
		s|\Q$dir\E(/work)?|DIR|g;
		s|(DIR/tmp/[\w.-]*)\w{6}\b|$1XXXXXX|g;
		s/(-?\d+\.\d+(?:[eE][-+]?\d+)?)/shorten($1)/ge;
		s/ in \d+ s(?=$|;)/ in 0 s/ if /^CPU |^  first size; /;
		s/"took_ns": \d+/"took_ns": 0/;
		s/^(Counter     )(tsc|cntvct|tb|time)\b/$1COUNTER/;
		s/("counter": ?\{\s*"name": ?)"\w+"/$1"COUNTER"/;
		s/^(\s*"name": )"(tsc|cntvct|tb|time)"/$1"COUNTER"/;
		sub shorten {
			my $number = shift;
			my ($digits) = $number =~ /^-?0*\.?0*([\d.]*)/;
			return $digits =~ tr/0-9// < 16 ? $number :
				sprintf "%.15g", $number;
		}' "$scratch"
}

# compact: puts what is deeper than two levels of JSON on the line of its second level
compact()
{
	perl -0pe 's/\n {6,}(?=\S)/ /g; s/\n {4}(?=[\]}])/ /g'
}

# compare NAME DESCRIPTION: compares $got/NAME with expected/NAME
compare()
{
	[ -z "${TW_EXPECT-}" ] || cp "$got/$1" "$expected/$1"
	cmp -s "$expected/$1" "$got/$1"
	ok $? "$2"
	cmp -s "$expected/$1" "$got/$1" ||
		diff -u "$expected/$1" "$got/$1" 2>&1 | sed '1,2d; s/^/# /'
}

# golden NAME ARGUMENT...: runs the program; compares the command line, output,
# errors and exit code
golden()
{
	name=${test}_$1.txt kind=${1##*_}
	shift
	run "$@"
	{
		echo "\$ tickwise $*"
		cat "$out"
		[ ! -s "$err" ] || { echo '---- stderr'; cat "$err"; }
		echo "---- exit code $status"
	} | mask | case $kind in json) compact ;; *) cat ;; esac >"$got/$name"
	compare "$name" "$name"
}

# golden_on MACHINES NAME ARGUMENT...: runs golden on recorded machines
golden_on()
{
	TW_MACHINE=$1
	export TW_MACHINE
	shift
	tickwise=$recorded
	golden "$@"
}

# golden_file NAME FILE: compares a file that the program wrote
golden_file()
{
	mask <"$2" >"$got/${test}_$1"
	compare "${test}_$1" "${test}_$1"
}

# usage_errors COMMAND...: runs the command with the arguments in each line of
# standard input. One golden output has all exit codes and messages.
usage_errors()
{
	while read -r line; do
		# shellcheck disable=SC2086	# words of a line
		run "$@" $line
		echo "\$ tickwise ${*:+$* }$line"
		cat "$out" "$err"
		echo "---- exit code $status"
	done >"$scratch/errors"
	golden_file errors.txt "$scratch/errors"
}

# golden_done: checks that each file of this test was compared
golden_done()
{
	for file in "$expected/${test}"_*; do
		[ ! -e "$got/${file##*/}" ] || continue
		[ -z "${TW_EXPECT-}" ] || { rm -f "$file"; continue; }
		echo "${file##*/}"
	done >"$scratch/left"
	is "$(cat "$scratch/left")" '' 'every expected file is compared'
	done_testing
}
