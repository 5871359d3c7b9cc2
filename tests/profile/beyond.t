#!/bin/sh
# SPDX-License-Identifier: MIT
# Tests: core/profile core/profile/command
#
# What a call can have lost beyond the two constants goes from the recorded program
# into its file, and from there into every uncertainty, the heading and the JSON.
# Fails if it is measured and not used: the error of a program of short functions
# would not cover what they take without hooks.

. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/profile.sh"

# A caller and its 7 calls of another; ticks are nanoseconds.
profile() {
	cat >"$scratch/by_hand" <<END
tickwise-profile 1
program one
pid 1
rate 1000000000 0 MONOTONIC_RAW kernel
fence full
cost 10.000 1.000 20.000 2.000 3.000 0.000 0.000 100$1
wall 0 20000
node 1 0 10 1 0 10000 9900 9900 0 0 0
node 2 1 20 7 0 5000 2400 2400 0 0 0
end
END
}

# uncertainties: prints those of the caller's self and inclusive time and of the callee's
uncertainties() {
	run profile --csv "$scratch/by_hand"
	awk -F, '/^"0x10"/ { a = $9 " " $12 } /^"0x20"/ { b = $9 " " $12 }
		END { print a, b }' "$out"
}
profile ' 40.000'
# 1 + 7 * 2 + (1 + 7) / 2 * 40; 1 + 7 * 3 + (1 / 2 + 7) * 40; 7 + 7 / 2 * 40
is "$(uncertainties)" '175.000 322.000 147.000 147.000' 'in every uncertainty'
run profile "$scratch/by_hand"
# The heading may be broken anywhere.
tr -s ' \n' ' ' <"$out" >"$scratch/heading"
has "$scratch/heading" 'a call can have lost up to 40 ns more' 'in the heading'
run profile --json "$scratch/by_hand"
has "$out" '"beyond_ns": 40.0' 'in the JSON'
for more in '' ' x' ' 40x' ' 40.000 1' x; do
	profile "$more"
	run profile "$scratch/by_hand"
	is "$status $(wc -l <"$err") $(wc -c <"$out")" '65 1 0' \
		"not nine numbers: '100$more' is refused"
done

compile gcc short <<'END'
static volatile int sink;
static __attribute__((noinline)) void called(void) { sink++; }
int main(void) { called(); return 0; }
END
record '' "$scratch/short"
is "$program_status $status" '0 0' 'a program is recorded'
is "$(awk '/^cost / { print NF, $10 ~ /^[0-9]+[.][0-9]+$/ }' "$scratch/profile")" \
	'10 1' 'and what its calls can have lost'
done_testing
