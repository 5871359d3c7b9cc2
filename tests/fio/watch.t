#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Behaviour: with tw_watch_cpu a job's I/Os get a stamp of when they were done,
# the report says how many of how many did, and inflight and reap_delay add up
# to what there was before. What can't be watched is refused in one line.
# Defect: stamps of other I/Os, coverage that is not told, stages that overlap, a
# thread that outlives its job, a ring that differs unsaid.
#
# How many are stamped depends on whether the watcher has its CPU to itself: where
# something else had it for more than a fiftieth of the run, that is no test.
. "$(dirname "$0")/fio_tap.sh"

cpus=$(taskset -cp $$ | sed 's/.*: //' | tr ',' '\n' |
	awk -F- '{ for (i = $1; i <= ($2 == "" ? $1 : $2); i++) print i }')
first=$(echo "$cpus" | sed -n 1p)
second=$(echo "$cpus" | sed -n 2p)
# Allocated, or reads find holes.
head -c 8388608 /dev/urandom >data

# refused LINE ARGUMENT...: no I/O is done, and LINE is why
refused()
{
	line=$1
	shift
	rm -f ./*.tickwise.json
	run_fio --name=r --filename=data --size=64k --rw=randread --bs=4k "$@"
	[ $? -ne 0 ] && grep -F "tickwise: r: tw_watch_cpu" err |
		grep -qF "$line"
	ok $? "refused: $line"
	grep -qF "$line" err || sed 's/^/# /' err
	[ "$(grep -c '^tickwise:' err)" -eq 1 ]
	ok $? "in one line"
}

if [ -z "$second" ]; then
	refused 'only one CPU' --tw_watch_cpu="$first" --tw_watch_mode=cq
	done_testing
	exit
fi

taskset -c "$first" true && {
	FIO_ALL=$FIO
	printf '#!/bin/sh\nexec taskset -c %s "%s" "$@"\n' "$first" \
		"$(command -v "$FIO")" >one_cpu
	chmod +x one_cpu
	FIO=./one_cpu
	refused 'only one CPU' --tw_watch_cpu="$second" --tw_watch_mode=cq
	FIO=$FIO_ALL
}
refused 'not online' --tw_watch_cpu=1023 --tw_watch_mode=cq
refused "the job's only CPU" --tw_watch_cpu="$second" --tw_watch_mode=cq \
	--cpus_allowed="$second"
refused 'hipri' --tw_watch_cpu="$second" --hipri --direct=1
refused 'tw_watch_mode=cq' --tw_watch_cpu="$second" --sqthread_poll
refused 'buffered reads' --tw_watch_cpu="$second"
refused 'tw_stages=0' --tw_watch_cpu="$second" --tw_watch_mode=cq --tw_stages=0

# no_stamps FILE: the counters may disagree, and that was said
no_stamps()
{
	json "$1" 'defined $j->{watch}{why_not}' || return 1
	grep -q 'nobody watches' err
	ok $? 'nobody watches, and that is said'
	json "$1" '!%{$j->{stages}{reap_delay} // {}} &&
		!$j->{watch}{stamped}{read}'
	ok $? 'no stamps then'
	skip 'the counters of this machine could not be shown to agree just now'
	return 0
}

# sums FILE: each I/O has one inflight, and nothing is lost between stages.
# Each of an I/O's stages is rounded to the nearest ns.
sums()
{
	json "$1" 'my $s = $j->{stages}; my $n = $j->{ios}{read};
		my $of = sub { my $h = $s->{$_[0]}{read}; $h ? $h->{$_[1]} : 0 };
		my $w = $j->{watch}; my $stamped = $w->{stamped}{read};
		print "# $stamped of $w->{of}{read}, unproved $w->{unproved}, late ",
			"$w->{late}, disordered $w->{disordered}, away ",
			"$w->{away_ns} of $j->{job}{run_ns} ns\n";
		abs($of->("queue", "sum_ns") + $of->("inflight", "sum_ns") +
		    $of->("reap_delay", "sum_ns") - $of->("total", "sum_ns"))
			<= 2 * $n && $of->("inflight", "count") == $n &&
		$of->("reap_delay", "count") == $stamped &&
		$w->{of}{read} == $n && $stamped <= $n'
	ok $? 'queue, inflight and reap_delay add up to total'
	json "$1" '$j->{watch}{disordered} <= $j->{ios}{read} / 1000'
	ok $? 'stamps are in order'
}

# coverage FILE PERCENT
coverage()
{
	if json "$1" '$j->{watch}{away_ns} > $j->{job}{run_ns} / 50'; then
		skip "something else had the watcher's CPU"
		return
	fi
	json "$1" '$j->{watch}{stamped}{read} >= $j->{ios}{read} * '"$2"' / 100'
	ok $? "at least $2 % are stamped"
}

watch() # ARGUMENT...
{
	rm -f ./*.tickwise.json
	run_fio --name=w --filename=data --size=8m --rw=randread --bs=4k \
		--time_based=1 --runtime=500ms --tw_watch_cpu="$second" "$@"
	ok $? "$*"
	same_counts
	ok $? 'none is lost'
}

watch --tw_watch_mode=cq --iodepth=4
report=$(echo w.1.*.json)
if ! no_stamps "$report"; then
	sums "$report"
	coverage "$report" 90
	json "$report" '$j->{watch}{ring_differs} && $j->{watch}{mode} eq "cq" &&
		$j->{watch}{cpu} == '"$second"
	ok $? 'the report says that the ring differs'
	run report "$report"
	tr '\n' ' ' <"$out" | grep -q 'when it was done is known of'
	ok $? 'the page has the coverage'
	is "$(perl "$root/tests/unit/report_keys.pl" \
		"$root/core/man/tickwise-report.5" "$report")" '' \
		'the report is as in the manual'
fi

run_fio --name=w --filename=data --size=64k --rw=randread --bs=4k --direct=1 \
	--tw_watch_cpu="$second"
no_flag=$(grep 'the kernel refuses the ring\|hands deferred completions' err)
if [ -n "$no_flag" ]; then
	skip "$no_flag"
elif dd if=data of=/dev/null bs=4096 count=1 iflag=direct 2>/dev/null; then
	# A kernel without the flag. (If the counters may disagree nobody
	# watches, and the ring is one without it.)
	watched RING_NO_SETUP=0x200 --name=r --filename=data --size=64k \
		--rw=randread --bs=4k --direct=1 --tw_watch_cpu="$second"
	status=$?
	if [ $status -eq 77 ]; then
		skip "$(cat err)"
	elif grep -q 'nobody watches' err; then
		skip 'the counters could not be shown to agree just now'
	else
		[ $status -ne 0 ] && [ "$(grep -c '^tickwise:' err)" -eq 1 ] &&
			grep -q 'tw_watch_cpu it needs a flag' err
		ok $? 'refused on a kernel without the flag, in one line'
	fi
	for depth in 1 8; do
		watch --direct=1 --iodepth=$depth
		report=$(echo w.1.*.json)
		no_stamps "$report" && continue
		sums "$report"
		json "$report" '!$j->{watch}{ring_differs}'
		ok $? 'on a ring like that of fio'
	done
else
	skip 'this file system has no O_DIRECT: the flag is not watched'
fi

rm -f ./*.tickwise.json
run_fio --name=w --filename=data --size=1m --rw=randread --bs=4k --thread \
	--numjobs=2 --group_reporting --tw_watch_cpu="$second" \
	--tw_watch_mode=cq --loops=4
ok $? 'two jobs as threads'
same_counts
ok $? 'none is lost'
json out.json '1'
ok $? "fio's output is whole"

# The watcher keeps nobody from ending. (A shell's background job ignores SIGINT
# unless it is put back.)
rm -f ./*.tickwise.json
may_begin
perl -e '$SIG{INT} = "DEFAULT"; exec @ARGV' \
	timeout -s KILL 60 "$FIO" --ioengine="external:$TICKWISE_SO" --name=i \
	--filename=data --size=1m --rw=randread --bs=4k --time_based=1 \
	--runtime=60 --exec_prerun="$begin" --tw_watch_cpu="$second" \
	--tw_watch_mode=cq >out 2>err &
has_begun 1
kill -INT $!
wait $!
json i.1.*.tickwise.json '$j->{watch}{of}{read} > 0 || $j->{watch}{why_not}'
ok $? 'interrupted, it ends and reports'
done_testing
