#!/bin/sh
# SPDX-License-Identifier: MIT
# Tests: plugin/attach
#
# Behaviour: `tickwise attach --sync` counts each call of fsync(2) and fdatasync(2) of the program
# that it starts, or of the given process, and of the processes and threads that they start, by
# file, and no other program's. Each has parts, which add up to its lat. A call on a file system
# without a block device is counted as not split, one that fails as an error. io_uring's I/O is
# followed, too. Without --sync no call is seen. If tracefs is not mounted, one line says so.
#
# On ext4 with a journal (a loop device, as root): calls that wait for a commit name the other
# process that had handles in it, also to root without CAP_SYS_PTRACE if it is root's. A program
# alone names nobody.
#
# Defect: calls that are missed or counted twice, of another program, or under a wrong file;
# parts that do not add up, or of another thread's call; a process that was not in the commit is
# named, or one is named to a user who must not see it.
#
# No time is judged. A count is exact, but for events that the kernel's own count says it missed.
# shellcheck disable=SC2016	# Perl
. "$(dirname "$0")/fio_tap.sh"
. "$root/tests/fio/kernel_tap.sh"

if ! [ -x "$(dirname "$tickwise")/tickwise-attach" ]; then
	skip 'tickwise-attach is not built: clang, bpftool and libbpf-dev'
	done_testing
fi
need_kernel
find_disk
[ -n "$disk" ] || { skip "no file system for it:$reasons"; done_testing; }

# with_tracefs COMMAND...: runs it where the kernel's tracepoints can be found
with_tracefs()
{
	unshare --mount sh -c 'mount -t tracefs tracefs /sys/kernel/tracing || exit 99
		exec "$@"' sh "$@"
}
if ! with_tracefs test -e /sys/kernel/tracing/events/syscalls/sys_enter_fsync 2>why; then
	skip "no tracepoints of system calls here: $(cat why)"
	done_testing
fi

# attach ARGUMENT...: its exit code is in $status
attach()
{
	with_tracefs timeout -s KILL $hung_s "$tickwise" attach --interval=0 --output=page \
		"$@" >out 2>err
	status=$?
}

sync_perl='
	use List::Util ();
	my @rows = @{$j->{attached}{operations}};
	sub calls { my ($name, $file) = @_;
		List::Util::sum0(map { $_->{ios} } grep { $_->{operation} eq $name &&
			$_->{file} eq $file } @rows) }
	sub part_sum { List::Util::sum0(map { $j->{sync}{$_}{sync}{sum_ns} // 0 }
		qw(data journal flush wake)) }
	sub lat { $j->{stages}{lat}{sync}{sum_ns} }
	sub all { my ($n, $is) = @_; $is <= $n && $is >= $n - ($j->{kernel_stages}{missed_runs} // 0) }
	sub all_split { my $ios = $j->{ios}{sync};
		all($_[0], $ios) && !$j->{sync}{not_split}{sync} &&
		!exists $j->{sync}{worker} && part_sum() == lat() &&
		!(grep { $j->{sync}{$_}{sync}{count} != $ios } qw(data journal flush wake)) &&
		$j->{jobs}[0]{syncs}{state} eq "on" && @{$j->{slowest}} &&
		$j->{sync}{written_bytes}{sync} > 0 &&
		!(grep { my $of = $_->{stages};
			List::Util::sum0(map { $of->{$_}{sum_ns} } qw(data journal flush wake)) !=
				$of->{lat}{sum_ns} } grep { !$_->{ring} } @rows) &&
		!(grep { $_->{ring} || List::Util::sum0(values %{$_->{sync}}) !=
			$_->{stages}{lat} } @{$j->{slowest}}) }
	my $here = "'"$(cd "$disk" && pwd -P)"'";
'
# attached FILE PERL DESCRIPTION: checks a report
attached()
{
	json "$1" "$sync_perl $2"
	attached_status=$?
	ok "$attached_status" "$3"
	[ "$attached_status" = 0 ] || head -c 3000 "$1" | sed 's/^/# /'
}

sync_calls=$TW_BUILD/tests/fio/sync_calls

attach --sync --json=one.json -- "$sync_calls" "$disk/one" 30 1
is "$status" 0 'a program without a ring'
attached one.json 'all_split(60) && all(30, calls("fsync", "$here/one0")) &&
	all(30, calls("fdatasync", "$here/one0"))' 'each call is counted, of its file, and has parts'
works 'the page has the parts of the mean' sh -c 'tr -s "\n " " " <page |
	grep -q "sync: .* data [0-9.]*[a-z]* .* journal .* flush .* wake "'
has_not page 'io-wq' 'and no worker'
has_not page 'no ring was seen' 'nor a remark that no ring was seen'
is_valid report one.json

# Processes and threads at once, each with its own file. Another program syncs, too.
"$sync_calls" "$disk/other" 1000000 1 &
other=$!
attach --sync --json=many.json -- sh -c 'for i in a b; do
	"$1" "$0/many-$i" 25 4 & done; wait' "$disk" "$sync_calls"
kill $other 2>/dev/null
wait $other 2>/dev/null
is "$status" 0 'eight threads of two processes at once'
attached many.json 'all_split(400) && @rows == 16 &&
	!(grep { !all(25, $_->{ios}) || $_->{file} !~ m{/many-[ab][0-3]$} } @rows)' \
	'each is counted apart, and no other program'

# A process that runs already, and the processes that it starts later.
rm -f go
sh -c 'until [ -e go ]; do sleep 0.1; done; "$1" "$0/late" 20 1' "$disk" "$sync_calls" &
late=$!
rm -f page
(until grep -q . page 2>/dev/null; do sleep 0.1; done; : >go) &
with_tracefs timeout -s KILL $hung_s "$tickwise" attach --sync --interval=0.2 --output=page \
	--json=late.json $late >out 2>err
is "$?" 0 'a process that runs'
wait
attached late.json 'all_split(40)' 'its calls are counted'
has_not err 'has no ring' 'that it has no ring is no remark'

# Calls that can't be split, or fail.
attach --sync --json=bad.json -- "$sync_calls" -
is "$status" 0 'calls that fail'
attached bad.json '!$j->{ios}{sync} && all(2, $j->{errors}{sync})' 'they are errors'
if [ -w /dev/shm ] && [ "$(stat -f -c %T /dev/shm)" = tmpfs ]; then
	shm=$(mktemp -d /dev/shm/tw.XXXXXX)
	trap 'rm -rf "$scratch" "$disk" "$shm"' EXIT
	attach --sync --json=shm.json -- "$sync_calls" "$shm/data" 5 1
	attached shm.json 'all(10, $j->{ios}{sync}) &&
		$j->{sync}{not_split}{sync} == $j->{ios}{sync}' \
		'a tmpfs: not split'
	rm -rf "$shm"
else
	skip 'no tmpfs'
fi

# io_uring's I/O, and calls.
attach --sync --json=ring.json -- sh -c '"$1" --name=r --ioengine=io_uring --filename="$0/ring" \
	--size=64k --bs=4k --rw=write --output=/dev/null && "$2" "$0/both" 10 1' "$disk" "$FIO" "$sync_calls"
is "$status" 0 'a program with a ring'
attached ring.json 'all(10, calls("fsync", "$here/both0")) && $j->{ios}{write} >= 8 &&
	all(10, calls("fdatasync", "$here/both0"))' 'both are counted'

attach --json=without.json -- "$sync_calls" "$disk/one" 5 1
attached without.json '!@rows && !$j->{sync} && !$j->{jobs}[0]{syncs}' \
	'without --sync no call is seen'
attach --sync -- true
is "$status $(grep -c 'nor called fsync(2)' err)" '0 1' 'a program without a call: a line says so'

if unshare --mount sh -c 'umount /sys/kernel/tracing 2>/dev/null
		umount /sys/kernel/debug 2>/dev/null
		! [ -e /sys/kernel/tracing/events ] && ! [ -e /sys/kernel/debug/tracing ] &&
		exec "$@"' sh "$tickwise" attach --sync -- true >out 2>err; then
	false
	ok $? 'without tracefs it fails'
elif [ -s err ]; then
	is "$(grep -c 'mount -t tracefs' err) $(wc -l <err)" '1 1' 'without tracefs: one line'
else
	skip 'tracefs can not be unmounted here'
fi

# ---- who was in the commit -----------------------------------------------------------

need_journal

# appends NAME ARGUMENT...: attach counts the calls of an fio that waits for a commit with each
# fsync. Others have time for handles between two of them.
appends()
{
	name=$1
	shift
	with_tracefs "$@" timeout -s KILL $hung_s "$tickwise" attach --sync --interval=0 \
		--output=page --json="$name.json" -- "$FIO" --thread --ioengine=psync \
		--name="$name" --directory="$mounted" --rw=write --bs=4k --size=400k \
		--fallocate=none --fsync=1 --thinktime=10ms --output=/dev/null >out 2>err
	is $? 0 "$name: fio succeeds" || cat err
}

# commits NAME PERL WHAT: PERL has the counts by kind, name and number. On a busy machine the other
# process has handles in a part of the commits only.
commits()
{
	attached "$1.json" 'my @waits = grep { $_->{commit} } @{$j->{slowest}};
		my %n = map { my $who = $_->{who};
			(join(" ", map { $_ // "" } @$who{qw(kind name id)}), $_->{ios})
		} @{$j->{commits} // []};
		print "# $_: $n{$_} of $j->{ios}{sync}\n" for keys %n;
		my $calls = $j->{ios}{sync};
		!(grep { !$_->{commit}{waits} || !!$_->{commit}{others} != !!$_->{commit}{who} }
			@waits) &&
		!(grep { my $c = $_->{commit}; $c->{running_ns} + $c->{own_ns} !=
			$_->{sync}{journal} } @waits) && $j->{sync}{own_commit}{sync}{count} &&
		@waits && $calls >= 50 && all_split($calls) && ('"$2"')' "$1: $3"
}

appends alone env
commits alone '!%n' 'a program alone names nobody'
others env
appends together env
commits together 'keys %n == 1 && $n{"process other '"$other_pid"'"} * 10 > $calls' \
	'the other process is named'
works 'the page names it' sh -c 'tr -s "\n " " " <page |
	grep -q "that waited for a commit with handles of others: other ($1) [0-9]* %"' - "$other_pid"
kill "$other_pid"
wait "$other_pid" 2>/dev/null
others setpriv --reuid=65534 --regid=65534 --clear-groups
appends hidden setpriv --inh-caps=-sys_ptrace --bounding-set=-sys_ptrace
commits hidden 'keys %n == 1 && $n{"hidden  "} * 10 > $calls' \
	"without the right to see it, another user's process is hidden"
kill "$other_pid"
done_testing
