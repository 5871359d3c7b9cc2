#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Behaviour: tickwise diff finds a p50 that is 5 % longer in 19 of 20 sets of five
# runs on each side. It finds 1 % of the I/Os that take five times as long at p99.5,
# not at p50. Time is virtual (every instruction takes two nanoseconds). A device
# takes a known time, which varies by 1 % from run to run, and another process takes
# the CPU now and then. Defect: figures or a test that miss a change, or find it
# elsewhere.
#
# One set of each kind and short runs, unless TW_SETS (20) and TW_RUN_SECONDS (10)
# ask for more. TW_KINDS (p50,tail) may name one kind. A run takes some 10 s of a
# CPU.
. "$(dirname "$0")/boot.sh"

sets=${TW_SETS:-1}
run_seconds=${TW_RUN_SECONDS:-3}
kinds=${TW_KINDS:-p50,tail}
tickwise=${TICKWISE:-$TW_BUILD/tickwise}
cpus=1
accel=tcg,thread=single
seconds=$((120 + sets * 20 * (30 + run_seconds * 5)))
append="$append tw_sets=$sets tw_runs=5 tw_seconds=$run_seconds tw_kinds=$kinds"
boot diff_power -icount shift=1,sleep=off
ok $? "the machine ran"

# slower KIND NAME: prints in how many sets the figure is called slower
slower()
{
	count=0
	set=0
	while [ $set -lt "$sets" ]; do
		set=$((set + 1))
		json "$scratch/$1.$set.json" \
			'grep { $_->{name} eq "'"$2"'" && $_->{slower} == 1 }
				@{$j->{figures}}' && count=$((count + 1))
	done
	echo $count
}

# compare KIND: compares each set, into a file. In the machine each run has a name
# of its own.
compare()
{
	sed -i 's/"name": "'"$1"'[^"]*"/"name": "job"/' "$shared/$1".*.report.json
	set=0
	while [ $set -lt "$sets" ]; do
		set=$((set + 1))
		"$tickwise" diff --json "$shared/$1.$set".*.a.report.json -- \
			"$shared/$1.$set".*.b.report.json \
			>"$scratch/$1.$set.json" 2>"$scratch/why"
		[ $? -le 1 ] || { cat "$scratch/why"; return 1; }
	done
}

for kind in $(echo "$kinds" | tr ',' ' '); do
	compare "$kind"
	ok $? "$kind: each set has a verdict"
	case $kind in
	p50)	at=p50 ;;
	tail)	at=p99.5 ;;
	esac
	found=$(slower "$kind" $at)
	[ $((found * 20)) -ge $((sets * 19)) ]
	ok $? "$kind: found at $at in $found of $sets sets"
	[ "$kind" = tail ] || continue
	wrong=$(slower tail p50)
	# A test at the 5 % level may be wrong once in 20.
	[ $((wrong * 20)) -le "$sets" ]
	ok $? "tail: called a change of p50 in $wrong of $sets sets"
done
done_testing
