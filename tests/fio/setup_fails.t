#!/bin/sh
# SPDX-License-Identifier: MIT
# Tests: plugin
#
# Behaviour: a job whose set-up fails ends as with fio's own io_uring engine, in a
# process and in a thread: fio's line that the engine's init failed, exit code 1, no
# report. Defect: a clean-up that uses what was not set up yet: a signal kills the
# job, or, with threads, all of fio.
. "$(dirname "$0")/fio_tap.sh"

# fails WORDS TEXT ARGUMENT...: passes if the job fails and prints TEXT
fails()
{
	words=$1
	text=$2
	shift 2
	for mode in 0 1; do
		for engine in io_uring "external:$TICKWISE_SO"; do
			timeout -s KILL $hung_s "$FIO" --ioengine="$engine" \
				--name=f --filename=f.data --size=64k --bs=4k \
				--rw=randread --thread=$mode "$@" >out 2>&1
			is $? 1 "$words, ${engine%%:*}, thread=$mode: exit 1"
		done
		has out "$text" 'the reason'
		has_not out 'got signal' 'no signal'
		is "$(ls ./*.tickwise.json 2>/dev/null)" '' 'no report'
	done
}

fails 'options that contradict each other' 'mutually exclusive' \
	--cmdprio_percentage=10 --cmdprio_bssplit=4k/20
fails 'a ring larger than the kernel makes them' 'Invalid argument' \
	--iodepth=65536 --bs=512
done_testing
