#!/bin/sh
# SPDX-License-Identifier: MIT
#
# How well does the profile know short functions? A ladder of 10, 30, 100 and
# 1000 dependent multiplications and three nested levels, with hooks and without
# in one run, on an idle machine:
#
#	TW_BUILD=build tests/bench/profile_ladder.sh [FENCE]
#
# The truth of a ladder's function is its chain: steps times what a step takes,
# which the two longest without hooks tell, less the same call of nothing. For
# the nested ones it is what they take without hooks, loop and call included.
# Medians of calls, as a mean has the machine's other business in it. "said" is the
# uncertainty that the profile states for a call with all in it.
#
# Constants are those of the moment when they were calibrated. When the processor
# changed its frequency since, or another program got the core's other half, no call
# takes them any more. Both show without the profile: in what the ladder takes without
# hooks, and in what hooks take of the shortest one in the run itself. Then the
# figures are printed, and the end is SKIP and 77.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
build=$(cd "${TW_BUILD:-$root/build}" && pwd)
fence=${1:-full}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
"$root/tests/bench/profile/gen_ladder.sh" >ladder.c
gcc -O2 -DHOOKED -finstrument-functions -c -o hooked.o ladder.c
gcc -O2 -I"$root/core" -o ladder ladder.c hooked.o -L"$build" -ltickwise-profile
TICKWISE_PROFILE=file=profile,histogram=3,fence=$fence \
	LD_LIBRARY_PATH=$build ./ladder >plain
"$build/tickwise" profile --json profile >json
perl -MJSON::PP -e '
	local $/;
	open(F, "plain"); my %row = map { my @f = split; $f[0] => \@f } split /\n/, <F>;
	my %plain = map { $_ => $row{$_}[1] } keys %row;
	open(F, "json"); my $all = decode_json(<F>);
	my $step = ($plain{m1000} - $plain{m100}) / 900;
	my $ns = 1e9 / $all->{hz};
	printf "fence %s, inside %.2f ns (+- %.2f), a step %.3f ns\n",
		$all->{fence}, $all->{hooks}{inside_ns},
		$all->{hooks}{inside_spread_ns}, $step * $ns;
	printf "%-6s %9s %9s %7s %8s %7s\n", "", "truth", "profile", "off",
		"off/call", "said";
	my %levels = (leaf => 0, mid => 4, top => 20);
	for my $f (sort { $plain{$a->{name}} <=> $plain{$b->{name}} }
		   grep { $plain{$_->{name}} } @{$all->{functions}}) {
		my $name = $f->{name};
		my $truth = $name =~ /^m(\d+)/ ? $1 * $step : $plain{$name};
		my $off = $f->{percentiles_ns}{"50.000000"} - $truth * $ns;
		printf "%-6s %9.2f %9.2f %+7.2f %+8.2f %7.2f\n", $name, $truth * $ns,
			$f->{percentiles_ns}{"50.000000"}, $off,
			$off / (1 + ($levels{$name} // 0)),
			$f->{inclusive}{uncertainty_ns} / $f->{calls};
	}
	my $swing = $row{m1000}[3] / $row{m1000}[2] - 1;
	my $took = ($row{m10}[4] - $row{m10}[1]) * $ns -
		   $all->{hooks}{inside_ns} - $all->{hooks}{outside_ns};
	printf "m1000 without hooks: quartiles %.1f %% apart; hooks took %+.2f ns more of " .
		"m10 than calibrated\n", 100 * $swing, $took;
	# What a long call may be off by, and a little more than a short one may:
	# the constants are the lowest tenth of blocks, this is the median.
	if ($swing > .01 || abs($took) > 5) {
		print "SKIP disturbed: the constants are not those of this run\n";
		exit 77;
	}'
