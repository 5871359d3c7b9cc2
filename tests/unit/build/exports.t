#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The shared library exports exactly what the header declares. With more, internals
# would become somebody's interface; with less, programs would not link. Fails if a
# new function of the header is not in the version script, or a removed one still
# is. Fails if there are more than 29: a library that is easy to learn has few.
# Fails also if one of them has no caller, or if the shared
# library holds what none of them needs.

. "$(dirname "$0")/../../tap.sh"
. "$(dirname "$0")/header_names.sh"

build=${TW_BUILD:-$root/build}
library=$build/libtickwise.so
soname=libtickwise.so.$("$tickwise" --version | sed 's/^tickwise \([0-9]*\).*/\1/')

prototypes "$root/core/tickwise.h" | awk '$1 == "function" { print $2 }' |
	sort >"$scratch/declared"
[ "$(wc -l <"$scratch/declared")" -ge 20 ] &&
	[ "$(wc -l <"$scratch/declared")" -le 29 ]
ok $? "the header declares $(wc -l <"$scratch/declared") functions"

# Versions themselves are absolute symbols (A); sanitizers bring their own.
nm -D --defined-only "$library" |
	awk '$2 != "A" && $3 !~ /^(__|_fini|_init)/ {
		sub(/@.*/, "", $3); print $3 }' |
	sort >"$scratch/exported"
is "$(diff "$scratch/declared" "$scratch/exported")" '' 'the library exports these and no others'

is "$(objdump -p "$library" | awk '$1 == "SONAME" { print $2 }')" "$soname" \
	"the soname is $soname"

# The functions that inline functions call have no other caller.
grep -v '^tw__' "$scratch/declared" >"$scratch/public"

# users FOLDER...: prints the functions that sources below these folders call
users() {
	find "$@" -name '*.[ch]' -exec grep -ohE 'tw_[a-z_0-9]+\(' {} + |
		tr -d '(' | sort -u
}
users "$root/core/command" "$root/core/example" "$root/core/preload" \
	"$root/core/profile" "$root/plugin" >"$scratch/used"
comm -23 "$scratch/public" "$scratch/used" >"$scratch/wrong"
empty "$scratch/wrong" 'each is called by the program, an engine or the example'
sed -n 's/^	.*\(tw__clock_[a-z_]*slow\)(.*/\1/p' "$root/core/tickwise.h" |
	sort -u | cat - "$scratch/public" | sort >"$scratch/all"
comm -13 "$scratch/all" "$scratch/declared" >"$scratch/wrong"
empty "$scratch/wrong" 'or by an inline function'

# Follow the exported functions, object by object, to all that they need. The shared
# library must hold nothing beyond that.
nm -A "$build/libtickwise.a" 2>/dev/null >"$scratch/symbols"
nm "$library" | awk '$3 ~ /^tw_/ { print $3 }' | sort -u >"$scratch/held"
perl -e '
	my (%object_of, %needs, %reached, @next);
	sub lines { open my $f, "<", $_[0] or die; my @l = <$f>; chomp @l; @l }
	for (lines($ARGV[0])) {
		/:([^:]+\.o):\S* +([A-Za-z]) (\S+)$/ or next;
		if ($2 eq "U") { push @{$needs{$1}}, $3 }
		else { $object_of{$3} = $1 }
	}
	@next = lines($ARGV[1]);
	while (@next) {
		my $object = $object_of{shift @next} or next;
		push @next, @{$needs{$object} || []} unless $reached{$object}++;
	}
	for (lines($ARGV[2])) {
		my $object = $object_of{$_};
		print "$_ of ", $object || "no object", "\n"
			unless $object && $reached{$object};
	}' "$scratch/symbols" "$scratch/declared" "$scratch/held" >"$scratch/wrong"
[ "$(wc -l <"$scratch/held")" -ge 40 ]
ok $? "the library holds $(wc -l <"$scratch/held") functions and tables"
empty "$scratch/wrong" 'exported functions reach all of them'
done_testing
