# SPDX-License-Identifier: MIT
#
# fio inside a machine, sourced. fio_job LABEL ENGINE ARGUMENT...: ENGINE is
# tickwise, tickwise-cmd or one of fio's own; leaves LABEL.fio.json,
# LABEL.report.json, LABEL.err and LABEL.status in the shared folder. A lost
# completion makes fio wait for ever, so it is ended.
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
