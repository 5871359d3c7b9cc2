#!/bin/sh
# SPDX-License-Identifier: MIT
# Tests: plugin/kernel
#
# Behaviour: where the kernel takes the engine's program, direct I/Os are split
# inside the kernel, each by its own stamps: at any depth, with registered files and
# buffers, through worker threads and the polling thread, in batches, of several
# jobs and of several fios on one file. The stages of each I/O add up to its lat.
# Buffered I/Os keep `kernel`, and the report counts why. tw_kernel=off loads
# nothing; require ends a job that can't have the stages; auto goes on and tells
# why. After the job the program is gone. A job has the descriptors that it has with fio's own
# engine.
#
# Defect: I/Os that get stamps of another I/O, job or fio, or none; a job that dies
# for lack of privileges or descriptors; a program that stays in the kernel.
#
# No time is judged.
# shellcheck disable=SC2086	# several options
. "$(dirname "$0")/fio_tap.sh"
. "$root/tests/fio/kernel_tap.sh"

# ---- what root is not needed for ----

reads="--size=64k --rw=read"
if ! have_user; then
	skip "$cannot"
else
	user_fio $reads --name=a --tw_kernel=auto --tw_causes=1 --tw_report=a.json
	is $? 0 'auto as an ordinary user: runs'
	json user/a.json '$j->{ios}{read} == 16 && $j->{stages}{kernel}{read} &&
		$j->{jobs}[0]{kernel}{state} eq "off" &&
		length $j->{jobs}[0]{kernel}{why} &&
		!$j->{kernel_stages}{split}{read}'
	ok $? "and says why: $(from_json user/a.json \
		'print $j->{jobs}[0]{kernel}{why}')"
	is "$(messages)" '' 'in the report alone'
	(unset TICKWISE_KERNEL; user_fio $reads --name=a --tw_report=d.json)
	json user/d.json '$j->{jobs}[0]{kernel}{state} eq "off" &&
		$j->{jobs}[0]{kernel}{why} ne "not asked for"'
	ok $? 'which is what happens by default'

	user_fio $reads --name=r --tw_kernel=require --tw_kernel_every=1 --tw_report=r.json
	is $? 1 'require as an ordinary user: exit code 1'
	is "$(messages | grep -c '^tickwise: r: tw_kernel=require, but')" 1 \
		'with one line'
	is "$(messages | grep -v '^fio: ' | wc -l)" 1 'and no other of ours'
	has err "$(from_json user/a.json 'print $j->{jobs}[0]{kernel}{why}')" \
		'that has the reason'
	[ ! -e user/r.json ]
	ok $? 'and no report of nothing'

	user_fio $reads --name=n --tw_kernel=off --tw_report=n.json --name=r \
		--tw_kernel=require --tw_kernel_every=1 --tw_report=r.json
	is $? 1 'a job that requires it and one that does not: exit code 1'
	# Each of several jobs has its number.
	json user/n.json.1 '$j->{ios}{read} == 16 &&
		$j->{jobs}[0]{kernel}{why} eq "not asked for"'
	ok $? 'the other one has its report'
	[ ! -e user/r.json.2 ]
	ok $? 'and the one that ended has none'
fi

# ---- few descriptors ----

# few HOW NOFILE FILES ENGINE ARGUMENT...: reads that many files under that limit. HOW: as for
# ulimit
few()
{
	how=$1 nofile=$2 files=$3 engine=$4
	shift 4
	rm -f few.json
	(ulimit $how "$nofile" && exec timeout -s KILL $hung_s "$FIO" "$plain_clock" --name=few \
		--ioengine="$engine" --nrfiles="$files" --filesize=4k --rw=read \
		--output=few.out "$@") 2>few.err
}
mkdir few
least=8
until few -n $least 1 io_uring --directory=few || [ $least = 40 ]; do
	least=$((least + 1))
done
most=76
until few -n 80 $most io_uring --directory=few || [ $most = 1 ]; do
	most=$((most - 1))
done
for thread in '' --thread; do
	for limit in "$least 1" "80 $most"; do
		few -n $limit "external:$TICKWISE_SO" --directory=few $thread \
			--tw_kernel=auto --tw_causes=1 --tw_report=few.json
		is "$? $(ls few.json)" '0 few.json' "where fio's engine has the least descriptors \
(limit and files: $limit) $thread, the job runs and has a report" || shows few.err
	done
done

# ---- what the kernel has to allow ----

need_kernel
if [ "$(ulimit -H -n)" != unlimited ] && [ "$(ulimit -H -n)" -lt 512 ]; then
	skip 'the hard limit of descriptors is low'
else
	few -Sn 80 $most "external:$TICKWISE_SO" --directory=few --tw_kernel=auto \
		--tw_causes=1 --tw_report=few.json &&
		json few.json '$j->{jobs}[0]{kernel}{state} eq "on" &&
		$j->{jobs}[0]{causes}{state} eq "on"'
	ok $? 'where only the soft limit is low, it is raised' || shows few.err
fi
find_disk
if [ -z "$disk" ]; then
	skip "direct I/O is not split here:$reasons"
	done_testing
fi
data=$disk/data
head -c 4194304 /dev/zero >"$data"
sync "$data"

# 256 I/Os
common="--filename=$data --bs=4k --size=4m --io_size=1m --rw=randrw --direct=1 --iodepth=32
	--tw_slowest=100000"

# job NAME ARGUMENT...: runs a job; NAME.json is its report
job()
{
	name=$1
	shift
	rm -f "$name".json
	run_fio --name="$name" $common --tw_kernel=auto --tw_kernel_every=1 --tw_report="$name.json" "$@" ||
		sed 's/^/# /' err
}

# splits NAME DESCRIPTION ARGUMENT...: runs a job; passes if its I/Os are split
splits()
{
	splits_name=$1 splits_what=$2
	shift 2
	job "$splits_name" "$@"
	split_is "$splits_name.json" 256 "$joined" "$splits_what"
}

splits depth1 'reads and writes, one at a time' --iodepth=1
splits depth32 '32 at a time'
splits sequential 'one after another, which are merged' --rw=write
# 256 I/Os are one request, if the device takes it; its completion may be missed.
job merged --io_size=2m --rw=write --iodepth=256 --iodepth_batch=256
split_is merged.json 512 'not_split() == not_split("missing_stamp")' \
	'merged into requests of 256'
job large --bs=1m --io_size=16m
split_is large.json 16 "$joined" 'of 1 MB, which are several requests'
splits registered 'registered files, fixed buffers' --registerfiles=1 --fixedbufs=1
splits async 'all through worker threads' --force_async=1
splits some_async 'some through worker threads' --force_async=3
splits polled 'submitted by a thread of the kernel' --sqthread_poll=1
splits batches 'in batches' --iodepth_batch=8 --iodepth_batch_complete_min=8
splits few 'a depth that is no power of two' --iodepth=5
splits event 'tw_event_time=1' --tw_event_time=1

# parts_are NAME CONDITION DESCRIPTION: passes if it is true of $b, the parts of each I/O that
# has the stage blockq, and $q, its blockq
parts_are()
{
	json "$1.json" 'my ($n, $bad);
		for (@{$j->{slowest}}) {
			my ($b, $q) = ($_->{blockq}, $_->{stages}{blockq});
			next if !defined $q;
			$n++;
			$bad++ if !('"$2"');
		}
		!$bad && $n'
	ok $? "$3"
}

exact='keys %$b == 4 + !!$b->{worker_is_bound} && defined $b->{before} &&
	$b->{worker} + $b->{before} + $b->{admission} + $b->{scheduler} == $q'
for name in depth32 large async polled; do
	parts_are $name '!$b || (keys %$b == 1 && $b->{scheduler} <= $q)' \
		"$name: scheduler is a bound, at most blockq"
done
splits exact 'with tw_causes=1' --tw_causes=1
parts_are exact "$exact" 'the parts add up to blockq for each I/O'
json exact.json '!grep {
	my ($d, $q) = ($_, $j->{stages}{blockq}{$_});
	my ($sum, $wrong) = (0, 0);
	for (map { $j->{blockq}{$_}{$d} } qw(worker before admission scheduler)) {
		$sum += $_->{sum_ns};
		$wrong += $_->{count} != $q->{count};
	}
	$wrong || $sum != $q->{sum_ns}
} qw(read write)'
ok $? 'and so do all of them together'
for how in --rw=write --force_async=1 --sqthread_poll=1 --bs=1m; do
	job exact_more --io_size=4m --tw_causes=1 $how
	parts_are exact_more "$exact" "$how: they add up, too"
done

# ---- why workers had I/Os ----

# sent NAME CONDITION DESCRIPTION: passes if it is true of %n, which has the numbers of the
# job's I/Os by reason, and of $all; together they are all
sent()
{
	json "$1.json" "$kernel_perl"'my $k = $j->{kernel_stages};
		my $all = sum($k->{workers});
		my %n = map { ($_ => sum($k->{to_workers}{$_})) } keys %{$k->{to_workers}};
		keys %n == 4 && $n{asked} + $n{block_layer} + $n{file_system} + $n{unknown} == $all &&
			('"$2"')'
	ok $? "$3"
}
sent async '$all == 256 && $n{asked} == 256' 'force_async: a worker was asked for'
sent some_async '$n{asked} >= 85 && $n{asked} <= 86' 'of some: the reason of these'
sent exact '!$n{asked} && !$n{unknown}' 'with tw_causes=1 the reason of the others is known'
# Each new write waits for the file to grow, on most file systems.
rm -f "$disk/new"
job grows --filename="$disk/new" --rw=write --fallocate=none --tw_causes=1
rm -f "$disk/new"
sent grows '$n{file_system} == $all' 'a file that grows: before the block layer'
job waits --force_async=1 --iodepth=128 --tw_causes=1 --io_size=4m
json waits.json '!grep {
	my ($ns, $q) = ($_->{blockq}{worker} // 0, $_->{stages}{blockq} // 0);
	my ($word) = grep { $_->{reason} eq "worker" } @{$_->{causes}{slept} // []};
	$_->{causes}{stage} eq "blockq" && !($ns >= int($q / 20) && $ns ?
		$word && $word->{ns} == $ns : !$word)
} @{$j->{slowest}}'
ok $? 'an I/O that waited for a worker has that word, with the time'

# A buffered write is no request yet, and a read of what was just written causes none.
job buffered --tw_kernel=require --direct=0 --rw=write --io_size=4m
split_is buffered.json 1024 'not_split("no_request") == 1024' \
	'writes to the page cache: not split, no request'
job buffered_read --tw_kernel=require --direct=0 --invalidate=0 --rw=randread
split_is buffered_read.json 256 'not_split("no_request") == 256' \
	'reads from it, too'
job synced --io_size=2m --rw=randwrite --fsync=16 --iodepth=1
split_is synced.json 'sum($j->{ios})' '$j->{ios}{sync} > 20 &&
	$j->{kernel_stages}{not_split}{no_request}{sync} == $j->{ios}{sync} &&
	not_split("no_request") == $j->{ios}{sync} &&
	not_split() == not_split("no_request") + not_split("missing_stamp") &&
	sum($j->{kernel_stages}{split}) > 0' \
	'writes are split, and fsync between them is not'

# The flush of the cache after the data is in `complete` where it is seen; see kernel_sync.t.
for sync in sync dsync; do
	job $sync --rw=randwrite --sync=$sync
	split_is $sync.json 256 'sum($j->{kernel_stages}{split}) > 0 &&
		not_split() == not_split("sync_write") +
			not_split("missing_stamp")' \
		"writes with sync=$sync: device and complete are one where the sync is unknown"
done
splits read_synced 'reads with sync=sync: split' --rw=randread --sync=sync

# 100 a second cost 60 us, of 1 ms that a job that sleeps may spend. It needs a stall of 1.6 s for as
# many I/Os at once as would cost more.
job slow --tw_kernel_every=auto --iodepth=1 --rw=randread --rate_iops=100 --io_size=600k
is "$(value slow.json '$j->{kernel_stages}{every}')" 1 'of a job that mostly sleeps each I/O is split'
job off --tw_kernel=off
json off.json '$j->{jobs}[0]{kernel}{state} eq "off" && $j->{ios}{read} &&
	$j->{stages}{kernel}{read} && !$j->{stages}{device}{read} &&
	$j->{jobs}[0]{kernel}{why} eq "not asked for"'
ok $? 'tw_kernel=off: nothing is split'
job bare --tw_stages=0
json bare.json '$j->{jobs}[0]{kernel}{state} eq "off" &&
	join(" ", grep { %{$j->{stages}{$_}} } keys %{$j->{stages}}) eq "lat"'
ok $? 'tw_stages=0: nothing is split'
(unset TICKWISE_KERNEL
	run_fio --name=default $common --tw_report=default.json)
split_is default.json 256 "$joined" 'it is done by default'
splits require 'tw_kernel=require' --tw_kernel=require --tw_kernel_every=1
json require.json '($j->{kernel_stages}{missed_runs} // "none") =~ /^[0-9]+$/'
ok $? 'which tells how many runs the kernel skipped'

# In a container a thread has another number than for the kernel.
if unshare --pid --fork --mount-proc true 2>why; then
	unshare --pid --fork --mount-proc timeout -s KILL $hung_s "$FIO" \
		--ioengine="external:$TICKWISE_SO" --name=contained $common \
		--tw_kernel=auto --tw_kernel_every=1 --tw_report=contained.json --output=contained.out 2>err ||
		sed 's/^/# /' err
	split_is contained.json 256 "$joined" 'in a namespace of processes of its own'
else
	skip "no namespace of processes: $(cat why)"
fi

# CLOCK_MONOTONIC is not that of the stamps there.
if unshare --time --monotonic=1000 --fork true 2>why; then
	unshare --time --monotonic=1000 --fork timeout -s KILL $hung_s "$FIO" \
		--ioengine="external:$TICKWISE_SO" --name=shifted $common \
		--tw_kernel=auto --tw_kernel_every=1 --tw_report=shifted.json --output=shifted.out 2>err ||
		sed 's/^/# /' err
	json shifted.json "$kernel_perl"'!$j->{stages}{device}{read} &&
		$j->{jobs}[0]{kernel}{why} =~ /time namespace/ &&
		sum($j->{ios}) == 256'
	ok $? 'in a time namespace nothing is split'
else
	skip "no time namespace: $(cat why)"
fi

tells_refusal 'tw_stages tw_sync_stages' \
	"$FIO" "$plain_clock" --ioengine="external:$TICKWISE_SO" --name=refused --filename=refused.data \
	--size=64k --rw=write --fsync=4 --tw_kernel=auto --tw_causes=1 \
	--tw_report=refused.json --output=refused.fio

# ---- several at a time ----

for kind in --thread=0 --thread=1; do
	rm -f two_*
	run_fio $common --tw_kernel=auto --tw_kernel_every=1 $kind --name=two_a --tw_report=two_a.json \
		--name=two_b --bs=16k --io_size=4m --iodepth=3 --tw_report=two_b.json \
		--name=two_c --tw_kernel=off --tw_report=two_c.json || sed 's/^/# /' err
	split_is two_a.json.1 256 "$joined" "jobs of one fio, $kind: the first"
	split_is two_b.json.2 256 "$joined" 'the second'
	json two_c.json.3 '$j->{jobs}[0]{kernel}{state} eq "off" &&
		$j->{stages}{kernel} && !$j->{stages}{device}{read}'
	ok $? 'and one that does not want it'
done

# With create_serialize=0 fio starts the jobs before it calls the engine: threads
# share a program, and processes have none.
late()
{
	rm -f late.json*
	run_fio --name=late $common --iodepth=8 --create_serialize=0 \
		--tw_report=late.json "$@"
}
late --numjobs=4 --thread --tw_kernel=require --tw_kernel_every=1
is $? 0 'four threads that set up their files themselves'
for of in 1 2 3 4; do
	split_is late.json.$of 256 "$joined" "thread $of"
done
late --thread --tw_kernel=require --tw_kernel_every=1 --stonewall --name=later $common --iodepth=16 --thread \
	--create_serialize=0 --tw_kernel=require --tw_kernel_every=1 --tw_report=later.json --stonewall
is $? 0 'a thread after another one'
split_is later.json.2 256 "$joined" 'has its place, too'
# Neither is over when the other one begins, as that one would then have its own program.
late --numjobs=2 --tw_kernel=auto --tw_kernel_every=1 --thinktime=20ms
is $? 0 'two processes'
for of in 1 2; do
	json late.json.$of '$j->{jobs}[0]{kernel}{why} =~ /create_serialize=0/ &&
		$j->{ios}{read} && !$j->{stages}{device}{read}'
	ok $? "process $of says why it has no stages"
done
late --numjobs=2 --tw_kernel=require --tw_kernel_every=1
# This counts those that fio did not have to end itself.
[ $? != 0 ]
ok $? 'and if they require them, fio ends'
messages | grep -q 'tw_kernel=require, but .*create_serialize=0'
ok $? 'with that reason'

# Run two of ours and two of fio's own engines at the same time, on one file. A kiocb of
# libaio is followed by other things than that of io_uring.
"$FIO" "$plain_clock" --name=other --ioengine=io_uring ${common%--tw_slowest*} --io_size=8m \
	--output=other.out &
other=$!
"$FIO" "$plain_clock" --name=aio --ioengine=libaio ${common%--tw_slowest*} --io_size=8m \
	--output=aio.out &
aio=$!
(run_fio --name=second $common --io_size=8m --tw_kernel=auto --tw_kernel_every=1 --tw_report=second.json \
	--output=second.out) 2>&1 &
second=$!
job first --io_size=8m
wait "$other"
is $? 0 "fio's own engine on the same file"
wait "$aio"
is $? 0 'and libaio'
wait "$second"
split_is first.json 2048 "$joined" 'four fios on one file: the first'
split_is second.json 2048 "$joined" 'the second'

most_are_split

# Make rings that the program must not take for the job's.
if "$TW_BUILD/tests/fio/kernel_rings" "$data" >rings 2>why; then
	while read -r line; do
		tap_count=$((tap_count + 1))
		case $line in
		not*) echo "not ok $tap_count - ${line#not ok }" ;;
		*) echo "ok $tap_count - ${line#ok }" ;;
		esac
	done <rings
	is "$(wc -l <rings)" 15 'all rings were tried'
else
	false
	ok $? "rings that are not the job's: $(cat why)"
fi

# ---- what remains of it ----

# List the programs that the job's process has links to. The shell that fio starts
# may be between the job and the script.
cat >programs.sh <<'END'
above=$(sed -n 's/^PPid:[^0-9]*//p' /proc/$PPID/status)
sed -n 's/^prog_id:[^0-9]*//p' "/proc/$PPID/fdinfo/"* "/proc/$above/fdinfo/"* \
	2>/dev/null | sort -un >programs
PATH=$PATH:/usr/sbin:/sbin
while read -r id; do bpftool -j prog show id "$id"; done <programs >named
END
job counted --exec_prerun='sh programs.sh'
works "programs while it runs: $(tr '\n' ' ' <programs)" test "$(wc -l <programs)" -ge 6
if [ -s named ]; then
	! grep -E '"name":"(queued|got|requeue|worker_leaves)"' named
	ok $? 'without tw_causes, none of those that each bio of the machine pays for'
else
	skip 'no bpftool to read their names with'
fi
programs_are_gone 'and none after it'

# To compare the smaller reports with the schema is enough.
# shellcheck disable=SC2012	# plain names
ls -S ./*.json | head -n 16 | xargs rm -f
done_testing
