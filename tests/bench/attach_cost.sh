#!/bin/sh
# SPDX-License-Identifier: MIT
#
# What does `tickwise attach` cost? As root:
#
#	tests/bench/attach_cost.sh [ROUNDS [KIND...]]
#
# Each round runs a program alone, next to empty programs at the tracepoints of the scheduler that
# attach has, with attach following it, and with attach following another one, in turn. The program
# reads from the page cache (KIND reads), or two threads of it on one CPU wake each other by a futex,
# a pipe or epoll. Prints the medians, and the medians and quartiles of the ratios and differences of
# each round. TW_OTHER: another build, which takes a turn of its own after that of $TW_BUILD.
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
build=${TW_BUILD:-$root/build}
rounds=${1:-11}
[ $# -eq 0 ] || shift
work=$(mktemp -d "${TMPDIR:-/tmp}/attach_cost.XXXXXX")
other=
trap '[ -z "$other" ] || kill $other 2>/dev/null; rm -rf "$work"' EXIT
trap 'exit 1' INT TERM
cd "$work" || exit
switches=$build/tests/bench/switches
head -c 1048576 /dev/zero >file

end_other()
{
	kill $other 2>/dev/null
	wait $other 2>/dev/null
	other=
}

# Print the time with attach of the build $1 following the program, and next to one it follows.
attached()
{
	"$1/tickwise" attach --quiet -o /dev/null -- $run
	sleep 1000 & sleeper=$!
	"$1/tickwise" attach --quiet -o /dev/null $sleeper & other=$!
	sleep 1.5
	$run
	end_other
	kill $sleeper 2>/dev/null
	wait $sleeper 2>/dev/null
}

for kind in ${*:-reads futex pipe epoll}; do
	[ $kind = reads ] && run="$switches reads file 1000000" || run="$switches $kind 200000"
	: >$kind
	for round in $(seq "$rounds"); do
		alone=$($run)
		"$build/tests/bench/empty_programs" sched_switch sched_waking >ready & other=$!
		until grep -q ready ready; do kill -0 $other || exit; sleep 0.1; done
		empty=$($run)
		end_other
		for of in "$build" ${TW_OTHER:-}; do
			echo "$of $alone $empty" $(attached "$of") >>$kind
		done
	done
	perl -we 'use strict;
		my ($kind) = @ARGV;
		my (%all, @order);
		while (<STDIN>) {
			my ($of, $alone, $empty, $followed, $beside) = split;
			my $in = $kind eq "reads" ? 1 : 2;
			push @order, $of if !$all{$of};
			push @{$all{$of}[0]}, $alone;
			push @{$all{$of}[1]}, $followed / $alone;
			push @{$all{$of}[2]}, ($empty - $alone) / $in;
			push @{$all{$of}[3]}, ($followed - $empty) / $in;
			push @{$all{$of}[4]}, ($beside - $empty) / $in;
		}
		my $middle = sub { my ($format, $values) = @_;
			my @v = sort { $a <=> $b } @$values;
			sprintf "$format ($format to $format)", @v[$#v / 2, $#v / 4, 3 * $#v / 4] };
		for (@order) {
			my @of = @{$all{$_}};
			printf "%s: %-6s alone %s ns, followed: ratio %s; ns a %s: empty programs %s; " .
				"beyond them, followed %s, not followed %s\n", $_, $kind,
				$middle->("%.0f", $of[0]), $middle->("%.3f", $of[1]),
				$kind eq "reads" ? "read" : "sleep",
				map { $middle->("%+.0f", $_) } @of[2 .. 4];
		}' $kind <$kind
done
