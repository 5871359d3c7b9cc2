#!/bin/sh
# SPDX-License-Identifier: MIT
#
# What does `tickwise attach` cost? As root:
#
#	tests/bench/attach_cost.sh [ROUNDS]
#
# Each round runs a program alone, with attach following it, and with attach following another one,
# in turn. The program reads from the page
# cache, or two threads of it on one CPU wake each other by a futex, a pipe or epoll. Prints the
# medians, and the medians of the ratios and differences of each round.
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
build=${TW_BUILD:-$root/build}
rounds=${1:-11}
work=$(mktemp -d "${TMPDIR:-/tmp}/attach_cost.XXXXXX")
other=
trap '[ -z "$other" ] || kill $other 2>/dev/null; rm -rf "$work"' EXIT
trap 'exit 1' INT TERM
cd "$work" || exit
switches=$build/tests/bench/switches
head -c 1048576 /dev/zero >file

end_other()
{
	kill -INT $other 2>/dev/null
	wait $other 2>/dev/null
	other=
}

for kind in reads futex pipe epoll; do
	[ $kind = reads ] && run="$switches reads file 1000000" || run="$switches $kind 200000"
	: >$kind
	for round in $(seq "$rounds"); do
		alone=$($run)
		followed=$("$build/tickwise" attach --quiet -o /dev/null -- $run)
		sleep 1000 & sleeper=$!
		"$build/tickwise" attach --quiet -o /dev/null $sleeper & other=$!
		sleep 1.5
		beside=$($run)
		end_other
		kill $sleeper 2>/dev/null
		wait $sleeper 2>/dev/null
		echo "$alone $followed $beside" >>$kind
	done
	perl -we 'use strict;
		my ($kind) = @ARGV;
		my (@alone, @followed, @beside, @ratio, @more);
		while (<STDIN>) {
			my ($alone, $followed, $beside) = split;
			push @alone, $alone;
			push @followed, $followed;
			push @ratio, $followed / $alone;
			push @more, ($beside - $alone) / ($kind eq "reads" ? 1 : 2);
		}
		my $middle = sub { my @v = sort { $a <=> $b } @_; $v[$#v / 2] };
		my $range = sub { my @v = sort { $a <=> $b } @_; sprintf "%.3f to %.3f",
			$v[$#v / 4], $v[3 * $#v / 4] };
		printf "%-6s alone %.0f ns, followed %.0f ns: ratio %.3f (%s); next to a " .
			"followed program: %+.0f ns a %s\n", $kind, $middle->(@alone),
			$middle->(@followed), $middle->(@ratio), $range->(@ratio), $middle->(@more),
			$kind eq "reads" ? "read" : "switch"' $kind <$kind
done
