#!/bin/sh
# SPDX-License-Identifier: MIT
# Tests: core/profile core/profile/command
#
# --svg draws every path of calls as wide as its time. A callee lies within its
# caller, on the row above it, and no two frames overlap. The result is one
# well-formed file that loads nothing. Fails if widths include the hooks, if a name
# can be markup, or if frames are lost without a message.

. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/../well_formed.sh"

# A profile as the library writes it: hooks take 100 ticks inside and none outside,
# at one tick a nanosecond. Of the two functions whose addresses have no object, one
# is called from both.
cat >"$scratch/profile" <<'END'
tickwise-profile 1
program /where/<it>&"is"
pid 1
rate 1000000000 0 MONOTONIC_RAW kernel
fence full
cost 100.000 0.000 0.000 0.000 0.000 0.000 0.000 1 0.000
wall 0 20000
node 1 0 10 1 0 10000 9900 9900 0 0 0
node 2 1 20 2 0 5000 2400 2400 0 0 0
node 3 2 30 1 0 1200 1100 1100 0 0 0
node 4 1 30 1 0 1300 1200 1200 0 0 0
node 5 1 40 1 0 101 1 1 0 0 0
end
END
run profile --svg "$scratch/profile"
is "$status $(wc -c <"$err")" '0 0' 'drawn'
well_formed "$out" 'with markup in a name'
is "$(grep -c -i -e 'href' -e '<script' -e 'url(' "$out")" 0 \
	'nothing of another file, no script'
# Print x, y and width of each frame, by name.
perl -ne 'print "$1 $2 $3 $4\n" if
	/<title>(\S+): .*<rect class="k\d+" x="([\d.]+)" y="(\d+)" width="([\d.]+)"/' \
	"$out" | sort >"$scratch/frames"
# All is 10000 minus 100 for each of the 6 calls.
is "$(wc -l <"$scratch/frames")" 4 'each path once'
has "$out" '; 1 too narrow to be seen' 'one that is too narrow is counted'
perl -ane '
	push @all, [@F];
	END {
		my ($outer) = grep { $_->[0] eq "0x10" } @all;
		my ($inner) = grep { $_->[0] eq "0x20" } @all;
		my @both = sort { $a->[2] <=> $b->[2] } grep { $_->[0] eq "0x30" } @all;
		# All is 1200 wide; places have two decimals.
		sub is { my ($frame, $ticks) = @_;
			abs($frame->[3] - $ticks * 1200 / 9400) < .02 }
		die "widths\n" unless is($outer, 9400) && is($inner, 4700) &&
			is($both[0], 1100) && is($both[1], 1200);
		for ([$inner, $outer], [$both[0], $inner], [$both[1], $outer]) {
			my ($child, $parent) = @$_;
			die "rows\n" unless $child->[2] == $parent->[2] - 18;
			die "outside\n" unless $child->[1] >= $parent->[1] - .02 &&
				$child->[1] + $child->[3] <= $parent->[1] + $parent->[3] + .02;
		}
		die "on each other\n" unless $both[1][1] >= $inner->[1] + $inner->[3] - .02;
	}' "$scratch/frames" 2>"$scratch/wrong"
is "$(cat "$scratch/wrong")" '' 'as wide as their times, each within its caller'
done_testing
