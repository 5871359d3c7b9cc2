#!/bin/sh
# SPDX-License-Identifier: MIT
# Tests: core/profile core/profile/command
#
# What is limited, filtered or cut off is counted and printed. Fails if a limit
# loses calls without a message, if a filter is ignored, or if half a file, or none,
# is taken for a profile. Fails also if a file in a folder of another user stops the command,
# or leads it to write elsewhere.

. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/profile.sh"

compile gcc program <<'END'
#define BARE __attribute__((noinline))
static volatile int sink;
static BARE void often(void) { sink++; }
static BARE int down(int n) { often(); n = n ? down(n - 1) : 0; sink++; return n; }
int main(void) { return down(99); }
END
record depth=10 "$scratch/program"
run profile "$scratch/profile"
# main, 9 of down and 8 of often are within 10 frames of another.
has "$out" 'calls not recorded: deeper than depth=' 'a depth limit is told'
dropped=$(sed -n 's/^dropped \([0-9]*\) .*/\1/p' "$scratch/profile")
is "$((dropped + $(field down 3) + $(field often 3) + $(field main 3)))" 201 \
	'and every call is counted'

record '' "$scratch/program"
calls often 100
record events,histogram "$scratch/program"
run profile --trace "$scratch/profile"
is "$(grep -c '"ph"' "$out")" 201 '--trace: every call'
run profile --json "$scratch/profile"
has "$out" '"percentiles_ns"' 'histogram: percentiles in the JSON'
record events=5 "$scratch/program"
is "$(grep -c '^event ' "$scratch/profile") $(grep -c '^dropped 0 0 0 0 0 196 0' \
	"$scratch/profile")" '5 1' 'events=5: five, and how many more there were'
is "$(grep -c '^usage [0-9][0-9]* [0-9][0-9]*$' "$scratch/profile")" 1 'what it used is told'
is "$(grep -c '^wall [1-9][0-9]* [1-9]' "$scratch/profile")" 1 \
	'a begin and an end'

run profile --trace "$scratch/profile"
is "$(cat "$err")" '' '--trace: nothing to tell'
record '' "$scratch/program"
run profile --trace "$scratch/profile"
is "$(cat "$err")" 'tickwise profile: no calls were kept to be drawn: record with --record=events' \
	'--trace without events: told'
run profile --exclude=ofen -- "$scratch/program"
is "$(cat "$err")" "tickwise profile: --exclude: $scratch/program has no function of that name" \
	'--exclude without such a function: told'

run profile --csv --exclude='oft*' --keep="$scratch/profile" -- "$scratch/program"
is "$status" 0 '--exclude: runs the program'
cp "$out" "$csv"
is "$(field often 3) $(field often 4)" '100 100' \
	'it is counted and never timed'
is "$(field down 3) $(field down 4)" '100 0' 'others are'
for path in ":$PATH" "$PATH:" "/none::$PATH"; do
	run_here=$(cd "$scratch" && PATH=$path "$tickwise" profile --csv \
		--exclude='oft*' -- program 2>&1)
	echo "$run_here" >"$csv"
	is "$(field often 4)" 100 "an empty element of PATH is the directory"
done

# A profile may name anything as an object of the program.
mkfifo "$scratch/pipe"
for other in "$scratch/pipe" /dev/zero; do
	sed "s|^\(map .*\) $scratch/program\$|\1 $other|" "$scratch/profile" >"$scratch/names"
	timeout 60 "$tickwise" profile "$scratch/names" >"$out" 2>"$err"
	is "$? $(grep -c "${other##*/}+0x" "$out")" '0 3' \
		"an object that is $other is not read"
done

# kept WHAT COMMAND...: passes if nothing waits, and the file "mine" is as it was
kept()
{
	what=$1
	shift
	echo mine >"$scratch/mine"
	timeout -k 1 60 "$tickwise" profile --csv --keep="$scratch/theirs/kept" "$@" \
		>"$out" 2>"$err"
	is "$? $(cat "$scratch/mine")" "$wanted mine" "$what"
	rm -f "$scratch/theirs/"*
}
mkdir "$scratch/theirs" "$scratch/theirs.tmp"
if [ "$(id -u)" -eq 0 ] && chown 65534 "$scratch/theirs" "$scratch/theirs.tmp"; then
	wanted=0
	ln -s "$scratch/mine" "$scratch/theirs/kept.filter"
	chown -h 65534 "$scratch/theirs/kept.filter"
	kept "another user's link in place of the filter" --exclude='oft*' -- "$scratch/program"
	mkfifo "$scratch/theirs/kept.filter"
	kept 'a pipe in its place' --exclude='oft*' -- "$scratch/program"
	wanted=66
	kept 'a profile of another user' -- sh -c \
		"'$scratch/program'; chown 65534 '$scratch/theirs/kept'"
	mkdir "$scratch/theirs.tmp/tmp"
	TMPDIR=$scratch/theirs.tmp/tmp run profile -- "$scratch/program"
	is "$status $(cat "$err")" "74 tickwise profile: no temporary folder in $scratch/theirs.tmp \
(TMPDIR): others can replace files in it" 'no temporary folder in one of another user'
else
	wanted=66
	skip 'only root can make files of another user'
fi
kept 'a pipe in place of the profile' -- sh -c \
	"'$scratch/program'; rm '$scratch/theirs/kept'; mkfifo '$scratch/theirs/kept'"

# A static program has the library's own functions among its symbols, and a filter
# can list them (unit/profile/profile_filtered tests what they are timed for).
if gcc -O2 -g -finstrument-functions -static -x c -o "$scratch/static" - \
	-x none "$build/libtickwise-profile.a" \
	"$build/libtickwise-profile_hooks.a" "$build/libtickwise.a" -lm \
	-pthread 2>"$scratch/log" <<'END'
static __attribute__((noinline)) int work(int n) { return n + 1; }
int main(void) { int n = 0; while (n < 5) n = work(n); return n != 5; }
END
then
	run profile --csv --exclude=work --exclude=empty \
		--keep="$scratch/of_static" -- "$scratch/static"
	cp "$out" "$csv"
	is "$status $(field work 3) $(field work 4) $(field main 4)" '0 5 5 0' \
		'a static program: its own is filtered'
	is "$(awk '/^cost / { print $9 }' "$scratch/of_static")" 648 \
		'and what the hooks take is known'
else
	skip "no static program: $(head -n 1 "$scratch/log")"
fi

echo older >"$scratch/half"
run profile --keep="$scratch/half" -- true
is "$status $(wc -l <"$err")" '66 1' \
	'a program without hooks: told, even where there is an older profile'
run profile --csv -- sh -c "'$scratch/program'; exit 127"
is "$status $(wc -l <"$err")" '0 1' 'a program with exit code 127: shown'
record off "$scratch/program"
[ ! -e "$scratch/profile" ]
ok $? 'off: writes nothing'
record bad=1 "$scratch/program"
has "$scratch/program_err" "'bad=1' is not understood" 'a wrong word is told'
calls main 1
done_testing
