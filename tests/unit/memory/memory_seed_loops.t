#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The mistakes of --seed-table are really in the machine code. A pointer on the
# stack is read from there before each load and written back after it; one in a
# register is not. A loop whose result is not used has no load. Fails if a compiler,
# or an option of the build, repairs or makes a mistake.

. "$(dirname "$0")/../../tap.sh"

objects=${TW_BUILD:-$root/build}/core/memory
skip=
[ "$(uname -m)" = x86_64 ] || skip='written for x86-64'
[ -z "${TW_SANITIZE:-}" ] || skip='sanitizers change the code'
[ -e "$objects/seed_spilled.o" ] || skip='no objects here'
command -v objdump >/dev/null || skip='no objdump'
if [ -n "$skip" ]; then
	echo "1..0 # SKIP $skip"
	exit 0
fi

# function OBJECT NAME: prints its instructions, one on a line
function() {
	objdump -d --no-show-raw-insn "$objects/$1" |
		awk -v name="<$2>:" '$2 == name { on = 1; next }
			/^$/ { on = 0 } on { $1 = ""; print }'
}
function seed_spilled.o tw_seed_spilled >"$scratch/spilled"
function seed_register.o tw_seed_touched >"$scratch/touched"
function seed_register.o tw_seed_unused >"$scratch/unused"

stack='-?0x[0-9a-f]+\(%r[bs]p\)'
# The 100 loads of a turn, each of an address that a register holds.
load=' mov +\((%r[a-z0-9]+)\),(%r[a-z0-9]+)$'
loads() {
	grep -cE "$load" "$1"
}
is "$(loads "$scratch/spilled")" 100 'spilled: 100 loads'
[ "$(grep -cE " mov +$stack,%r" "$scratch/spilled")" -ge 100 ]
ok $? 'each address is read from the stack'
[ "$(grep -cE " mov +%r[a-z0-9]+,$stack" "$scratch/spilled")" -ge 100 ]
ok $? 'and written back there'
is "$(loads "$scratch/touched")" 100 'in a register, used: 100 loads'
[ "$(sed -n '/ mov *(/,$p' "$scratch/touched" | head -n 100 |
	grep -cE "$load")" -eq 100 ]
ok $? 'one after the other, nothing between them'
[ "$(grep -E "$load" "$scratch/touched" | sort -u | wc -l)" -eq 1 ]
ok $? 'each from the register that it goes to'
is "$(loads "$scratch/unused")" 0 'in a register, unused: no load'
done_testing
