# SPDX-License-Identifier: MIT
#
# For the tests of `tickwise kernel-helper`, to be sourced after kernel_tap.sh: begins and
# ends it, and runs programs as users who have no privileges.

helper=$TW_BUILD/tickwise-kernel-helper
helper_pid=
TICKWISE_KERNEL_SOCKET=$scratch/h/kernel.sock
export TICKWISE_KERNEL_SOCKET

# need_helper: ends a test where no helper was built
need_helper()
{
	[ ! -x "$helper" ] || return 0
	skip 'no helper was built: no clang, bpftool or libbpf-dev'
	done_testing
}

group=64999
around=
# as USER COMMAND...: runs it without privileges; each but 65532 is a member of the group;
# $around: a command before it
as()
{
	user=$1
	shift
	gid=$group
	[ "$user" != 65532 ] || gid=65532
	$around setpriv --reuid="$user" --regid=$gid --clear-groups --bounding-set=-all "$@"
}

# begin_helper ARGUMENT...: starts it; sets $helper_pid; its output is helper.log;
# $in: a command before it
in=
begin_helper()
{
	: >helper.log
	$in "$helper" --socket="$scratch/h/kernel.sock" "$@" >helper.log 2>&1 &
	helper_pid=$!
	while ! grep -q '^listening' helper.log && kill -0 "$helper_pid" 2>/dev/null; do
		sleep 0.1
	done
}
# end_helper: ends it; sets $status
end_helper()
{
	kill "$helper_pid"
	wait "$helper_pid"
	status=$?
}

# idle: waits until the helper's processes for earlier fios, which take a place
# each, are gone
idle()
{
	idle_looks=0
	while [ -n "$(cat "/proc/$helper_pid/task/$helper_pid/children")" ] &&
	      [ $idle_looks -lt 1200 ]; do
		sleep 0.1
		idle_looks=$((idle_looks + 1))
	done
}

# note_serving: writes a process that serves a fio to the file child, and the numbers of its
# programs to the file programs
note_serving()
{
	for child in $(cat "/proc/$helper_pid/task/$helper_pid/children"); do
		grep -q '^Uid:	65534' "/proc/$child/status" || continue
		echo "$child" >child
		sed -n 's/^prog_id:[^0-9]*//p' "/proc/$child/fdinfo/"* |
			sort -un >programs
	done
}

# rights_of PID: prints its users, capabilities and no_new_privs, the size of files that it
# may write and the number of processes
rights_of()
{
	{
		sed -n 's/^\(Uid\|CapPrm\|CapEff\|NoNewPrivs\):[^0-9]*//p' "/proc/$1/status"
		sed -n 's/^Max \(file size\|processes\) *\([0-9a-z]*\) .*/\2/p' "/proc/$1/limits"
	} | tr '\t\n' '  '
}
