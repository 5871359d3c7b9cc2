#!/bin/sh
# SPDX-License-Identifier: MIT
# Tests: plugin/memory_engine
#
# Behaviour: a run of the memory engine that SIGINT ends leaves a whole report. It
# ends soon, also while memory is still being set up. Defect: no report, a hang,
# memory that must be ready first.
. "$(dirname "$0")/memory_tap.sh"

# has_memory PID: true if a job of this fio has touched 64 MB of its memory
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

# ends WHAT WHEN ARGUMENT...: sends SIGINT, and passes if it ends; "begun": when
# both jobs have begun, "set_up": while memory is being set up
ends()
{
	what=$1
	when=$2
	shift 2
	rm -f ./*.json
	may_begin
	# A background job ignores SIGINT until a program resets the signal: perl does.
	perl -e '$SIG{INT} = "DEFAULT"; exec @ARGV' "$FIO" --name=m \
		--ioengine="external:$memory_so" --rw=randread --bs=64k \
		--time_based=1 --runtime=600 --exec_prerun="$begin" "$@" \
		>out 2>err &
	fio=$!
	if [ "$when" = begun ]; then
		has_begun 2 $fio
	else
		has_memory $fio
	fi
	kill -s INT $fio
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

for mode in 0 1; do
	ends "thread=$mode" begun --size=1m --numjobs=2 --thread=$mode
	for job in 1 2; do
		json m.$job.*.memory.json '$j->{load}{batches} +
			$j->{load}{disturbed} > 0' || break
	done
	ok $? "thread=$mode: both reports are whole"
done
if [ "$(awk '/MemAvailable/ { print $2 }' /proc/meminfo)" -gt 1000000 ]; then
	ends "in set-up" set_up --size=512m
	# Where all of it is ready by then, the signal ends I/Os.
	[ -z "$(ls ./*.memory.json 2>/dev/null)" ] ||
		json m.1.*.memory.json '$j->{load}{batches} +
			$j->{load}{disturbed} > 0'
	ok $? "in set-up: no report of a job that never began"
else
	skip "half a gigabyte is not to be had"
fi
done_testing
