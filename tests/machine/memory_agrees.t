#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Behaviour: a load takes as long in the engine as in memlat, in the first cache and
# beyond it, in either order. Defect: a latency divided by a wrong number of loads,
# ticks that pass for nanoseconds, another order or size than was asked for.
#
# This is no measurement of speed. Each of these defects is a factor of 2 or more,
# and the two have to agree within a factor of 1.5 once in six tries. The minima are
# compared, as a disturbance makes a load longer. The core's clock is left, which
# may differ between the two. If all six disagree and one of them was disturbed,
# there is no verdict, with one exception: six ratios within a tenth of each other
# are no disturbance.
. "$(dirname "$0")/../fio/memory_tap.sh"

cpu=$(sed -n 's/^Cpus_allowed_list:.*[-,\t]//p' /proc/self/status)

# ratio SIZE KIND REPEAT LOOPS: prints the ratio of the engine's minimum to
# memlat's, 0 if there is none, and how many percent of both were disturbed. I/Os
# take some 0.1 ms, as memlat's batches do: the engine's two stamps are a thousandth
# of that.
ratio()
{
	memory_fio --size="$1" --bs=16k --tw_pattern="$2" --tw_repeat="$3" \
		--loops="$4" --cpus_allowed="$cpu" --tw_report=report
	"$tickwise" memlat --cpu="$cpu" --min="$1" --max="$1" --curves="$2" \
		--pages=small --point=20 --json >memlat.json 2>err
	perl -MJSON::PP -e '
		local $/; my @json = map { open my $f, "<", $_ or die;
			decode_json(<$f>) } @ARGV;
		my ($ours, $theirs) = ($json[0]{load},
			$json[1]{curves}[0]{points}[0]);
		my ($few, $all) = (0, 0);
		for ($ours, $theirs) {
			$few += $_->{disturbed};
			$all += $_->{disturbed} + $_->{batches};
		}
		printf "%.3f %d\n", $ours->{min_ns} && $theirs->{min_ns} ?
			$ours->{min_ns} / $theirs->{min_ns} : 0,
			100 * $few / $all' report memlat.json 2>/dev/null ||
		echo 0 100
}

for what in '16384 random 256 200' '262144 window 64 12' \
		'4194304 random 8 1'; do
	disturbed=0
	apart=
	for try in 1 2 3 4 5 6; do
		# shellcheck disable=SC2086
		set -- $(ratio ${what})
		apart="$apart $1"
		[ "$2" -le 5 ] || disturbed=$((disturbed + 1))
		agrees=$(awk -v ratio="$1" \
			'BEGIN { print (ratio < 1.5 && ratio * 1.5 > 1) }')
		[ "$agrees" -eq 0 ] || break
	done
	always=$(echo "$apart" | xargs -n 1 | sort -g | awk 'NR == 1 { least = $1 }
		END { print ($1 < least * 1.1) }')
	if [ "$agrees$always" = 00 ] && [ "$disturbed" -gt 0 ]; then
		skip "$what: disturbed, and$apart times memlat's"
	else
		[ "$agrees" -eq 1 ]
		ok $? "$what:$apart times memlat's"
	fi
done
done_testing
