# SPDX-License-Identifier: MIT
# Steers and sets the system's clocks in mid-run; see ../steering.t.
. /guest/fio.sh

load null_blk nr_devices=1 queue_mode=2 irqmode=0 gb=1 submit_queues=1
disk="--filename=/dev/nullb0 --direct=1 --rw=randread --bs=4k --time_based=1"

# meanwhile LABEL COMMAND...: runs the command in the second second of a job of three
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

# The kernel takes a tick of 10000 us for 10050: its clock is 0.5 % fast. It is so
# before the job, too, and for all of the job.
adjtimex -t 10050 >/dev/null
meanwhile fast true
adjtimex -t 9950 >/dev/null
meanwhile slow true
adjtimex -t 10000 >/dev/null
meanwhile ahead date -s '2031-01-01 00:00:00'
meanwhile back date -s '2001-01-01 00:00:00'
