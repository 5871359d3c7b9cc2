#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Behaviour: a run that SIGINT, SIGTERM or SIGHUP ends still leaves a whole report of what
# was done until then, in processes and in threads. Defect: no report, half a
# report, a hang.
. "$(dirname "$0")/fio_tap.sh"

for mode in 0 1; do
	for signal in INT TERM HUP; do
		rm -f ./*.tickwise.json
		may_begin
		# A shell's background job ignores SIGINT until a program resets the
		# signal: perl does.
		perl -e '$SIG{INT} = $SIG{HUP} = "DEFAULT"; exec @ARGV' \
			"$FIO" --name=i --ioengine="external:$TICKWISE_SO" \
			--rw=randread --bs=4k --size=1m --iodepth=4 \
			--time_based=1 --runtime=600 --thread=$mode \
			--numjobs=2 --exec_prerun="$begin" >out 2>err &
		pid=$!
		has_begun 2 $pid
		kill -s $signal $pid
		waited=0
		while kill -0 $pid 2>/dev/null && [ $waited -lt 1200 ]; do
			sleep 0.1
			waited=$((waited + 1))
		done
		[ $waited -lt 1200 ]
		ok $? "SIG$signal, thread=$mode: fio ends"
		[ $waited -lt 1200 ] || kill -9 $pid
		wait $pid 2>/dev/null
		json i.1.*.tickwise.json '$j->{ios}{read} > 0 &&
			$j->{stages}{lat}{read}{count} == $j->{ios}{read}' &&
		json i.2.*.tickwise.json '$j->{ios}{read} > 0'
		ok $? "SIG$signal, thread=$mode: both reports are whole"
	done
done
done_testing
