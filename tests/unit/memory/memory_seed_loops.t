#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The chase has nothing but its loads, and the mistakes of --seed-table are really in the
# machine code. A pointer on the stack is read from there before each load and written back
# after it; one in a register is not. A loop whose result is not used has no load. Fails if a
# compiler, or an option of the build, repairs or makes a mistake.

. "$(dirname "$0")/../../tap.sh"

object=${TW_BUILD:-$root/build}/core/memory/chase.o
skip=
[ "$(uname -m)" = x86_64 ] || skip='written for x86-64'
[ -z "${TW_SANITIZE:-}" ] || skip='sanitizers change the code'
[ -e "$object" ] || skip='no objects here'
command -v objdump >/dev/null || skip='no objdump'
if [ -n "$skip" ]; then
	echo "1..0 # SKIP $skip"
	exit 0
fi

# counts NAME PATTERN: prints how many instructions of the function match
counts() {
	objdump -d --no-show-raw-insn "$object" | awk -v name="<$1>:" '
		$2 == name { on = 1; next } /^$/ { on = 0 } on { $1 = ""; print }' >"$scratch/code"
	grep -cE "$2" "$scratch/code"
}

stack='-?0x[0-9a-f]+\(%r[bs]p\)'
# The 64 loads of a turn, each of an address that a register holds.
load=' mov +\((%r[a-z0-9]+)\),(%r[a-z0-9]+)$'
is "$(counts tw_chase_spilled "$load")" 64 'spilled: 64 loads'
[ "$(counts tw_chase_spilled " mov +$stack,%r")" -ge 64 ]
ok $? 'each address is read from the stack'
[ "$(counts tw_chase_spilled " mov +%r[a-z0-9]+,$stack")" -ge 64 ]
ok $? 'and written back there'
is "$(counts tw_chase_unused "$load")" 0 'in a register, unused: no load'
is "$(counts tw_chase "$load")" 64 'in a register, used: 64 loads'
is "$(sed -n '/ mov *(/,$p' "$scratch/code" | head -n 64 | grep -cE "$load")" 64 \
	'one after the other, nothing between them'
is "$(grep -E "$load" "$scratch/code" | sort -u | wc -l)" 1 \
	'each from the register that it goes to'
done_testing
