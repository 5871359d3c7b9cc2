#!/bin/sh
# SPDX-License-Identifier: MIT
# Tests: plugin/helper
#
# Behaviour: `tickwise kernel-helper` splits the I/Os of a fio without privileges
# inside the kernel: of jobs that are processes or threads, in a container, of two
# users at a time, each I/O or some of them. A user who is not allowed gets one line. If the helper is killed,
# I/Os lose their stamps and nothing else. It refuses what is no question, and
# questions about more than a job's own rings. Its memory can't be written, and it
# leaves nothing.
#
# Defect: stamps of another user, a job that fails with its helper, a helper that
# ends when it is asked nonsense. Also memory that a job can write, a program that
# stays in the kernel, a socket that others can open.
#
# No time is judged.
. "$(dirname "$0")/fio_tap.sh"
. "$root/tests/fio/kernel_tap.sh"
. "$root/tests/fio/helper_tap.sh"

client=$TW_BUILD/tests/fio/helper_client
need_helper

# ---- the command line ----

"$helper" --help >help 2>err
is "$? $(wc -c <err) $(grep -c '^usage: ' help)" '0 0 1' '--help'
for wrong in --user=no-such-user --group=no-such-group --user=-1 --users=root more \
	"--socket=$(printf %0108d 0)"; do
	"$helper" "$wrong" >out 2>err
	is "$? $(wc -c <out) $(grep -c '^tickwise kernel-helper: ' err)" '64 0 1' \
		"$(echo "$wrong" | cut -c 1-30): one line"
done

"$helper" --user=0 --group=0 >out 2>err
is "$? $(wc -c <out) $(cat err)" '64 0 tickwise kernel-helper: --user= or --group=, not '\
'both: make the user a member of the group' '--user= and --group='

# ---- where it can work ----

if [ "$(id -u)" != 0 ] || ! command -v setpriv >/dev/null; then
	skip 'not root, or no setpriv'
	done_testing
fi
need_kernel
chmod 711 .
cp "$TICKWISE_SO" tickwise.so
cp "$client" "$helper" "$TW_BUILD/tests/fio/have_io_uring" .
chmod 755 tickwise.so helper_client have_io_uring tickwise-kernel-helper

if ! as 65534 ./have_io_uring >why 2>&1; then
	skip "no io_uring for an ordinary user: $(cat why)"
	done_testing
fi
if [ "$locked" != unlimited ] && [ "$locked" -lt 4096 ]; then
	skip "an ordinary user may lock $locked kB of memory, 4096 are needed"
	done_testing
fi

# fio_as USER NAME ARGUMENT...: runs fio; NAME/NAME.json is the report. Options also
# hold for the jobs of further --name=.
fio_as()
{
	user=$1 name=$2
	shift 2
	mkdir -p "$name"
	chown "$user" "$name"
	(cd "$name" && as "$user" timeout -s KILL $hung_s "$FIO" \
		--ioengine=external:../tickwise.so --output=out \
		--filename="$data" --bs=4k --size=4m --io_size=1m --rw=randread \
		--direct="$direct" --iodepth=32 --tw_kernel=auto --tw_kernel_every=1 \
		--tw_slowest=100000 --tw_report="$name.json" $buffered \
		--name="$name" "$@" 2>err)
}

find_disk
trap '[ -z "$helper_pid" ] || kill -KILL "$helper_pid" 2>/dev/null
	rm -rf "$scratch" ${disk:+"$disk"}' EXIT
buffered=
if [ -n "$disk" ]; then
	chmod 755 "$disk"
	direct=1
else
	# Reads from the page cache have stamps of io_uring, too.
	echo "# direct I/O is not split here:$reasons"
	disk=$scratch
	direct=0
	# Else such a job would not ask for the program.
	buffered=--tw_causes=1
	joined='not_split("no_request") == sum($j->{ios})'
fi
data=$disk/data
head -c 4194304 /dev/zero >"$data"
chmod 644 "$data"
sync "$data"

# ---- where it does not begin ----

for other in --user=65533 "--group=$group"; do
	as 65534 ./tickwise-kernel-helper --socket=kernel.sock "$other" >out 2>err
	is "$? $(wc -c <out) $(cat err)" '70 0 tickwise kernel-helper: only root can '\
'serve other users: leave out --user= and --group=' "$other, not as root"
done
if unshare --time --monotonic=1000 --fork true 2>why; then
	unshare --time --monotonic=1000 --fork "$helper" --socket=kernel.sock \
		>out 2>err
	is "$? $(wc -c <out) $(cat err)" '70 0 tickwise kernel-helper: a time '\
'namespace shifts CLOCK_MONOTONIC here' 'in a time namespace'
else
	skip "no time namespace: $(cat why)"
fi
# refuses PATH CULPRIT DESCRIPTION: passes if the helper does not start, and names
# the culprit
refuses()
{
	"$helper" --socket="$1" >out 2>err
	is "$? $(wc -c <out) $(cat err)" "70 0 tickwise kernel-helper: $2: others can \
replace files in it; choose another folder by --socket=" "$3"
}
mkdir open open/inside theirs theirs/inside
ln -s open/inside link
chmod 777 open
chown 65534 theirs
refuses "$scratch/open/kernel.sock" "$scratch/open" 'in a folder that is open to all'
refuses "$scratch/open/inside/kernel.sock" "$scratch/open" 'nor in one inside of it'
refuses "$scratch/theirs/inside/kernel.sock" "$scratch/theirs" "nor in another user's"
refuses "$scratch/link/kernel.sock" "$scratch/open" 'nor in what a link leads to'
rm link
chmod 1777 open
refuses "$scratch/open/kernel.sock" "$scratch/open" \
	'nor in a sticky folder, where it could be there before'
ln -s "$scratch/theirs" open/link
chown -h 65534 open/link
chown 0 theirs
refuses "$scratch/open/link/kernel.sock" "$scratch/open/link" "nor by another user's link"

tells_refusal tw_stages "$helper" --socket="$scratch/kernel.sock"

# ---- who may have it ----

fio_as 65534 none
json none/none.json '$j->{jobs}[0]{kernel}{state} eq "off" &&
	$j->{jobs}[0]{kernel}{why} =~ /tickwise kernel-helper/'
ok $? 'without a helper the report names it'

begin_helper --group=$group
is "$(cat helper.log)" "listening on $scratch/h/kernel.sock for group $group (Ctrl-C ends it)" 'it begins'
is "$(stat -c '%A %u %g' h/kernel.sock) $(stat -c '%A %u' h)" \
	"srw-rw---- 0 $group drwxr-xr-x 0" 'the socket is for a group'
"$helper" --socket="$scratch/h/kernel.sock" >out 2>err
is "$? $(cat err)" "70 tickwise kernel-helper: $scratch/h/kernel.sock: another helper \
listens there" 'a second one finds it'

fio_as 65534 one --tw_kernel=require --tw_kernel_every=1 --name=two --thread --numjobs=2
is $? 0 'a fio without privileges runs with tw_kernel=require'
split_is one/one.json.1 256 "$joined && \$j->{jobs}[0]{kernel}{by_helper}" \
	'its I/Os are split, by the helper'
split_is one/one.json.2 256 "$joined" 'and those of a job that is a thread'
split_is one/one.json.3 256 "$joined" 'and of another one'
"$tickwise" report --all one/one.json.1 >page
[ "$direct" = 0 ] || has page '; by tickwise kernel-helper' 'which the report tells'
fio_as 65534 sampled --tw_kernel_every=16
# It is 32 if the job lasted long enough to measure its cost.
json sampled/sampled.json "$kernel_perl"'
	my ($is, $k) = ($j->{jobs}[0]{kernel}, $j->{kernel_stages});
	$is->{state} eq "on" && $is->{by_helper} && $k->{every} =~ /^(16|32)$/ &&
	not_split("not_chosen") > 0 && sum($k->{split}) + not_split() == 256'
ok $? 'of another one, some are chosen'
if unshare --pid --fork --mount-proc true 2>why; then
	around='unshare --pid --fork --mount-proc'
	fio_as 65534 contained --numjobs=2
	around=
	split_is contained/contained.json.1 256 "$joined" 'in a namespace of processes'
	split_is contained/contained.json.2 256 "$joined" 'and its second job'
else
	skip "no namespace of processes: $(cat why)"
fi
fio_as 65532 other
is $? 0 'another user: runs'
is "$(from_json other/other.json 'print $j->{jobs}[0]{kernel}{why}')" \
	"the kernel helper at $scratch/h/kernel.sock is not for this user (tickwise \
kernel-helper --user=)" 'and says why'
fio_as 65532 refused --tw_kernel=require --tw_kernel_every=1
is "$? $(grep -c '^tickwise: refused: tw_kernel=require, but .*not for this user' \
	refused/err)" '1 1' 'or ends with one line'

# ---- nonsense ----

# answers CASE DESCRIPTION EXPECTED
answers()
{
	idle
	is "$(as 65534 timeout -s KILL $hung_s ./helper_client h/kernel.sock "$1" 2>&1 |
		$sorted)" "$3" "$2"
}
sorted=cat
answers garbage 'what is no question' "nothing: ended
4096 bytes: it is of another version of tickwise
cut off: the question is no question
longer: the question is no question
no entries: no room for that many I/Os in flight (65536)
a ring before loading: more jobs than there is room for"
answers asks "what is not the job's" "load: ok
map to write: refused
map to read: done
make it writable: refused
update: refused
load again: the program is loaded already
more than there are: more jobs than there is room for
thread 0: the thread is not the job's
thread 1: the thread is not the job's
its parent's thread: the thread is not the job's
thread -1: the thread is not the job's
its own: ok
made none: the kernel's program did not see the ring
its child's: ok
its grandchild's: the job is no child of the fio that asked
the rest: ok
more than is left: more jobs than there is room for
for ever: ended"
sorted=sort
answers orphan 'a child whose parent has ended' "a child: ok
an orphan: ended
load: ok"
answers crowd 'more fios than one user may have' \
	'load: it already serves as many fios as it may'
answers mute 'who reads no answers' 'load: ok
unread answers: ended'
kill -0 "$helper_pid"
ok $? 'the helper is alive'

# A thread that was announced has ended, and another user's thread has its number.
idle
if unshare --pid --fork --mount-proc true 2>why; then
	is "$(timeout -s KILL $hung_s unshare --pid --fork --mount-proc ./helper_client \
		h/kernel.sock reuse 2>&1)" "load: ok
announced: ok
used: ok
made: ok
stamped: ok
again: ok
same number: ok
rings of the other: ok
the other user's: not seen" 'a number of a thread that somebody else has now'
else
	skip "no namespace of processes: $(cat why)"
fi

# ---- its folder, and /proc ----

idle
chmod 700 h
fio_as 65534 folder
is "$? $(from_json folder/folder.json 'print $j->{jobs}[0]{kernel}{why}')" \
	"0 the kernel helper at $scratch/h/kernel.sock can't be reached: this user \
can't search its folder" 'a folder that only root can search'
end_helper
helper_pid=
in='env SUDO_UID=65534'
begin_helper
is "$(stat -c '%A %u' h/kernel.sock) $(cat helper.log)" "srw------- 65534 listening on \
$scratch/h/kernel.sock for user 65534 (Ctrl-C ends it)" 'without --user= it is for who called sudo'
in=
end_helper
helper_pid=
(
	umask 077
	begin_helper --user=65534
	stat -c %A h
	end_helper
) >mode
is "$(cat mode)" 'drwxr-xr-x' 'umask 077: all can search the folder it makes'
if unshare --mount mount -t proc -o hidepid=2 proc /proc 2>why; then
	printf '%s\n' '#!/bin/sh' 'mount -t proc -o hidepid=2 proc /proc &&' \
		'exec "$@"' >hide
	chmod 755 hide
	in='unshare --mount ./hide'
	begin_helper --user=65534
	fio_as 65534 hidden --tw_kernel=require --tw_kernel_every=1
	is $? 0 'where /proc hides processes it serves'
	end_helper
else
	skip "no /proc can be mounted: $(cat why)"
fi
in=
begin_helper --group=$group

# ---- it hangs ----

idle
kill -STOP "$helper_pid"
fio_as 65534 stopped
is "$? $(from_json stopped/stopped.json 'print $j->{jobs}[0]{kernel}{why}')" \
	'0 the kernel helper does not answer' 'a helper that hangs: fio runs'
kill -CONT "$helper_pid"

# ---- two users ----

idle
fio_as 65534 first --io_size=8m --tw_kernel=require --tw_kernel_every=1 &
first=$!
fio_as 65533 second --io_size=8m --iodepth=8 --tw_kernel=require --tw_kernel_every=1 &
second=$!
wait $first
wait $second
split_is first/first.json 2048 "$joined" 'two users at a time: the first'
split_is second/second.json 2048 "$joined" 'the second'
end_helper
is "$status $(ls -d h 2>&1 | grep -c 'No such')" '0 1' \
	'a signal ends it: exit code 0, no socket left'

# ---- nobody reads what it prints ----

mkfifo full
exec 7<>full
dd if=/dev/zero of=full oflag=nonblock conv=notrunc bs=4096 count=1024 2>why
"$helper" --socket="$scratch/h/kernel.sock" --user=65534 >full 2>helper.log &
helper_pid=$!
# The helper listens; the kernel marks its socket so.
while ! grep -q " 00010000 .*$scratch/h/kernel.sock" /proc/net/unix &&
	kill -0 "$helper_pid" 2>/dev/null; do
	sleep 0.1
done
fio_as 65534 unread --tw_kernel=require --tw_kernel_every=1
is $? 0 'the pipe that it prints to is full: it serves'
end_helper
is "$status $(wc -c <helper.log)" '0 0' 'and ends by a signal'
exec 7>&-

# ---- it is killed ----

begin_helper --user=65534
is "$(stat -c '%A %u' h/kernel.sock)" 'srw------- 65534' \
	'the socket is for one user alone'
chmod 666 h/kernel.sock
fio_as 65532 stranger
is "$(from_json stranger/stranger.json 'print $j->{jobs}[0]{kernel}{why}')" \
	'the kernel helper: it is not for this user (--user=)' 'and so is the helper'

(
	waited=0
	until [ -s killed/ready ] || [ $waited -gt 6000 ]; do
		sleep 0.05
		waited=$((waited + 1))
	done
	note_serving
	rights_of "$(cat child)" >rights
	readlink "/proc/$(cat child)/root" >>rights
	kill -KILL "$helper_pid"
	# The other process notices it, and ends.
	while [ -s child ] && [ -d "/proc/$(cat child)" ]; do
		sleep 0.05
	done
	echo >killed/go
) &
watcher=$!
mkdir killed
fio_as 65534 killed --tw_report=a.json --name=after --stonewall --tw_report=b.json \
	--exec_prerun='sh -c "echo >ready; while [ ! -e go ]; do sleep 0.05; done"'
is "$? $(wc -c <killed/err)" '0 0' 'a helper is killed while jobs run: exit code 0'
wait "$watcher"
wait "$helper_pid"
helper_pid=
split_is killed/a.json.1 256 "$joined" 'the job before has its stages'
json killed/b.json.2 "$kernel_perl"'
	$j->{ios}{read} == 256 && ($j->{jobs}[0]{kernel}{state} eq "off" ||
		not_split("no_stamps") == 256)'
ok $? 'the job after has all of its I/Os, and no stages'
is "$(cat rights)" '65534 65534 65534 65534 0000000000000000 0000000000000000 1 0 0 /proc' \
	'the process that served it had no privileges, saw /proc alone, could write and start nothing'
works "and $(wc -l <programs) programs in the kernel" test "$(wc -l <programs)" -ge 6
programs_are_gone 'none of which is left'
works 'its socket is' test -S h/kernel.sock
begin_helper --user=65534
end_helper
is "$status" 0 'and makes room for the next helper'
helper_pid=
done_testing
