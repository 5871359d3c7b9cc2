#!/bin/sh
# SPDX-License-Identifier: MIT
# Tests: plugin/helper
#
# Behaviour: a user whom `tickwise kernel-helper` lets in can't keep it from serving
# others, from ending, or from taking its programs and processes with it. Nobody gets more
# of the kernel's memory than SECURITY.md tells. Nobody can trace the helper, or open its
# socket to others.
#
# Defect: the main process closes what a client has sent and waits for it; a place is
# given away while its memory is in use; a process that is stopped stays; capabilities are
# dropped while the process can be traced; the log grows with each connection.
#
# An attack lasts until it is ended here, or 600 s. A check fails if it waits for 60 s; no
# shorter time is judged. The times are printed. TW_ATTACKS= is the number of clients that
# keep their memory (100).
. "$(dirname "$0")/fio_tap.sh"
. "$root/tests/fio/kernel_tap.sh"
. "$root/tests/fio/helper_tap.sh"

need_helper
if [ "$(id -u)" != 0 ] || ! command -v setpriv >/dev/null; then
	skip 'not root, or no setpriv'
	done_testing
fi
need_kernel
chmod 711 .
cp "$helper" "$TW_BUILD/tests/fio/helper_client" "$TW_BUILD/tests/fio/preload/slow_prctl.so" .
chmod 755 helper_client tickwise-kernel-helper slow_prctl.so
helper=$scratch/tickwise-kernel-helper
attacks=${TW_ATTACKS:-100}
# Members of the group; nobody is 65534, as whom the helper serves
attacker=65531
victim=65530

socket=$scratch/h/kernel.sock
trap 'kill -KILL $(processes) 2>/dev/null
	rm -rf "$scratch"' EXIT

# processes: prints the processes of the helper and of attacks
processes()
{
	for exe in /proc/[0-9]*/exe; do
		case $(readlink "$exe" 2>/dev/null) in
		"$scratch"/*) echo "$exe" | tr -dc '0-9\n' ;;
		esac
	done
}

# begin_attack USER CASE ARGUMENT...: runs an attack as that user until end_attack. Its
# output is attack.out; there is one at a time.
begin_attack()
{
	attack_user=$1
	shift
	rm -f open
	mkfifo open
	: >attack.out
	as "$attack_user" timeout -s KILL $((120 + attacks)) ./helper_client "$socket" "$@" \
		<open >attack.out 2>attack.err &
	attack_pid=$!
	exec 8>open
}
end_attack()
{
	exec 8>&-
	wait "$attack_pid"
}
# attack_has LINES: waits for the attack's output
attack_has()
{
	while [ "$(wc -l <attack.out)" -lt "$1" ] && kill -0 "$attack_pid" 2>/dev/null; do
		sleep 0.05
	done
}

# in_time DESCRIPTION COMMAND...: passes if the command succeeds within 60 s
in_time()
{
	what=$1
	shift
	begun=$(date +%s%N)
	timeout -s KILL 60 "$@"
	took=$?
	ok $took "$what"
	echo "# $what: $((($(date +%s%N) - begun) / 1000000)) ms"
}
is_served()
{
	in_time "$1" setpriv --reuid=$victim --regid=$group --clear-groups \
		--bounding-set=-all sh -c './helper_client "$1" ask 2>&1 |
			grep -qx ok' - "$socket"
}

# are_gone PID...: waits for the end of processes. Who reaps an orphan may be slow.
cat >are_gone <<'END'
for pid; do
	while [ -d "/proc/$pid" ] && ! grep -qs ') Z ' "/proc/$pid/stat"; do
		sleep 0.01
	done
done
END
# ends SIGNAL DESCRIPTION: passes if this ends the helper and all its processes
ends()
{
	all="$helper_pid $(cat "/proc/$helper_pid/task/$helper_pid/children")"
	kill "-$1" "$helper_pid"
	# shellcheck disable=SC2086
	in_time "$2" sh are_gone $all
	kill -KILL "$helper_pid" 2>/dev/null
	wait "$helper_pid" 2>/dev/null
	helper_pid=
}

# ---- its memory ----

since=$(date +%s)
begin_helper --group=$group
begin_attack $attacker keep "$attacks"
is_served 'another user is served while clients connect without end'
attack_has 1
kept=$(cat attack.out)
[ "$kept" -ge 1 ] && [ "$kept" -le 4 ]
ok $? "$attacks clients that keep the memory and hang up have that of at most 4"
echo "# $kept"
is_served 'another user is served'
end_attack
as $attacker ./helper_client "$socket" ask >again 2>again.err
is "$(cat again)" ok 'who gives the memory back is served again'
# 20 lines of 40 bytes a minute, and one of what is left out
[ "$(wc -c <helper.log)" -lt $((($(date +%s) - since) / 60 * 1000 + 2000)) ]
ok $? 'the log does not grow with them'
echo "# $(wc -c <helper.log) bytes in $(($(date +%s) - since)) s"
idle
begin_attack $attacker hold
attack_has 1
note_serving
maps=$(cat "/proc/$(cat child)/fdinfo/"* | awk '/^memlock:/ { bytes = $2 }
	/^map_id:/ && !seen[$2]++ { sum += bytes } END { print sum }')
ends TERM 'a signal ends it while it serves'
works "it had $(wc -l <programs) programs in the kernel" test "$(wc -l <programs)" -ge 6
works "and $maps bytes of maps, of 65536 I/Os: at most 9 MB" test "${maps:-0}" -le 9437184
works 'of which the stamps are 8 MB' test "${maps:-0}" -ge 8388608
programs_are_gone 'none of which is left'
end_attack

# ---- descriptors that nobody can close without waiting ----

begin_helper --group=$group
as $attacker ./helper_client "$socket" send >sent
is "$(cat sent)" "$(if "$TW_BUILD/tests/fio/helper_client" - can-refuse; then
	echo 'Operation not permitted'
else
	echo sent
fi)" 'where the kernel can, it refuses descriptors'
ends TERM 'a signal ends it'

in="env LD_PRELOAD=$TW_BUILD/tests/fio/preload/old_sockets.so"
begin_helper --group=$group
begin_attack $attacker linger
attack_has 6
is "$(cat attack.out)" "the first question: ended
load: ok
a later one: ended
load: ok
what is never read: ended
refused: sent" 'a client sends sockets that linger for 600 s'
is_served 'another user is served'
in_time 'and this one gives its places back' sh -c \
	'while [ -n "$(cat "/proc/$1/task/$1/children")" ]; do sleep 0.1; done' - \
	"$helper_pid"
# fill_backlog: stops the helper, and sends more of them. A shell that runs a function keeps
# what the function's 8>&- closes, and `open` would never end.
fill_backlog()
{
	kill -STOP "$helper_pid"
	rm -f sent
	(exec 8>&- && as $attacker ./helper_client "$socket" backlog) <open >sent &
	filler=$!
	while ! [ -s sent ] && kill -0 $filler 2>/dev/null; do
		sleep 0.05
	done
}
fill_backlog
kill -CONT "$helper_pid"
is_served 'another user is served after connections with more of them'
fill_backlog
kill -TERM "$helper_pid"
ends CONT 'a signal ends it while such connections wait'
end_attack
in=

# ---- its processes ----

# serving: begins a helper, and an attack that it serves, and stops the process that does
serving()
{
	begin_helper --group=$group
	begin_attack $attacker hold
	attack_has 1
	note_serving
	as 65534 sh -c "kill -STOP $(cat child)"
	is "$?" 0 'user 65534 stops the process that serves'
}
serving
is_served 'another user is served'
ends TERM 'a signal ends the helper and that process'
programs_are_gone 'and its programs'
end_attack
serving
ends KILL 'SIGKILL does, too'
programs_are_gone 'and its programs'
end_attack
serving
end_attack
in_time 'that process ends with its fio' sh are_gone "$(cat child)"
programs_are_gone 'and its programs'
ends TERM 'a signal ends the helper'

# ---- its socket ----

begin_helper --group=$group
for mode in 666 0; do
	! as $attacker chmod $mode "$socket" 2>err
	ok $? "a member of the group can't set the socket's mode to $mode"
done
is "$(stat -c '%A %u %g' "$socket")" "srw-rw---- 0 $group" 'it stays'
chmod 666 "$socket"
is "$(as 65532 ./helper_client "$socket" ask 2>err)" \
	'it is not for this user (--user=)' 'nor would the mode let others in'
is "$(setpriv --reuid=65532 --regid=65532 --groups=$group ./helper_client \
	"$socket" ask 2>err)" ok 'one more group of a process counts, too'
ends TERM 'a signal ends it'
begin_helper --user=$victim
as $victim chmod 666 "$socket"
is "$(as $attacker ./helper_client "$socket" ask 2>err)" \
	'it is not for this user (--user=)' 'the user who owns the socket lets nobody in'
ends TERM 'a signal ends it'

# ---- what others can see of it ----

# Between two system calls the helper is what it is for 20 ms.
in="env LD_PRELOAD=$scratch/slow_prctl.so"
begin_helper --group=$group
in=
begin_attack 65534 trace "$helper_pid"
attack_has 1
for try in 1 2 3; do
	is_served "user $victim is served while 65534 tries to trace"
done
end_attack
is "$(tail -n 1 attack.out)" 'traced 0' 'and can not'
echo "# $(cat attack.err)"
ends TERM 'a signal ends it'

some=-all,+bpf,+perfmon,+syslog
mkfifo go
mkdir own
chown $attacker own
if setpriv --reuid=$attacker --regid=$group --clear-groups --inh-caps=$some \
	--ambient-caps=$some ./tickwise-kernel-helper --check >why 2>&1; then
	socket=$scratch/own/kernel.sock
	: >helper.log
	# The attack begins before the program does.
	sh -c 'read go; exec "$@"' - setpriv --reuid=$attacker --regid=$group \
		--clear-groups --inh-caps=$some --ambient-caps=$some \
		env LD_PRELOAD="$scratch/slow_prctl.so" \
		./tickwise-kernel-helper --socket="$socket" <go >helper.log 2>&1 &
	helper_pid=$!
	begin_attack $attacker trace "$helper_pid"
	attack_has 1
	echo >go
	while ! grep -q '^listening' helper.log && kill -0 "$helper_pid"; do
		sleep 0.1
	done
	for try in 1 2 3; do
		as $attacker ./helper_client "$socket" ask
	done >asked 2>asked.err
	idle
	(exec 8>&- && as $attacker ./helper_client "$socket" hold) <open >held 2>held.err &
	while ! [ -s held ] && kill -0 $!; do
		sleep 0.05
	done
	child=$(cat "/proc/$helper_pid/task/$helper_pid/children")
	is "$(rights_of "${child% }")" "$attacker $attacker $attacker $attacker \
0000000000000000 0000000000000000 1 0 0 " \
		'its process has no capability, and can write and start nothing'
	end_attack
	is "$(sort -u asked)" ok 'a helper with three capabilities serves its user'
	is "$(tail -n 1 attack.out)" 'traced 0' \
		'who can trace it at no time, from before it begins'
	echo "# $(cat attack.err)"
	ends TERM 'a signal ends it'
else
	skip "no helper with three capabilities: $(grep '^tickwise' why)"
fi
is "$(processes)" '' 'no process is left'
done_testing
