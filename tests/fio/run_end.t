#!/bin/sh
# SPDX-License-Identifier: MIT
# Tests: plugin
#
# Behaviour: threads of the engine's own compare the counters of the CPUs before the
# first job and after the last one. No thread is made in between, whether jobs are
# threads or processes, on one engine or on two. The reports of all jobs then have
# the result and the CPUs, also of a run that is interrupted, or of which a job is
# killed. A job after which nothing was compared is not called reliable.
#
# Defect: threads on all CPUs while a job is still measured, which are outliers of
# our own making; a report that lacks the end of its run, or calls the counter
# reliable without it.
. "$(dirname "$0")/fio_tap.sh"

# The log has a line for each thread of ours (preload/thread_log.c), one before a
# job's first I/O and one after its last: fio runs that command before it lets the
# engine clean up. So a job is over only when its command is.
log=$scratch/log
echo "echo job >>'$log'" >tell.sh
head -c 65536 /dev/zero >r.data

# logged ARGUMENT...: runs fio with the log
logged()
{
	rm -f ./*.json "$log"
	env LD_PRELOAD="$TW_BUILD/tests/fio/preload/thread_log.so" \
		THREAD_LOG="$log" timeout -s KILL $hung_s "$FIO" --bs=4k --rw=read \
		--exec_prerun='sh tell.sh' --exec_postrun='sh tell.sh' "$@" >out 2>err
}

engine="--ioengine=external:$TICKWISE_SO --filename=r.data --size=64k --rate_iops=500"

# covered REPORT: checks what does not depend on the machine; the verdict does
covered()
{
	json "$1" '
		my %code = map { $_->{code} => 1 } @{$j->{counter}{reasons}};
		$j->{jobs}[0]{fallback} || !$code{end_cpus_not_compared} &&
			!$code{end_cpus_not_covered}'
}

all_covered()
{
	for report in ./*.json; do
		covered "$report" || return 1
	done
}

# undisturbed STATUS LINES WHAT: passes if fio ended well, if there is no thread between
# the first line of a job and this number of lines, and if all reports are complete
undisturbed()
{
	is "$1" 0 "$3"
	awk -v all="$2" '$1 == "job" { jobs++ }
		$1 == "thread" && jobs && jobs < all { bad = 1 }
		END { exit bad }' "$log"
	ok $? 'no thread of ours from the first beginning to the last end'
	[ "$2" = 1000 ] || all_covered
	ok $? 'and all reports are complete'
}

# A report that another user has put in the place of ours is left alone.
if [ "$(id -u)" -eq 0 ]; then
	cat >plant.sh <<'END'
tries=0
until [ -s early.1.*.tickwise.json ] || [ $tries = 1000 ]; do
	sleep 0.1
	tries=$((tries + 1))
done
set -- early.1.*.tickwise.json
cp "$1" planted
chown 65534 planted
mv planted "$1"
END
	# shellcheck disable=SC2086	# several options
	timeout -s KILL $hung_s "$FIO" --bs=4k --rw=read $engine --name=early \
		--name=last --exec_postrun='sh plant.sh' >out 2>err
	is "$? $(stat -c %u early.*.tickwise.json)" '0 65534' "another user's report is not completed"
else
	skip 'only root can make files of another user'
fi

# shellcheck disable=SC2086	# several options
{
for mode in 0 1; do
	logged $engine --thread=$mode --name=early --numjobs=7 \
		--name=last --time_based=1 --runtime=2 --numjobs=1
	undisturbed $? 16 "thread=$mode: eight jobs, of which seven end early"
	is "$(ls ./*.tickwise.json | wc -l) $(grep -c job "$log")" '8 16' \
		'each has a report, and has told when it began and ended'
	grep -q "tickwise: .*can't be calibrated" err ||
		is "$(tail -n 1 "$log")" thread 'after that there are some threads'

	# fio then asks each job for the sizes of its files by itself.
	logged $engine --thread=$mode --name=each --numjobs=4 --create_serialize=0
	undisturbed $? 8 "thread=$mode: set up side by side, the first compares for all"
done
logged $engine --name=one --name=two --startdelay=1 --name=three --stonewall
undisturbed $? 6 'one after the other'
logged --name=loads --ioengine="external:${TICKWISE_SO%.so}-memory.so" --size=1m \
	--name=reads $engine --time_based=1 --runtime=1
undisturbed $? 4 'jobs of two engines: the last one completes the report of the other'

# A job of another engine, whose end our engine does not learn.
logged --name=ours $engine --name=other --ioengine=psync --filename=r.data --size=64k \
	--time_based=1 --runtime=1
undisturbed $? 1000 'a job of an engine of fio goes on, and is not disturbed'
json ours.*.tickwise.json '$j->{jobs}[0]{fallback} ||
	$j->{counter}{verdict} ne "reliable" &&
	grep { $_->{code} eq "end_cpus_not_compared" } @{$j->{counter}{reasons}}'
ok $? 'our report says that nothing was compared'
messages >told
has_not told 'reliable' 'which is nothing to warn of'

# A job that is killed does not tell that it is over.
rm -f ./*.json
# shellcheck disable=SC2016	# of the shell that fio starts
timeout -s KILL $hung_s "$FIO" --bs=4k --rw=read $engine --name=killed \
	--exec_prerun='kill -s KILL $PPID' --name=left --time_based=1 --runtime=2 >out 2>err
is "$(ls ./*.tickwise.json)" "$(ls ./left.2.*.tickwise.json)" \
	'of a job that was killed there is no report'
all_covered
ok $? 'and the other one compares the counters'

for mode in 0 1; do
	rm -f ./*.json
	may_begin
	perl -e '$SIG{INT} = "DEFAULT"; exec @ARGV' "$FIO" --name=i $engine --bs=4k \
		--rw=randread --time_based=1 --runtime=600 --thread=$mode --numjobs=3 \
		--exec_prerun="$begin" --name=never --stonewall >out 2>err &
	pid=$!
	has_begun 3 $pid
	kill -s INT $pid
	wait $pid
	is "$(ls ./i.*.tickwise.json | wc -l)" 3 \
		"thread=$mode: interrupted, a report of each job that ran"
	all_covered
	ok $? 'and all are complete'
done
}
done_testing
