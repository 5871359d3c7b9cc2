#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Folders need each other in one direction only: counter <- machine <- clock,
# estimate <- trust <- the program, the preload clock and the engines. Both the
# includes of files and the calls of their objects count. include_folders.pl has the
# whole order.
#
# Fails on a circle, and on a folder that uses one above it. First the check has to
# find such faults in a small tree.

. "$(dirname "$0")/../../tap.sh"

look=$root/tests/unit/build/include_folders.pl
tree=$scratch/tree

# Write standard input to PATH.
put()
{
	mkdir -p "$tree/$(dirname "$1")"
	cat >"$tree/$1"
}

# Make a tree without a fault: as in the library, the public header includes the
# counter's.
begin()
{
	rm -rf "$tree"
	echo '#include "counter/x86_64.h"' | put core/tickwise.h
	echo 'int tw_read(void);' | put core/counter/x86_64.h
	echo '#include "tickwise.h"' | put core/counter/state.c
	echo 'int tw_set_up(void);' | put core/clock/clock.h
	printf '%s\n' '#include "clock.h"' '#include "tickwise.h"' \
		'int tw_set_up(void) { return 0; }' | put core/clock/clock.c
	printf '%s\n' '#include "trust.h"' '#include "clock/clock.h"' |
		put core/trust.c
	echo | put core/trust.h
	echo '#include "trust.h"' | put plugin/engine.c
}

# is_found WORDS WHAT: passes if the tree has a fault, and that is printed
is_found()
{
	perl "$look" "$tree" "$scratch/objects" >"$out" 2>"$err" && : >"$out"
	has "$out" "$1" "$2"
}

begin
perl "$look" "$tree" >"$out" 2>"$err"
ok $? 'a small tree without a fault'
has "$out" '8 files, 7 includes' 'all of it was seen'

begin
echo '#include "clock/clock.h"' | put core/counter/state.c
is_found 'core/counter/state.c includes core/clock/clock.h' \
	'an include in the wrong direction'

begin
echo '#include "counter/state.h"' | put core/clock/clock.h
echo '#include "clock/clock.h"' | put core/counter/state.h
is_found 'a circle: core/clock -> core/counter -> core/clock' 'a circle'

begin
echo '#include "clock/clock.h"' | put core/machine/machine.c
echo '#include "estimate/judge.h"' | put core/clock/clock.c
echo '#include "machine/machine.h"' | put core/estimate/judge.h
echo '' | put core/machine/machine.h
is_found 'a circle: core/clock -> core/estimate -> core/machine -> core/clock' \
	'a circle of three'

begin
echo '#include "clock/clock.h"' | put core/estimate/judge.c
is_found 'core/estimate may not use core/clock' 'two folders of one height'

begin
echo '#include "trust.h"' | put core/clock/clock.c
is_found 'core/clock may not use core/trust' 'a decision above its user'

begin
echo '#include "../plugin/engine.h"' | put core/trust.h
echo '' | put plugin/engine.h
is_found 'core/trust may not use plugin' 'the library uses an engine'

begin
echo '#include "tickwise.h"' | put core/somewhere/new.c
is_found 'core/somewhere: it has no place' 'a folder without a place'

begin
printf '%s\n' 'int tw_set_up(void);' 'int tw_facts(void);' \
	'int tw_facts(void) { return tw_set_up(); }' | put core/machine/machine.c
for source in core/machine/machine core/clock/clock; do
	mkdir -p "$scratch/objects/$(dirname "$source")"
	${CC:-gcc} -I"$tree/core" -c -o "$scratch/objects/$source.o" \
		"$tree/$source.c" || echo "# $source.c does not compile"
done
is_found 'core/machine/machine.c calls tw_set_up()' \
	'a call in the wrong direction, without an include'

perl "$look" "$root" "${TW_BUILD:-$root/build}" >"$out" 2>"$err"
ok $? "$(tail -n 1 "$out")"
sed 's/^/# /' "$out" "$err"
[ "$(sed -n 's/.* \([0-9]*\) includes.*/\1/p' "$out")" -gt 500 ]
ok $? 'includes of all folders were seen'
# Elsewhere the objects may be missing.
[ ! -f "${TW_BUILD:-$root/build}/core/trust.o" ] ||
	[ "$(sed -n 's/.* \([0-9]*\) calls.*/\1/p' "$out")" -gt 500 ]
ok $? 'and calls, where there are objects'
done_testing
