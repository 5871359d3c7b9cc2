#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Behaviour: a run of the memory engine that is ended by SIGINT leaves a whole
# report, and ends soon also while memory is still being set up.
# Defect: no report, a hang, memory that must be ready first.
. "$(dirname "$0")/memory_tap.sh"

# ends WHAT SECONDS ARGUMENT...: SIGINT after so long, and it ends; "begun": when
# both jobs have begun
ends()
{
	what=$1
	after=$2
	shift 2
	rm -f ./*.json
	may_begin
	# A background job ignores SIGINT unless it is put back: perl does.
	perl -e '$SIG{INT} = "DEFAULT"; exec @ARGV' "$FIO" --name=m \
		--ioengine="external:$memory_so" --rw=randread --bs=64k \
		--time_based=1 --runtime=60 --exec_prerun="$begin" "$@" \
		>out 2>err &
	pid=$!
	if [ "$after" = begun ]; then
		has_begun 2
	else
		sleep "$after"
	fi
	kill -s INT $pid
	waited=0
	while kill -0 $pid 2>/dev/null && [ $waited -lt 300 ]; do
		sleep 0.1
		waited=$((waited + 1))
	done
	[ $waited -lt 300 ]
	ok $? "$what: fio ends"
	[ $waited -lt 300 ] || kill -9 $pid
	wait $pid 2>/dev/null
	[ -z "$(ls | grep '\.part$')" ]
	ok $? "$what: no half-written file"
}

for mode in 0 1; do
	ends "thread=$mode" begun --size=1m --numjobs=2 --thread=$mode
	json m.1.*.memory.json '$j->{load}{batches} > 0' &&
		json m.2.*.memory.json '$j->{load}{batches} > 0'
	ok $? "thread=$mode: both reports are whole"
done
if [ "$(awk '/MemAvailable/ { print $2 }' /proc/meminfo)" -gt 1500000 ]; then
	ends "in set-up" 0.5 --size=1g
	# Where a gigabyte is ready by then, I/Os are what is ended.
	[ -z "$(ls ./*.memory.json 2>/dev/null)" ] ||
		json m.1.*.memory.json '$j->{load}{batches} +
			$j->{load}{disturbed} > 0'
	ok $? "in set-up: no report of a job that never began"
else
	skip "a gigabyte is not to be had"
fi
done_testing
