# SPDX-License-Identifier: MIT
# The system's clocks are steered and set in mid-run; see ../steering.t.
. /guest/fio.sh

load null_blk nr_devices=1 queue_mode=2 irqmode=0 gb=1 submit_queues=1
disk="--filename=/dev/nullb0 --direct=1 --rw=randread --bs=4k --time_based=1"

# meanwhile LABEL COMMAND...: after a second of a job of three
meanwhile()
{
	label=$1
	shift
	for engine in tickwise io_uring; do
		# shellcheck disable=SC2086
		fio_job "$label-$engine" $engine $disk --runtime=3 &
		sleep 1.3
		"$@" >"$label.out" 2>&1
		wait
	done
}

# A tick of 10050 us that is said to be one of 10000: 0.5 % fast. So it was
# before the job, too: it runs like that from end to end.
adjtimex -t 10050 >/dev/null
meanwhile fast true
adjtimex -t 9950 >/dev/null
meanwhile slow true
adjtimex -t 10000 >/dev/null
meanwhile ahead date -s '2031-01-01 00:00:00'
meanwhile back date -s '2001-01-01 00:00:00'
