# SPDX-License-Identifier: MIT
#
# What the tests inside a machine share: disks, and jobs of fio. init reads it before
# the test's own script.

# How much longer than on x86-64 a program may take.
slower=1
[ "$(uname -m)" = x86_64 ] || slower=3

# null_disk [SETTING...]: makes /dev/nullb0
null_disk()
{
	load null_blk nr_devices=1 queue_mode=2 irqmode=0 gb=1 submit_queues=1 "$@"
}

# device NAME NS [TAGS]: makes /dev/NAME, which takes NS for a request, and TAGS (64)
# requests at a time. With $backed=1 it keeps what is written.
backed=0
device()
{
	if [ ! -d /sys/kernel/config/nullb ]; then
		load configfs 2>/dev/null
		load null_blk nr_devices=0
		mount -t configfs configfs /sys/kernel/config
	fi
	mkdir "/sys/kernel/config/nullb/$1"
	for setting in size=1024 blocksize=4096 queue_mode=2 irqmode=2 \
			completion_nsec="$2" hw_queue_depth="${3:-64}" submit_queues=1 \
			memory_backed=$backed \
			power=1; do
		echo "${setting#*=}" >"/sys/kernel/config/nullb/$1/${setting%%=*}"
	done
}

# fio_job LABEL ENGINE ARGUMENT...: runs a job with I/Os of 4 kB on /dev/$disk, for
# NVMe past the block layer if that is the engine's way. ENGINE is tickwise,
# tickwise-cmd or one of fio's own. Leaves LABEL.fio.json, LABEL.report.json,
# LABEL.err and LABEL.status in the shared folder. A lost completion makes fio wait
# for ever, so fio is ended after a while.
disk=nullb0
fio_job()
{
	label=$1
	engine=$2
	shift 2
	set -- --bs=4k "$@"
	case $engine in
	*cmd) set -- "--filename=/dev/ng${disk#nvme}" "$@" ;;
	*) set -- "--filename=/dev/$disk" --direct=1 "$@" ;;
	esac
	case $engine in
	io_uring_cmd) set -- --cmd_type=nvme "$@" ;;
	tickwise*)
		engine=external:/$engine.so
		set -- "$@" "--tw_report=/tmp/$label.report.json"
		;;
	esac
	timeout -s KILL $((${fio_seconds:-60} * slower)) fio --name="$label" \
		--ioengine="$engine" --output-format=json --eta=never \
		--output="/tmp/$label.fio.json" "$@" 2>"$label.err"
	echo $? >"$label.status"
	# The shared folder is slow, and must not be part of what is measured.
	for kind in fio report; do
		[ ! -e "/tmp/$label.$kind.json" ] || mv "/tmp/$label.$kind.json" .
	done
	progress "$label"
}

# on_each MODE ENGINES ARGUMENT...: runs the job MODE-ENGINE with each of the engines
on_each()
{
	mode=$1
	engines=$2
	shift 2
	for each in $engines; do
		fio_job "$mode-$each" "$each" "$@"
	done
}

# meanwhile LABEL SECONDS COMMAND...: runs the command in the second second of a job of
# our engine (LABEL-tickwise), and of one of fio's own
meanwhile()
{
	during=$1
	lasts=$2
	shift 2
	for each in tickwise io_uring; do
		fio_job "$during-$each" $each --rw=randread --time_based=1 \
			--runtime="$lasts" $more &
		sleep 1.5
		"$@" >"$during-$each.out" 2>&1
		wait
	done
}
more=

# run NAME [PROGRAM ARGUMENT...]: runs the jobs on stdin in one fio under PROGRAM: the
# program of the stages is loaded once
run()
{
	name=$1
	shift
	cat >"/tmp/$name.fio"
	timeout -s KILL 200 "$@" fio --output-format=json --eta=never \
		--output=/dev/null "/tmp/$name.fio" 2>"/tmp/$name.err"
	echo $? >"/tmp/$name.status"
	progress "/tmp/$name"
}

# hand_over FILE...: shares these files of /tmp in one file: while a machine in virtual
# time waits for the shared folder, its time passes fast
hand_over()
{
	(cd /tmp && tar -c -f results.tar "$@")
	cp /tmp/results.tar .
}

# progress LABEL: prints that a step is over, and how it ended
progress()
{
	echo "$1: $(cat "$1.status") (at $(cut -d' ' -f1 /proc/uptime) s)"
}

# until_more COUNTER BEFORE MORE TENTHS: waits for the middle of a job's I/O,
# however long it takes to begin, but at most this number of tenths of a second
until_more()
{
	i=0
	while [ $(($($1) - $2)) -lt "$3" ] && [ $i -lt "$4" ]; do
		sleep 0.1
		i=$((i + 1))
	done
}

# Print the interrupts of the first NVMe device's queues.
interrupts()
{
	awk '/nvme0q/ { for (i = 2; i <= 3; i++) sum += $i } END { print sum + 0 }' \
		/proc/interrupts
}
