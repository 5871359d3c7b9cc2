#!/bin/sh
# SPDX-License-Identifier: MIT
# Tests: plugin/kernel
#
# Behaviour: with tw_causes=1 each split I/O of a job has what else its device had in flight
# when it got the I/O. A loop device has up to eight writes of another process in flight, and at
# least one, for the whole run, since a cgroup limits the device below. At least 95 of 100
# reads have writes of others, and the slowest ones their bytes. On
# the same device without the process at least 95 of 100 reads are alone, though up to four of
# the job's own are in flight. The times in the device, alone and with others, add up to that
# stage. Without the option nothing of that is there. The process is named, whether its I/O is
# of libaio, io_uring or synchronous, and so is one that discards. A user who may not trace it
# is not told who it is.
#
# Defect: a name that is not that of the process, or that a user may not know; a request that is not counted, or counts though the driver does not have it; own
# requests that count as others'; two ways to count an I/O.
#
# The number of writes is from the kernel: /sys/block/NAME/inflight, before and after the job.
. "$(dirname "$0")/fio_tap.sh"
. "$root/tests/fio/kernel_tap.sh"

need_kernel
find_disk
[ -n "$disk" ] || { skip "direct I/O is not split here:$reasons"; done_testing; }
[ "$(id -u)" = 0 ] || { skip 'not root'; done_testing; }

limit=
writer=
loop=
clean()
{
	[ -z "$limit" ] || echo "$number ${unlimited}" >"$limit/$limits"
	[ -z "$writer" ] || { kill "$writer"; wait "$writer"; } 2>/dev/null
	[ -z "$loop" ] || losetup -d "$loop"
	# The group is empty soon after its process has ended.
	for wait in 0 0.1 0.5 2; do
		[ -n "$limit" ] || break
		sleep $wait
		! rmdir "$limit" 2>/dev/null || break
	done
	limit= writer= loop=
}
trap 'clean; rm -rf "$scratch" "$disk"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

head -c 33554432 /dev/zero >"$disk/image"
sync "$disk/image"
if ! loop=$(losetup -f --show --direct-io=on "$disk/image" 2>why); then
	loop=
	skip "no loop device: $(head -n 1 why)"
	done_testing
fi
name=${loop#/dev/}

# job NAME ARGUMENT...: reads the first half of the device
job()
{
	label=$1
	shift
	run_fio --name="$label" --filename="$loop" --bs=4k --size=16m --io_size=2m \
		--rw=randread --direct=1 --iodepth=4 --tw_kernel=auto --tw_kernel_every=1 \
		--tw_slowest=100000 --tw_report="$label.json" "$@" || sed 's/^/# /' err
}

# others_are FILE PERL DESCRIPTION: passes if the report's numbers add up, and PERL is true of
# the numbers of I/Os by kind, %n, and of all of them, $all
others_are()
{
	from_json "$1" '
		my $of = $j->{kernel_stages}{in_flight_of_others};
		my %n = map { $_ => $of->{$_}{read}{count} // 0 }
			"alone", "reads", "writes", "flushes", "discards", "others";
		my ($all, $sum, $sum_ns) = ($j->{kernel_stages}{split}{read}, 0, 0);
		$sum += $n{$_}, $sum_ns += $of->{$_}{read}{sum_ns} // 0 for keys %n;
		print join ", ", map { "$_ $n{$_}" } sort keys %n;
		print STDERR "$sum of $all, $sum_ns ns, own ", join(" ",
			map { $_->{in_flight_of_others}{own} // "?" } @{$j->{slowest}}), "\n";
		exit !($all > 256 && $sum == $all && $of->{counted} == $all && !$of->{cut} &&
			$sum_ns == List::Util::sum0(map { $_->{stages}{device} }
				grep { $_->{in_flight_of_others} && !exists $_->{stages}{kernel} }
				@{$j->{slowest}}) && ('"$2"'))' >numbers 2>told
	ok $? "$3: $(cat numbers)" || sed 's/^/# /' told
}

job none
json none.json '!$j->{kernel_stages}{in_flight_of_others} && !grep { $_->{in_flight_of_others} } @{$j->{slowest}}'
ok $? 'by default there is none'
job alone --tw_causes=1
others_are alone.json '$n{alone} >= 0.95 * $all &&
	!grep { ($_->{in_flight_of_others}{own} // 0) > 3 } @{$j->{slowest}}' 'reads with nothing else'
json alone.json 'grep { ($_->{in_flight_of_others}{own} // 0) > 0 } @{$j->{slowest}}'
ok $? 'but other reads of the job'
is_valid report alone.json
run report --all alone.json
tr -s ' \n' ' ' <"$out" | grep -q 'time in the device: without I/O of others [0-9]* %'
ok $? 'which the page tells'

# The flushes of its own syncs are not those of the job's ring.
job own --rw=randwrite --fsync=2 --tw_causes=1
if json own.json 'grep { ($_->{who}{id} // 0) == $j->{jobs}[0]{pid} &&
		$_->{device_ns} * 50 > $j->{stages}{device}{write}{sum_ns} } @{$j->{in_flight_of_others}}'; then
	run report --all own.json
	tr -s ' \n' ' ' <"$out" | grep -q 'by name:.* flushes of the job itself [0-9]* %'
	ok $? 'the page tells that its flushes are its own'
else
	skip 'no write was behind a flush of the job'
fi

# ---- next to writes that do not end ----

device=$(stat -c %d "$disk")
number=$((device >> 8 & 0xfff)):$((device & 0xff | device >> 12 & 0xfff00))
# A limit is that of a whole disk.
[ ! -e "/sys/dev/block/$number/partition" ] || number=$(cat "/sys/dev/block/$number/../dev")
for try in "/sys/fs/cgroup/blkio blkio.throttle.write_bps_device 1000000 0" \
		"/sys/fs/cgroup io.max wbps=1000000 wbps=max"; do
	# shellcheck disable=SC2086	# four words
	set -- $try
	mkdir "$1/tickwise.$$" 2>>why || continue
	limit=$1/tickwise.$$
	limits=$2
	unlimited=$4
	[ ! -e "$limit/$limits" ] || ! echo "$number $3" >"$limit/$limits" 2>>why || break
	rmdir "$limit"
	limit=
done
if [ -z "$limit" ]; then
	skip "no cgroup can limit a device here: $(tail -n 1 why)"
	done_testing
fi
# Its writes leave gaps, so that none are merged. None is split: somebody may have set a lower limit.
kb=$(cat "/sys/block/$name/queue/max_sectors_kb")
[ "$kb" -le 512 ] || kb=512
cat >writer.sh <<-END
	echo \$\$ >$limit/cgroup.procs
	exec $FIO --name=writer --filename=$loop --ioengine=libaio --rw=write:${kb}k --bs=${kb}k \
		--direct=1 --iodepth=8 --offset=16m --size=16m --time_based --runtime=1000 \
		--thread --output=/dev/null "\$@"
END
writes()
{
	awk '{ print $2 }' "/sys/block/$name/inflight"
}
# start_writer COUNT ARGUMENT...: starts it, and waits until it has COUNT writes in flight
start_writer()
{
	count=$1
	shift
	sh writer.sh "$@" &
	writer=$!
	for wait in 0.2 0.5 1 2 5 10; do
		[ "$(writes)" -lt "$count" ] || break
		sleep $wait
	done
	sleep 0.5
}
stop_writer()
{
	{ kill "$writer"; wait "$writer"; } 2>/dev/null
	writer=
}
# named FILE: true if at least 95 of 100 I/Os of a report have the name of the writer, and all
# of its requests
named()
{
	json "$1" 'my @io = grep { $_->{in_flight_of_others} } @{$j->{slowest}};
		my @right = grep { my $who = $_->{in_flight_of_others}{who} // {};
			($who->{kind} // "") eq "process" && $who->{id} == '"$writer"' &&
			$who->{name} eq "fio" && $who->{bytes} == $_->{in_flight_of_others}{bytes} &&
			$who->{requests} == $_->{in_flight_of_others}{requests} } @io;
		@io >= 256 && @right >= 0.95 * @io'
}
start_writer 8
before=$(writes)
job others --tw_causes=1
after=$(writes)
if [ "$before" -ge 1 ] && [ "$after" -ge 1 ]; then
	others_are others.json '$n{writes} >= 0.95 * $all' "reads next to $before writes"
	json others.json 'my @io = grep { $_->{in_flight_of_others} } @{$j->{slowest}};
		my @right = grep { ($_->{in_flight_of_others}{kind} // "") eq "writes" &&
			$_->{in_flight_of_others}{own} < 4 && $_->{in_flight_of_others}{requests} <= 8 &&
			$_->{in_flight_of_others}{bytes} == '$((kb * 1024))' * $_->{in_flight_of_others}{requests} } @io;
		@right >= 0.95 * @io'
	ok $? 'each has their bytes, and no more than that process has in flight'
	named others.json
	ok $? 'and its name'
	is_valid report others.json
	run report --all others.json
	tr -s ' \n' ' ' <"$out" >page
	# On a busy machine the tail may wait elsewhere.
	grep -q 'time in the device: .*behind writes of others [0-9]* %' page &&
		grep -q "; by name: writes of fio ($writer) [0-9]* %" page &&
		run report --json others.json &&
		json "$out" '!grep { $_->{stage} eq "device" &&
			$_->{cause} ne "behind writes of fio" }
			@{$j->{analysis}{tail}{read}{causes}}'
	ok $? 'which the page tells'
else
	skip "the number of writes was $before, then $after"
fi

# ---- who may see the name, and of what else than libaio there is one ----

chmod o+r "$loop"
chmod 711 .
mkdir nobodys
chown 65501:65501 nobodys
(cd nobodys && job nobody --tw_causes=1 --io_size=1200k --uid=65501 --gid=65501)
chmod o-r "$loop"
if [ -s nobodys/nobody.json ]; then
	json nobodys/nobody.json 'my @who = map { $_->{in_flight_of_others}{who} // () } @{$j->{slowest}};
		@who >= 256 && !grep { $_->{kind} ne "hidden" || exists $_->{name} ||
			exists $_->{id} || !$_->{requests} } @who'
	ok $? 'another user gets no name'
else
	skip 'fio can not become another user here'
fi
for engine in io_uring psync; do
	stop_writer
	# A loop device may have few tags, for which the job waits.
	start_writer 2 --ioengine=$engine --iodepth=1 --numjobs=2
	job $engine --tw_causes=1 --io_size=1200k
	named $engine.json
	ok $? "writes of $engine are named"
done
clean
done_testing
