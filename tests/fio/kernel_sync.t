#!/bin/sh
# SPDX-License-Identifier: MIT
# Tests: plugin/kernel
#
# Behaviour: each fsync and fdatasync of a job on a file system that has them has its parts,
# which add up to the stage kernel, and no other I/O has them: for buffered and direct I/O,
# several jobs at once, registered files, SQPOLL, and syncs among the other I/Os of a depth.
# The report has the parts' sum, its page prints it. A file system without a block device has
# none; its syncs are counted as such. With tw_kernel=off, tw_stages=0, without privileges or
# syncs nothing of that is there, and the report tells why.
#
# A direct write with O_SYNC or O_DSYNC has them in the stage complete, which they add up to,
# also if only some writes are chosen; a buffered one in kernel.
#
# On ext4 with a journal (a loop device, as root): syncs that wait for a commit name the other
# process that has handles in it, with its number. A job alone names nobody. Without the right
# to see another user's process, that one is hidden, also if only its effective user is another.
# The bytes are those of the page that was written. With data=journal a sync waits for a commit,
# with fast commits mostly for none.
#
# Defect: stamps of another job's sync, or of the sync before; a sync that is lost.
#
# No time is judged.
. "$(dirname "$0")/fio_tap.sh"
. "$root/tests/fio/kernel_tap.sh"

need_kernel
find_disk
[ -n "$disk" ] || { skip "no file system for it:$reasons"; done_testing; }

sync_perl='
	sub parts { map { $j->{sync}{$_}{sync} } qw(worker data journal flush wake) }
	sub sum { my $sum = 0; $sum += $_ // 0 for @_; $sum }
'

# split NAME: each sync of the reports NAME.json* has parts that add up
split()
{
	for report in "$1".json*; do
		json "$report" "$sync_perl"'my $ios = $j->{ios}{sync};
			my @slow = grep { $_->{ddir} eq "sync" } @{$j->{slowest}};
			$j->{jobs}[0]{syncs}{state} eq "on" && $ios > 20 &&
			!$j->{sync}{not_split}{sync} && @slow == $ios &&
			!(grep { $_->{count} != $ios } parts()) &&
			sum(map { $_->{sum_ns} } parts()) == $j->{stages}{kernel}{sync}{sum_ns} &&
			!(grep { !$_->{sync} || sum(values %{$_->{sync}}) != $_->{stages}{kernel} }
				@slow) &&
			!(grep { $_->{sync} && $_->{ddir} ne "sync" } @{$j->{slowest}})'
		ok $? "$report: each sync has parts, which add up" || head -c 2000 "$report"
	done
}

# job NAME ARGUMENT...: writes a file, and syncs it
job()
{
	name=$1
	shift
	run_fio --name="$name" --directory="$disk" --rw=randwrite --bs=4k --size=1m \
		--number_ios=100 --tw_kernel=auto --tw_slowest=10000 --tw_report="$name.json" "$@"
	is $? 0 "$name: fio succeeds" || cat err
}

job buffered --fdatasync=1
split buffered
works 'the page has the parts of the mean' sh -c '"$1" report buffered.json |
	tr -s "\n " " " | grep -q "worker .* data .* journal .* flush .* wake .*lat without worker"' - "$tickwise"
job direct --direct=1 --fsync=2 --tw_kernel_every=64
split direct
job deep --fdatasync=3 --iodepth=16
split deep
job jobs --fsync=1 --numjobs=3
split jobs
job threads --fsync=1 --numjobs=2 --thread=1
split threads
job registered --fdatasync=1 --registerfiles=1
split registered
job polled --fdatasync=1 --sqthread_poll=1
split polled

# writes NAME PERL: each write of NAME with the stage complete has parts of it that add up, and no
# other write has; PERL tells how many
writes()
{
	json "$1.json" "$sync_perl"'my @slow = grep { $_->{ddir} eq "write" } @{$j->{slowest}};
		my $of = sub { $j->{$_[0]}{$_[1]}{write} // {} };
		my @parts = map { $of->("complete", $_) } qw(worker data journal flush wake);
		my $complete = $of->("stages", "complete");
		my $synced = grep { $_->{complete} && $_->{complete}{worker} } @slow;
		my ($ios, $n) = ($j->{ios}{write}, $complete->{count});
		print "# $n of $ios have complete, $synced with a sync\n";
		$j->{jobs}[0]{syncs}{state} eq "on" && !(grep { $_->{count} != $n } @parts) &&
			sum(map { $_->{sum_ns} } @parts) == $complete->{sum_ns} &&
			!(grep { !$_->{complete} != !$_->{stages}{complete} || $_->{sync} ||
				sum(values %{$_->{complete} // {}}) !=
					($_->{stages}{complete} // 0) } @slow) &&
			!$of->("sync", "wake")->{count} && ('"$2"')'
	ok $? "$1: each split write has the parts of complete" || head -c 2000 "$1.json"
}

# A busy machine misses switches, as its kernel may run no program in some interrupts. In virtual
# time (vm/kernel_sync.t) each write must have its parts.
most='$n && $synced'
job written --direct=1 --sync=sync --tw_kernel_every=1
writes written "$most"
works 'the page has the parts of the mean, or tells that some are unknown' sh -c '
	"$1" report --all written.json | tr -s "\n " " " | grep -q "complete .* = worker .* + data .* + journal .* + flush .* + wake .*: the sync after\|parts of complete are not known" ' - \
	"$tickwise"
job written_deep --direct=1 --sync=sync --iodepth=16 --tw_kernel_every=1
writes written_deep "$most"
job written_jobs --direct=1 --sync=dsync --fallocate=none --rw=write --tw_kernel_every=1
writes written_jobs '$n'
job some_written --direct=1 --sync=sync --tw_kernel_every=4 --number_ios=256
writes some_written '$n > 0 && $j->{kernel_stages}{not_split}{not_chosen}{write} > 0'
# XFS may sync in the call that submits.
job written_buffered --sync=dsync
json written_buffered.json "$sync_perl"'my @parts = map { $j->{sync}{$_}{write} // {} }
		qw(worker data journal flush wake);
	my @with = grep { $_->{sync} } @{$j->{slowest}};
	my $whole = $j->{sync}{not_split}{write};
	print "# $whole whole\n";
	@with + $whole == $j->{ios}{write} && !(grep { ($_->{count} // 0) != @with } @parts) &&
		!(grep { sum(values %{$_->{sync}}) != $_->{stages}{kernel} } @with)'
ok $? 'a buffered write has the parts of kernel'
[ "$(stat -f -c %T "$disk")" != ext2/ext3 ] ||
	works 'on ext4 each' from_json written_buffered.json 'exit $j->{sync}{not_split}{write}'
job written_off --direct=1 --sync=dsync --tw_kernel=off
json written_off.json '!$j->{sync} && !$j->{complete} && !$j->{jobs}[0]{syncs}'
ok $? 'tw_kernel=off: no parts of writes'

# /dev/shm is a tmpfs on all systems that have it.
if [ -w /dev/shm ] && [ "$(stat -f -c %T /dev/shm)" = tmpfs ]; then
	disk_before=$disk
	shm=$(mktemp -d /dev/shm/tw.XXXXXX)
	trap 'rm -rf "$scratch" "$disk_before" "$shm"' EXIT
	disk=$shm
	job memory --fdatasync=1
	disk=$disk_before
	json memory.json '$j->{sync}{not_split}{sync} == $j->{ios}{sync} && !%{$j->{sync}{data}}'
	ok $? 'without a block device a sync has no parts'
else
	skip 'no tmpfs'
fi

job off --fdatasync=1 --tw_kernel=off
json off.json '!$j->{sync} && !$j->{jobs}[0]{syncs}'
ok $? 'tw_kernel=off: no parts'
job whole --fdatasync=1 --tw_stages=0
json whole.json '!$j->{sync} && !$j->{jobs}[0]{syncs}'
ok $? 'tw_stages=0: no parts'
job none --direct=1
json none.json '!$j->{sync} && !$j->{jobs}[0]{syncs}'
ok $? 'a job that does not sync: no parts'
if have_user; then
	user_fio --name=user --filename=user.data --rw=write --bs=4k --size=64k --fdatasync=1 \
		--tw_kernel=auto --tw_report=user.json
	is $? 0 'without privileges: fio succeeds'
	json user/user.json '$j->{jobs}[0]{syncs}{state} eq "off" && $j->{jobs}[0]{syncs}{why} &&
		!$j->{sync}'
	ok $? 'without privileges: the report tells why'
else
	skip "$cannot"
fi

# ---- who was in the commit ------------------------------------------------------------

# appends NAME ARGUMENT...: writes to a new file, and waits for a commit with each fsync. Others
# have time for handles between two of them.
appends()
{
	name=$1
	shift
	"$@" timeout -s KILL $hung_s "$FIO" "$plain_clock" --ioengine=external:"$TICKWISE_SO" --name="$name" \
		--directory="$mounted" --rw=write --bs=4k --size=400k --fallocate=none --fsync=1 \
		--thinktime=10ms --tw_kernel=auto --tw_slowest=10000 \
		--tw_report="$name.json" --output=out 2>err
	is $? 0 "$name: fio succeeds" || cat err
}

# commits NAME PERL WHAT: passes if the syncs of NAME waited, and PERL is true of the counts by
# kind and name
commits()
{
	json "$1.json" 'my (%n, $waits);
		for (grep { $_->{ddir} eq "sync" } @{$j->{slowest}}) {
			my $commit = $_->{commit} or next;
			my $who = $commit->{who};
			$waits++;
			$n{join " ", map { $_ // "" } @$who{qw(kind name id)}}++ if $who;
			!$who || ($commit->{others} && $who->{handles}) or die;
		}
		print "# $waits waits: ", join(", ", map { "$_ $n{$_}" } sort keys %n), "\n";
		my $sum = 0;
		$sum += $_->{ios} for @{$j->{commits} // []};
		my $all = 0;
		$all += $_ for values %n;
		$waits >= 50 && $sum == $all && ('"$2"')'
	ok $? "$1: $3" || head -c 2000 "$1.json"
}

need_journal

appends alone env
commits alone '!%n' 'a job alone names nobody'
json alone.json 'my @bytes = map { $_->{written_bytes} } grep { $_->{ddir} eq "sync" }
		@{$j->{slowest}};
	my ($sum, $page, $more) = (0, 0, 0);
	for (@bytes) { $sum += $_; $page += $_ == 4096; $more += $_ > 4096 }
	!$more && $page * 10 >= 9 * @bytes && $j->{sync}{written_bytes}{sync} == $sum'
ok $? 'a sync writes out the page before it'
works 'the page has these bytes' sh -c '"$1" report alone.json | tr -s "\n " " " |
	grep -q " [34][.0-9]* KiB written a sync"' - "$tickwise"
others env
appends together env
commits together 'keys %n == 1 && $n{"process other '"$other_pid"'"} * 10 > $waits' \
	'the other process is named'
kill "$other_pid"
wait "$other_pid" 2>/dev/null
others setpriv --reuid=65534 --regid=65534 --clear-groups
appends seen env
commits seen '$n{"process other '"$other_pid"'"} * 10 > $waits' 'root sees the name of any process'
appends hidden setpriv --inh-caps=-sys_ptrace --bounding-set=-sys_ptrace
commits hidden 'keys %n == 1 && $n{"hidden  "} * 10 > $waits' \
	"without the right to see it, another user's process is hidden"
kill "$other_pid"
wait "$other_pid" 2>/dev/null
# shellcheck disable=SC2016	# of the other shell
setpriv --euid=65534 --clear-groups sh -p -c 'cd "$1" &&
	until [ -e stop ]; do : >one; mv one two; done' - "$mounted/others" &
other_pid=$!
appends changed setpriv --inh-caps=-sys_ptrace --bounding-set=-sys_ptrace
commits changed 'keys %n == 1 && $n{"hidden  "} * 10 > $waits' \
	'so is one of the same user that has become another'
kill "$other_pid"

# mode NAME FEATURE OPTION PERL WHAT: passes if each sync of a job on such an ext4 has parts, and
# PERL is true of it, with $waits of $syncs that waited for a commit, and $parts that have
# both journal and flush
mode()
{
	umount -l "$mounted"
	if ! mount_journal "$2" "$3"; then
		skip "$5: $(tail -n 1 err)"
		mount_journal
		return
	fi
	appends "$1" env
	split "$1"
	json "$1.json" 'my @syncs = grep { $_->{ddir} eq "sync" } @{$j->{slowest}};
		my $syncs = @syncs;
		my $waits = grep { $_->{commit} } @syncs;
		my $parts = grep { $_->{sync}{journal} && $_->{sync}{flush} } @syncs;
		print "# $waits of $syncs waited for a commit, $parts have journal and flush\n";
		'"$4"
	ok $? "$5"
}
# shellcheck disable=SC2016	# perl's
mode journalled '' data=journal '$waits * 10 >= 9 * $syncs && $parts * 10 >= 9 * $syncs' \
	'data=journal: a sync waits for a commit, which is no data'
# shellcheck disable=SC2016	# perl's
mode fast fast_commit '' '$parts * 2 >= $syncs' \
	'fast_commit: a sync has journal and flush'
works 'the page names the other process' sh -c '"$1" report together.json | tr -s "\n " " " |
	grep -q "that waited for a commit with handles of others: other ($2)"' - \
	"$tickwise" "$(value together.json '$j->{commits}[0]{who}{id}')"
done_testing
