#!/bin/sh
# SPDX-License-Identifier: MIT
#
# tests/ported/check.sh finds a subtest that is gone, unless moved.txt tells where
# it went or why it is missing. Fails if one is lost unseen, if a number in a name
# makes it another one, or if a machine that skips something is blamed.
. "$(dirname "$0")/../tap.sh"

list=$scratch/list
moved=$scratch/moved
log=$scratch/log

# log_of NAME...: prints subtests of unit/a.t, then those of a C test
log_of()
{
	n=0
	{
		echo '==> tests/unit/a.t'
		for name; do
			n=$((n + 1))
			echo "ok $n - $name"
		done
		printf '1..%s\n\n==> build/san-1/tests/unit/b.t\n' $n
		printf 'ok 1 - %s of 3.5 ns\nok 2 - %s/tmp.x1/f is there\n' one /var
	} >"$log"
}

# check: runs it; sets $status and $out
check()
{
	"$root/tests/ported/check.sh" "$log" "$list" "$moved" >"$out" 2>&1
	status=$?
}

log_of first '12 calls' '13 calls' last
: >"$moved"
TW_EXPECT=1 "$root/tests/ported/check.sh" "$log" "$list" "$moved" >/dev/null
is "$(tr '\t' ' ' <"$list")" 'unit/a.t 1 first
unit/a.t 1 last
unit/a.t 2 N calls
unit/b.c 1 PATH is there
unit/b.c 1 one of N ns' 'the list'
check
is "$status $(cat "$out")" '0 subtests: 0 gone, 0 explained by moved.txt, 0 not seen in tests that skip, 0 new' \
	'nothing is gone'

log_of first '99 calls' other '7 calls'
check
is "$status" 1 'one is gone'
has "$out" 'gone: unit/a.t: last' 'which one'
has "$out" 'new: unit/a.t: other' 'and which is new'
has "$out" '1 gone, 0 explained' 'another number is no other name'
log_of first '12 calls' last
check
is "$status $(grep -c 'gone: unit/a.t: N calls (1 times)' "$out")" '1 1' \
	'one of two of a name is gone'

log_of first other
for line in 'unit/a.t: last -> unit/a.t: other' 'unit/a.t: last -> deleted: ends' \
		'unit/a.t: last -> varies: no end'; do
	printf '# why\n\nunit/a.t: N calls -> deleted: calls\n%s\n' "$line" >"$moved"
	check
	is "$status $(grep -c '0 gone, 2 explained' "$out")" '0 1' "$line"
done
echo 'unit/a.t: last -> unit/a.t: nowhere' >>"$moved"
check
is "$status $(grep -c 'there is no unit/a.t: nowhere' "$out")" '1 1' \
	'a place that is not there'
echo 'unit/a.t: * -> unit/b.c: *' >"$moved"
check
is "$status" 0 'a whole file'
echo 'unit/a.t: * -> unit/c.c: *' >"$moved"
check
is "$status" 1 'to one that is not there'
echo 'unit/a.t' >"$moved"
check
[ "$status" -ne 0 ]
ok $? 'a line that says nothing'

: >"$moved"
log_of first
echo '==> tests/unit/a.t
ok 1 # SKIP no calls here' >>"$log"
check
is "$status $(grep -c '2 not seen' "$out")" '0 1' 'what is skipped here is not gone'
rm "$log"
check
is "$status" 1 'no log'
done_testing
