# SPDX-License-Identifier: MIT
#
# A fio that does no I/O, for the tests of tickwise run; to be sourced after tap.sh.
# It lists options of engines, keeps its arguments and job files, and writes the
# reports that it is asked for.
#
#	FAKE_JOBS	names of the jobs that leave a report; NAME/N: the Nth of its numjobs
#	FAKE_EXIT	its exit code
#	FAKE_DO		a command to be run in between
#	FAKE_LACKS	why it does not run; ""
#
# $seen/arguments: one on a line; $seen/1, $seen/2 ...: the job files it was given

seen=$scratch/seen
engine=$scratch/built/tickwise.so
mkdir "$seen" "$scratch/built" "$scratch/tmp"
: >"$engine"
TMPDIR=$scratch/tmp
FIO=$scratch/fio
FAKE_JOBS=a
FAKE_EXIT=0
FAKE_DO=
FAKE_LACKS=
SEEN=$seen
unset ENG
export TMPDIR FIO FAKE_JOBS FAKE_EXIT FAKE_DO FAKE_LACKS SEEN

cat >"$FIO" <<'END'
#!/bin/sh
# A call that asks it something hands no job file to it.
case $1 in
--enghelp=* | --cmdhelp=* | --?) cat >/dev/null ;;
esac
case $*,$FAKE_LACKS in
--version,) echo fio-3.33 && exit ;;
--version,?*) echo "fio: $FAKE_LACKS" && exit 127 ;;
esac
case $1 in
--[io])
	echo "fio: option '$1' is ambiguous; possibilities: '--output' '--offset' '--offset_align'" \
		"'--iodepth' '--iodepth_batch' '--iodepth_batch_submit' '--io_limit' '--iomem'" ;;
--s) echo "fio: option '$1' is ambiguous; possibilities: '--showcmd' '--section' '--size' '--ss'" ;;
--enghelp=mmap) echo 'thp : Memory advice' ;;
--enghelp=libaio) printf '%s : x\n' userspace_reap hipri ;;
--enghelp=pvsync2) printf '%s : x\n' hipri hipri_percentage ;;
--enghelp=*refuses.so)
	echo 'tickwise: built for another fio'
	exit 1 ;;
--enghelp=*tickwise*.so) printf '%-23s : x\n' hipri tw_report ;;
--cmdhelp)
	printf '%s : x\n' name description ioengine iodepth rw bs filename thread size offset
	echo '  offset_align : indented, as it is of use with offset' ;;
--enghelp=*,hipri | --cmdhelp=thread) echo '   type: empty or boolean value ([0|1])' ;;
--cmdhelp=name | --cmdhelp=description | --cmdhelp=ioengine | --cmdhelp=iodepth | \
		--cmdhelp=rw | --cmdhelp=readwrite | --cmdhelp=bs | --cmdhelp=filename | \
		--cmdhelp=size | --cmdhelp=offset | --cmdhelp=offset_align)
	echo '   type: integer value' ;;
--cmdhelp=descriptoin)
	echo 'No such command: descriptoin - showing closest match'
	echo '   type: string'
	exit 1 ;;
--enghelp=* | --cmdhelp=*)
	echo "${FAKE_LACKS:-No such command}"
	exit 1 ;;
esac
case $1 in
--enghelp=* | --cmdhelp* | --?) exit ;;
esac
: >"$SEEN/arguments"
n=0
for argument; do
	echo "$argument" >>"$SEEN/arguments"
	case $argument in
	-*) ;;
	*)	n=$((n + 1))
		cp "$argument" "$SEEN/$n" 2>/dev/null ;;
	esac
done
echo "fio's output"
echo "fio's errors" >&2
eval "$FAKE_DO"
thread=0
for job in $FAKE_JOBS; do
	thread=$((thread + 1))
	subjob=0
	case $job in */*) subjob=${job#*/} job=${job%/*} ;; esac
	echo '{"schema": "tickwise-report", "jobs": [{"run": "'$$-1'", "name": "'$job'",
		"thread_number": '$thread', "subjob_number": '$subjob'}]}' \
		>"${FAKE_REPORT:-$job.$thread.9.tickwise.json}"
done
exit "$FAKE_EXIT"
END
chmod +x "$FIO"
cd "$scratch" || exit 1

# fio_run ARGUMENT...: runs tickwise run on a file that is no engine
fio_run() {
	rm -f "$seen"/*
	run run --engine="$engine" ${page---no-report} "$@"
}

# changed: prints the lines of $scratch/job.fio that have changed
changed() {
	"$tickwise" run --engine="$engine" --dry-run "$@" job.fio 2>"$err" |
		sed -e '/^# run as: /d' -e "s|$engine|ENGINE|" >now
	diff job.fio now | grep '^[<>]' | xargs -d '\n'
}

# refuses CODE TEXT ARGUMENT...: passes if it prints one line, and fio does not run
refuses() {
	code=$1 text=$2
	shift 2
	fio_run "$@"
	is "$status" "$code" "$text: exit code $code"
	is "$(tail -n 1 "$err" | grep -cF -e "$text") $(wc -c <"$out")" '1 0' \
		'says so, prints nothing'
	[ ! -e "$seen/arguments" ]
	ok $? 'fio is not run'
}
