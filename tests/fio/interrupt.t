#!/bin/sh
# SPDX-License-Identifier: MIT
# Tests: plugin/memory_engine
#
# Behaviour: a run that SIGINT, SIGTERM or SIGHUP ends still leaves a whole report of what
# was done until then, in processes and in threads. A run of the memory engine ends soon,
# also while memory is still being set up. Defect: no report, half a report, a hang, memory
# that must be ready first.
. "$(dirname "$0")/memory_tap.sh"

# has_memory PID: waits until a job of this fio has touched 64 MB of its memory
has_memory()
{
	memory_waited=0
	while [ $memory_waited -lt 1200 ]; do
		for job in $(grep -lE "^(PPid|Pid):[[:space:]]*$1\$" \
				/proc/[0-9]*/status 2>/dev/null); do
			awk '/^RssAnon/ { exit $2 < 65536 }
				END { if (!NR) exit 1 }' "$job" 2>/dev/null &&
				return
		done
		sleep 0.1
		memory_waited=$((memory_waited + 1))
	done
}

# ends WHAT SIGNAL WAIT ARGUMENT...: sends the signal after WAIT, a command to which fio's
# number is added, and passes if fio ends
ends()
{
	what=$1
	signal=$2
	wait=$3
	shift 3
	rm -f ./*.json
	may_begin
	# A shell's background job ignores SIGINT until a program resets the signal: perl
	# does.
	perl -e '$SIG{INT} = $SIG{HUP} = "DEFAULT"; exec @ARGV' "$FIO" "$plain_clock" --name=i \
		--rw=randread --time_based=1 --runtime=600 --exec_prerun="$begin" "$@" \
		>out 2>err &
	fio=$!
	$wait $fio
	kill -s "$signal" $fio
	waited=0
	while kill -0 $fio 2>/dev/null && [ $waited -lt 1200 ]; do
		sleep 0.1
		waited=$((waited + 1))
	done
	[ $waited -lt 1200 ]
	ok $? "$what: fio ends"
	[ $waited -lt 1200 ] || kill -9 $fio
	wait $fio 2>/dev/null
	[ -z "$(ls | grep '\.part$')" ]
	ok $? "$what: no half-written file"
}

loads='$j->{load}{batches} + $j->{load}{disturbed} > 0'
for mode in 0 1; do
	# Only for SIGHUP the engine does something by itself.
	signals='INT HUP'
	[ $mode = 0 ] || signals='TERM HUP'
	for signal in $signals; do
		ends "SIG$signal, thread=$mode" $signal 'has_begun 2' --size=1m --bs=4k \
			--ioengine="external:$TICKWISE_SO" --iodepth=4 --thread=$mode --numjobs=2
		json i.1.*.tickwise.json '$j->{ios}{read} > 0 &&
			$j->{stages}{lat}{read}{count} == $j->{ios}{read}' &&
			json i.2.*.tickwise.json '$j->{ios}{read} > 0'
		ok $? "SIG$signal, thread=$mode: both reports are whole"
	done
	ends "memory, thread=$mode" INT 'has_begun 2' --ioengine="external:$memory_so" \
		--bs=64k --size=1m --numjobs=2 --thread=$mode
	json i.1.*.memory.json "$loads" && json i.2.*.memory.json "$loads"
	ok $? "memory, thread=$mode: both reports are whole"
done
if [ "$(awk '/MemAvailable/ { print $2 }' /proc/meminfo)" -gt 1000000 ]; then
	ends "in set-up" INT has_memory --ioengine="external:$memory_so" --bs=64k --size=512m
	# Where all of it is ready by then, the signal ends I/Os.
	[ -z "$(ls ./*.memory.json 2>/dev/null)" ] || json i.1.*.memory.json "$loads"
	ok $? "in set-up: no report of a job that never began"
else
	skip "half a gigabyte is not to be had"
fi
done_testing
