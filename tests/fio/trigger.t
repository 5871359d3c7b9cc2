#!/bin/sh
# SPDX-License-Identifier: MIT
# Tests: plugin plugin/trace
#
# Behaviour: the first I/O of a job that is slower than tw_trigger has the kernel's
# trace events around it in the report: in jobs that are processes or threads, one
# after another, without root's privileges, or that fio sets up by itself. Below the
# threshold there is none. Nothing is left in tracefs, also when fio is interrupted,
# or when its job or all of it is killed. A job that can't have events runs all the
# same, and its report tells why. Defect: events of another time, a job that dies
# for lack of privileges, an instance that stays and costs time for ever.
#
# A copy of 256 KiB takes longer than 1 us on any machine, and no I/O takes an hour.
. "$(dirname "$0")/fio_tap.sh"
. "$root/tests/fio/kernel_tap.sh"

head -c 1048576 /dev/zero >t.data
chmod 711 .

size=262144
reads="--bs=$size --size=1m --io_size=64m --rw=read"

# job NAME ARGUMENT...: runs 256 reads; NAME.json is its report
job()
{
	name=$1
	shift
	rm -f "$name".json*
	# shellcheck disable=SC2086	# several options
	run_fio --name="$name" --filename="$scratch/t.data" $reads \
		--tw_report="$name.json" "$@"
}

# off FILE: checks that there are no events, and why
off()
{
	json "$1" '$j->{ios}{read} == 256 && $j->{triggers}[0]{state} eq "off" &&
		length $j->{triggers}[0]{why} && $j->{triggers}[0]{slower} == 256 &&
		!$j->{triggers}[0]{io} && !$j->{triggers}[0]{events}'
}

# ---- what root is not needed for ----

job without
json without.json '!exists $j->{triggers}'
ok $? 'without tw_trigger there is nothing of it'

if ! have_user; then
	skip "$cannot"
else
	# shellcheck disable=SC2086
	user_fio --name=user $reads --tw_trigger=1us --tw_report=user.json
	is $? 0 'an ordinary user: the job runs'
	off user/user.json
	ok $? "and its report says: $(from_json user/user.json \
		'print $j->{triggers}[0]{why}')"
	is "$(messages)" '' 'it alone'
fi

# ---- what the kernel has to allow ----

# in_tracefs COMMAND...: runs it with tracefs in a folder of ours, which no other
# process sees
tracing=$scratch/tracing
mkdir tracing
in_tracefs()
{
	# shellcheck disable=SC2016
	unshare --mount sh -c 'mount -t tracefs tracefs "$0" || exit 99
		exec "$@"' "$tracing" "$@"
}
if ! in_tracefs mkdir "$tracing/instances/tw-test-$$" 2>why; then
	skip "no tracefs here: $(cat why)"
	done_testing
fi
in_tracefs rmdir "$tracing/instances/tw-test-$$"

# A tracefs has folders that only root enters. The reason tells so.
if [ -n "$cannot" ] || [ "$(id -u)" != 0 ]; then
	skip "no ordinary user who sees a tracefs: ${cannot:-not root}"
else
	# shellcheck disable=SC2086
	in_tracefs setpriv --reuid=65534 --regid=65534 --clear-groups --bounding-set=-all \
		env -C user timeout -s KILL $hung_s "$FIO" "$plain_clock" --name=denied \
		--ioengine=external:./tickwise.so $reads --tw_trigger=1us \
		--tw_report=denied.json --output=out.json 2>err
	off user/denied.json && json user/denied.json \
		'$j->{triggers}[0]{why} =~ /Permission denied .*for root/'
	ok $? 'an ordinary user is told that trace events are for root'
fi

# run_fio: from here on runs fio so
run_fio()
{
	in_tracefs timeout -s KILL $hung_s sh -c 'echo $$ >fio_pid; exec "$@"' sh "$FIO" \
		--ioengine="external:$TICKWISE_SO" "$plain_clock" --output-format=json \
		--output=out.json "$@" 2>err
}
# left: lists the instance of the last fio, which goes away a little later than fio
left()
{
	for left_wait in 0 .1 .2 .3 .4 1 1 1 1 5 10 20 40 80; do
		sleep $left_wait
		in_tracefs sh -c 'cd "$1/instances" && [ ! -d "$2" ] || echo "$2"' \
			sh "$tracing" "tickwise-$(cat fio_pid)" >left.text
		[ -s left.text ] || return
	done
	cat left.text
}

# fired FILE: checks its I/O and the events around it. A busy machine may have
# overwritten them before the job stopped the ring; the report then tells so. Many
# busy CPUs may have more events than are kept.
fired()
{
	json "$1" 'my $t = $j->{triggers}[0];
		my ($begin, $lat) = @{$t->{io}}{"monotonic_ns", "lat_ns"};
		my @at = map { $_->{monotonic_ns} } @{$t->{events}};
		my %has = map { $_->{event} => 1 } @{$t->{events}};
		$t->{state} eq "on" && $t->{above_ns} == 1000 && !$t->{why} &&
			$lat > 1000 && $t->{io}{ddir} eq "read" &&
			$t->{io}{size} == '$size' &&
			(@at || $t->{whole_from_ns}) &&
			$t->{event_count} >= @at && @at <= 1000 &&
			!(grep { $at[$_] < $at[$_ - 1] } 1 .. $#at) &&
			!(grep { $_ < $begin - 101000 ||
				$_ > $begin + $lat + 101000 } @at) &&
			($t->{whole_from_ns} || $t->{event_count} > @at ||
			$has{io_uring_complete} &&
			($has{io_uring_submit_req} || $has{io_uring_submit_sqe}))'
	fired_status=$?
	ok "$fired_status" "$2"
	[ "$fired_status" = 0 ] || from_json "$1" 'print "# ",
		JSON::PP->new->canonical->encode($j->{triggers}[0]), "\n"'
}

# The events have the times of a CLOCK_MONOTONIC that no namespace shifts.
if unshare --time --monotonic=1000 --fork true 2>why; then
	run_shifted()
	{
		in_tracefs unshare --time --monotonic=1000 --fork timeout -s KILL $hung_s "$FIO" \
			--ioengine="external:$TICKWISE_SO" --output=out.json --name=shifted \
			--filename="$scratch/t.data" --tw_report=shifted.json "$@" 2>err
	}
	# shellcheck disable=SC2086
	run_shifted $reads --tw_trigger=1us
	off shifted.json && json shifted.json '$j->{triggers}[0]{why} =~ /time namespace/'
	ok $? 'in a time namespace there are none, and the report tells so'
else
	skip "no time namespace: $(cat why)"
fi

job first --tw_trigger=1us --tw_slowest=1000
fired first.json 'a threshold that all I/Os exceed'
json first.json '$j->{triggers}[0]{slower} == 256 && $j->{triggers}[0]{io}{offset} == 0 &&
	1 == grep { $_->{ticks} eq $j->{triggers}[0]{io}{ticks} &&
		$_->{stages}{lat} == $j->{triggers}[0]{io}{lat_ns} &&
		$_->{monotonic_ns} eq $j->{triggers}[0]{io}{monotonic_ns} &&
		$_->{offset} == 0 } @{$j->{slowest}}'
ok $? 'the first one, which is the same in the list of the slowest'
is_valid report first.json
is "$(left)" '' 'nothing is left of it'
job never --tw_trigger=1h
json never.json '$j->{triggers}[0]{state} eq "on" && $j->{triggers}[0]{slower} == 0 &&
	!$j->{triggers}[0]{io} && !$j->{triggers}[0]{events}'
ok $? 'a threshold that none exceeds'
is "$(left)" '' 'nothing is left of it'
job thread --tw_trigger=1us --thread=1
fired thread.json 'a job that is a thread'
job lat --tw_trigger=1us --tw_stages=0
fired lat.json 'without stages'
job itself --tw_trigger=1us --create_serialize=0
fired itself.json 'a job that sets up its files itself'
is "$(left)" '' 'nothing is left of them'
job none --tw_trigger=1us --tw_report=none
is "$? $(left)" '0 ' 'without a report'

# Jobs one after another each have their own; of jobs at the same time at least one has.
rm -f turns.json*
# shellcheck disable=SC2086
run_fio --filename="$scratch/t.data" $reads --stonewall \
	--tw_trigger=1us --tw_report=turns.json --name=one --name=two
fired turns.json.1 'the first of two jobs'
fired turns.json.2 'and the second'
for kind in 0 1; do
	rm -f both.json*
	# shellcheck disable=SC2086
	run_fio --filename="$scratch/t.data" $reads \
		--thread=$kind --tw_trigger=1us --tw_report=both.json \
		--name=one --name=two --name=three --tw_trigger=0
	# The other job's I/O may have begun while nothing was recorded.
	who=1
	json both.json.1 '$j->{triggers}[0]{io} && !$j->{triggers}[0]{whole_from_ns}' ||
		! json both.json.2 '$j->{triggers}[0]{io}' || who=2
	fired both.json.$who "two at a time, thread=$kind: one of them"
	json both.json.3 '!exists $j->{triggers}'
	ok $? 'a third one that does not want it'
done
is "$(left)" '' 'nothing is left of them'

# The job itself has no privilege any more.
mkdir report
chmod 777 report
job lowered --tw_trigger=1us --uid=65534 --gid=65534 \
	--tw_report="$scratch/report/r.json"
fired report/r.json 'a job that lays down its privileges'
is "$(left)" '' 'nothing is left of it'

# own FILE: prints the events of the I/O and of its thread
own()
{
	json "$1" 'my @own = grep { $_->{own} } @{$j->{triggers}[0]{events}};
		$j->{triggers}[0]{whole_from_ns} ||
		$j->{triggers}[0]{event_count} > @{$j->{triggers}[0]{events}} ||
		2 <= grep { $_->{event} =~ /^io_uring_/ } @own'
}
own first.json
ok $? 'events of the I/O are marked'
if in_tracefs unshare --pid --fork --mount-proc true 2>why; then
	rm -f contained.json
	# shellcheck disable=SC2086
	in_tracefs unshare --pid --fork --mount-proc timeout -s KILL $hung_s \
		"$FIO" "$plain_clock" --ioengine="external:$TICKWISE_SO" --name=contained \
		--filename="$scratch/t.data" $reads \
		--tw_trigger=1us --tw_report=contained.json \
		--output=out.json 2>err
	fired contained.json 'in a namespace of processes of its own'
	own contained.json
	ok $? 'where events of the I/O are marked, too'
	# The process that should remove it may have gone with the namespace: a
	# later fio does it.
	in_tracefs sh -c 'touch -d "1 minute ago" "$1/instances/tickwise-"?' \
		sh "$tracing" 2>/dev/null
else
	skip "no namespace of processes: $(cat why)"
fi

# Not mounted: this test's namespace may have a tracefs of its own.
if grep -qE ' (tracefs|debugfs) ' /proc/self/mounts; then
	skip 'tracefs is mounted here'
else
	# shellcheck disable=SC2086
	timeout -s KILL $hung_s "$FIO" "$plain_clock" --ioengine="external:$TICKWISE_SO" --name=no \
		--filename="$scratch/t.data" $reads \
		--tw_trigger=1us --tw_report=no.json --output=out.json 2>err
	off no.json
	ok $? "without tracefs: $(from_json no.json 'print $j->{triggers}[0]{why}')"
fi

# ---- ended ----

# endless: starts a job that does not end; sets $fio to fio's number, $job to the job's
endless()
{
	may_begin
	rm -f fio_pid endless.json
	# shellcheck disable=SC2086
	in_tracefs perl -e '$SIG{INT} = "DEFAULT"; open F, ">", "fio_pid";
		print F $$; close F; exec @ARGV' "$FIO" \
		--name=e --ioengine="external:$TICKWISE_SO" $reads \
		--filename="$scratch/t.data" --time_based=1 \
		--runtime=600 --exec_prerun="$begin" --tw_trigger=1us \
		--tw_report=endless.json --output=out.json 2>err &
	pid=$!
	has_begun 1 $pid
	fio=$(cat fio_pid)
	job=$(cut -d' ' -f1 "/proc/$fio/task/$fio/children")
}
for signal in INT TERM; do
	endless
	kill -s $signal "$fio"
	wait $pid
	is "$(left)" '' "SIG$signal: nothing is left"
	fired endless.json 'and its report has the events'
done
endless
kill -KILL "$job"
wait $pid
is "$(left)" '' 'the job is killed: nothing is left'
endless
kill -KILL "$fio" "$job"
wait $pid
is "$(left)" '' 'fio and its job are killed: nothing is left'

# The job that has stopped the ring is killed: the other job gets it then.
cat >two.sh <<'END'
fio=$(cat fio_pid)
while [ "$(cat "$1/instances/tickwise-$fio/tracing_on")" = 1 ]; do sleep 0.1; done
one=$(cut -d' ' -f1 "/proc/$fio/task/$fio/children")
kill -KILL "$one"
while kill -0 "$one" 2>/dev/null; do sleep 0.1; done
END
rm -f killed.json*
# shellcheck disable=SC2086
run_fio $reads --filename="$scratch/t.data" \
	--tw_trigger=1us --tw_report=killed.json \
	--name=one --time_based=1 --runtime=600 \
	--name=two --exec_prerun="sh two.sh $tracing"
if [ ! -s killed.json.2 ]; then
	skip 'this fio ends when a job is killed'
else
	fired killed.json.2 'the job that has stopped the ring is killed: the other has it'
fi
is "$(left)" '' 'and nothing is left'

# An instance that stays, as that process was killed, too; and one that is not ours.
instances=$tracing/instances
in_tracefs mkdir "$instances/tickwise-$fio" "$instances/tickwise-test.$$"
in_tracefs touch -d '1 minute ago' "$instances/tickwise-$fio" \
	"$instances/tickwise-test.$$"
job after --tw_trigger=1h
echo "$fio" >fio_pid
is "$(left)" '' 'the next fio removes an old instance that nobody has open'
in_tracefs rmdir "$instances/tickwise-test.$$"
ok $? 'and leaves one of another name'

# One of its number is new, and may be about to be opened.
# shellcheck disable=SC2016,SC2086
in_tracefs timeout -s KILL $hung_s sh -c 'echo $$ >fio_pid
	mkdir "$0/tickwise-$$"; exec "$@"' "$instances" "$FIO" "$plain_clock" --name=same \
	--ioengine="external:$TICKWISE_SO" --filename="$scratch/t.data" $reads \
	--tw_trigger=1us --tw_report=same.json --output=out.json 2>err
fired same.json 'another fio has the same number'
in_tracefs rmdir "$instances/tickwise-$(cat fio_pid)"
ok $? 'whose instance is let alone'
echo "$(cat fio_pid)-1" >fio_pid
is "$(left)" '' 'and nothing is left of its own'
done_testing
