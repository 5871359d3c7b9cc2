#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The programs of the open questions (tests/bench/questions) run, and the scripts of
# tests/bench have no syntax errors. Fails if a program stops before its last table,
# if a computed error changes, or if a bad argument is taken. Figures that depend on
# time are not judged.

. "$(dirname "$0")/../../tap.sh"

programs=${TW_BUILD:-$root/build}/tests/bench/questions

# skipped WHAT...: skips subtests, with the reason that the program gave
skipped()
{
	for what in "$@"; do
		tap_count=$((tap_count + 1))
		echo "ok $tap_count - $what # SKIP $(cat "$err")"
	done
}

# answer PROGRAM ARGUMENT...: runs one; leaves $status, $out and $err
answer()
{
	program=$1
	shift
	# Without a folder, parameters writes no file to a disk.
	TMPDIR=/dev/null/none "$programs/$program" "$@" >"$out" 2>"$err"
	status=$?
}

# begin PROGRAM ARGUMENT...: runs one in the background, since each waits for windows
begin()
{
	(
		out=$scratch/$1.out err=$scratch/$1.err
		answer "$@"
		echo "$status" >"$scratch/$1.status"
	) &
}

# ended PROGRAM: takes what was begun
ended()
{
	out=$scratch/$1.out err=$scratch/$1.err status=$(cat "$scratch/$1.status")
}

begin modulus 1
begin balance 1
begin timespec 20
begin parameters 1
wait

ended modulus
is "$(grep '^its own ' "$out" | tr -s ' ' | sed -n 2p)" \
	'its own 1.18 2.13 6.94 8.89 16.79' 'errors of the chosen modulus after an hour'
is "$(grep -c '^  to nearest *0.50 *0.50 *0.50 *0.50 *0.50$' "$out")" 3 \
	'a rounded product is within half a nanosecond'
is "$(sed -n '/^The article/,$p' "$out" | grep '^2^32 ' | tail -n 1 | tr -s ' ')" \
	'2^32 1.04e+03 1.34e+03 1.58e+03 2.15e+03 8.3e+03' \
	"errors of the article's form after an hour"

# They end with 2 where there is no counter to measure with.
if [ "$status" -eq 2 ]; then
	skipped 'modulus' 'the costs of all forms'
else
	is "$status" 0 'modulus'
	is "$(grep -cE ' \( *[0-9.]+ - +[0-9.-]+\)$' "$out")" 6 \
		'the costs of all forms'
fi
ended balance
if [ "$status" -eq 2 ]; then
	skipped 'balance' 'ends with its last part'
else
	is "$status" 0 'balance'
	grep -qE '^Load average|was not recognised' "$out"
	ok $? 'ends with its last part'
fi
ended timespec
if [ "$status" -eq 2 ]; then
	skipped 'timespec' 'both tables are whole'
else
	is "$status" 0 'timespec'
	is "$(grep -c '^  two timespecs to ns ' "$out")" 2 'both tables are whole'
fi
ended parameters
if [ "$status" -eq 2 ]; then
	skipped 'parameters' 'both tables are whole' 'the disk is left out'
else
	is "$status" 0 'parameters'
	is "$(grep -cE '^(lines in 128 MiB|sleep of 100 us)' "$out")" 2 \
		'both tables are whole'
	has "$out" 'No file there can be read from a disk' 'the disk is left out'
fi

# This needs no counter. Like the errors above, its numbers are those of an
# independent program with exact fractions.
answer balance 0 2.6e9
is "$status" 0 'balance without windows'
is "$(grep -A4 '^after 1 h ' "$out" | tail -n 1 | tr -s ' ')" \
	'exact 1.09e+03 8.89 30.12 1.96e+06' 'errors of an exact rate after an hour'
has "$out" 'Conversions outside what the scale promises: 0' 'no promise is broken'
has_not "$out" 'Measured' 'nothing is measured'

for bad in 'balance x' 'balance 1 3' 'modulus 0' 'timespec 0' 'parameters 1 2'; do
	# shellcheck disable=SC2086
	answer $bad
	is "$status $(wc -c <"$out")" '64 0' "refused: $bad"
done

scripts=0
for script in $(find "$root/tests/bench" -name '*.sh'); do
	sh -n "$script" 2>"$err" || break
	scripts=$((scripts + 1))
done
is "$scripts" "$(find "$root/tests/bench" -name '*.sh' | wc -l)" \
	"scripts without syntax errors$(sed 's/^/, but /' "$err")"
done_testing
