# SPDX-License-Identifier: MIT
#
# Runs fio inside a machine and follows its progress; to be sourced.
#
# fio_job LABEL ENGINE ARGUMENT...: runs a job. ENGINE is tickwise, tickwise-cmd or
# one of fio's own. Leaves LABEL.fio.json, LABEL.report.json, LABEL.err and
# LABEL.status in the shared folder. A lost completion makes fio wait for ever, so
# fio is ended after a while.
fio_job()
{
	label=$1
	case $2 in
	tickwise|tickwise-cmd)
		set -- "$@" "--tw_report=/tmp/$label.report.json"
		engine=external:/$2.so
		;;
	*)
		engine=$2
		;;
	esac
	shift 2
	timeout -s KILL "${fio_seconds:-60}" fio --name="$label" \
		--ioengine="$engine" --output-format=json \
		--eta=never \
		--output="/tmp/$label.fio.json" "$@" 2>"$label.err"
	echo $? >"$label.status"
	# The shared folder is slow, and must not be part of what is measured.
	for kind in fio report; do
		[ ! -e "/tmp/$label.$kind.json" ] ||
			mv "/tmp/$label.$kind.json" .
	done
	echo "$label: $(cat "$label.status") (at $(cut -d' ' -f1 /proc/uptime) s)"
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
