# SPDX-License-Identifier: MIT
#
# fio inside a machine, and what tells how far it is; sourced.
#
# fio_job LABEL ENGINE ARGUMENT...: ENGINE is tickwise, tickwise-cmd or one of
# fio's own; leaves LABEL.fio.json, LABEL.report.json, LABEL.err and
# LABEL.status in the shared folder. A lost completion makes fio wait for ever,
# so it is ended.
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
	# The shared folder is slow and no part of what is measured.
	for kind in fio report; do
		[ ! -e "/tmp/$label.$kind.json" ] ||
			mv "/tmp/$label.$kind.json" .
	done
	echo "$label: $(cat "$label.status") (at $(cut -d' ' -f1 /proc/uptime) s)"
}

# until_more COUNTER BEFORE MORE TENTHS: in the middle of a job's I/O, however
# long it takes to begin, but so many tenths of a second at most
until_more()
{
	i=0
	while [ $(($($1) - $2)) -lt "$3" ] && [ $i -lt "$4" ]; do
		sleep 0.1
		i=$((i + 1))
	done
}

# Those of the first NVMe device's queues.
interrupts()
{
	awk '/nvme0q/ { for (i = 2; i <= 3; i++) sum += $i } END { print sum + 0 }' \
		/proc/interrupts
}
