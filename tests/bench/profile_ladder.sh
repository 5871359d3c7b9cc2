#!/bin/sh
# SPDX-License-Identifier: MIT
#
# How well does the profile know short functions? Runs a ladder of 10, 30, 100 and
# 1000 dependent multiplications and three nested levels, with hooks and without in
# one run, on an idle machine:
#
#	TW_BUILD=build tests/bench/profile_ladder.sh [FENCE]
#
# The truth of a ladder's function is its chain: steps times the time of a step,
# which the two longest without hooks give, minus the same call with no step. The
# truth of the nested ones is what they take without hooks, loop and call included.
# All are medians of calls, since a mean contains other work of the machine.
# "stated" is the uncertainty that the profile states for a call with everything in
# it.
#
# The constants are those of the moments of their calibration, right before the
# ladder and right after. If the processor changed its frequency meanwhile, or
# another program got the core's other half, no call takes them. Three signs show
# that, and none depends on whether the constants are right. What the ladder takes
# without hooks differs from round to round; so does what it takes with hooks; or
# the constants before and after differ.
#
# With such a sign the figures are printed, and the end is SKIP and 77. Without any
# the bars hold (fence full): 1 ns or 1 % of each function of the ladder, 3 ns a
# call of the nested ones, and hooks take of the shortest what was calibrated. What
# is off is named, and the end is 1.
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
	LD_LIBRARY_PATH=$build ./ladder profile >plain
"$build/tickwise" profile --json profile.before >json.before
"$build/tickwise" profile --json profile >json
perl -MJSON::PP -e '
	local $/;
	open(F, "plain"); my %row = map { my @f = split; $f[0] => \@f } split /\n/, <F>;
	my %plain = map { $_ => $row{$_}[1] } keys %row;
	open(F, "json"); my $all = decode_json(<F>);
	open(F, "json.before"); my $before = decode_json(<F>);
	my $step = ($plain{m1000} - $plain{m100}) / 900;
	my $ns = 1e9 / $all->{hz};
	printf "fence %s, inside %.2f ns (+- %.2f), a step %.3f ns\n",
		$all->{fence}, $all->{hooks}{inside_ns},
		$all->{hooks}{inside_spread_ns}, $step * $ns;
	printf "%-6s %9s %9s %7s %8s %7s\n", "", "truth", "profile", "off",
		"off/call", "stated";
	my %levels = (leaf => 0, mid => 4, top => 20);
	my @wrong;
	for my $f (sort { $plain{$a->{name}} <=> $plain{$b->{name}} }
		   grep { $plain{$_->{name}} } @{$all->{functions}}) {
		my $name = $f->{name};
		my $truth = $name =~ /^m(\d+)/ ? $1 * $step : $plain{$name};
		my $off = $f->{percentiles_ns}{"50.000000"} - $truth * $ns;
		printf "%-6s %9.2f %9.2f %+7.2f %+8.2f %7.2f\n", $name, $truth * $ns,
			$f->{percentiles_ns}{"50.000000"}, $off,
			$off / (1 + ($levels{$name} // 0)),
			$f->{inclusive}{uncertainty_ns} / $f->{calls};
		my $bar = $truth * $ns < 100 ? 1 : $truth * $ns / 100;
		$bar = 3 * (1 + $levels{$name}) if exists $levels{$name};
		push @wrong, sprintf("%s by %+.2f ns", $name, $off) if abs($off) > $bar;
	}
	sub both { $_[0]{hooks}{inside_ns} + $_[0]{hooks}{outside_ns} }
	# The file has the mean of the constants before and after.
	my $moved = 2 * (both($all) - both($before));
	my $swing = 100 * ($row{m1000}[3] / $row{m1000}[2] - 1);
	my $swing_hooked = ($row{m10}[6] - $row{m10}[5]) * $ns;
	my $took = ($row{m10}[4] - $row{m10}[1]) * $ns - both($all);
	printf "quartiles apart: m1000 without hooks %.1f %%, m10 with %.2f ns; constants " .
		"after - before: %+.2f ns\n", $swing, $swing_hooked, $moved;
	printf "hooks took %+.2f ns more of m10 than calibrated\n", $took;
	# The bars: 1 % of a long chain; 1 ns, the error of the mean of constants
	# that moved by 2; 3 ns a call, the error of the middle of a range that is 6
	# wide.
	if ($swing > 1 || $swing_hooked > 6 || abs($moved) > 2) {
		print "SKIP disturbed: the constants are not those of this run\n";
		exit 77;
	}
	exit 0 if $all->{fence} ne "full";
	# The constants are the lowest tenth of blocks, but this is the median. A
	# caller without work of its own is at one end of their spread.
	push @wrong, sprintf("the constants by %+.2f ns", -$took) if abs($took) > 5;
	print map { "off: $_\n" } @wrong;
	exit(@wrong ? 1 : 0)'
