#!/bin/sh
# SPDX-License-Identifier: MIT
# Tests: plugin/kernel
#
# Behaviour: with tw_causes=1, where the kernel takes the program, each of the
# slowest I/Os has its longest stage and what happened there. The pieces add up to
# the stage, and the time of processes that had the CPU is no longer than it. Each
# of several jobs has its own causes. A job whose CPU another process takes names
# that process; as another user, who may not see it, the job does not. Writes to a file
# system that was frozen have that as the reason, and no report has an address. No job names a
# task of a CPU that it can't run on, and no record is kept there. Without the
# option, the privileges or the stages the report tells why there are no causes, and
# the job runs.
#
# Defect: pieces that are more than the stage, causes of another job, a name that
# its user may not see, a record of a task that nobody waits for, a job that ends for lack
# of privileges.
#
# No time is judged.
. "$(dirname "$0")/fio_tap.sh"
. "$root/tests/fio/kernel_tap.sh"

causes_perl='
	use List::Util ();
	our @pieces = ("ran_ns", "waited_ns", "interrupts_ns", "woken_late_ns",
		"asleep_ns", "unexplained_ns");
	sub wrong {
		my ($io, @wrong) = @_;
		my ($c, $s) = ($io->{causes}, $io->{stages});
		my %stage = %$s;
		delete $stage{lat};
		my ($most) = sort { $b <=> $a } values %stage;
		$stage{$c->{stage}} == $most or push @wrong, "not the longest";
		if (exists $c->{unexplained_ns}) {
			List::Util::sum(map { $c->{$_} } @pieces) == $most or
				push @wrong, "pieces";
			my $had = List::Util::sum0(map { $_->{ns} }
				@{$c->{had_cpu}});
			$had <= $c->{waited_ns} + $c->{interrupts_ns} or
				push @wrong, "who had the CPU";
			$c->{stolen_at_most_ns} <= $most or push @wrong, "stolen";
			$c->{since_interrupt_ns} <= $c->{woken_late_ns} or
				push @wrong, "since the interrupt";
		}
		$c->{stage} ne "device" || !exists $c->{unexplained_ns} or
			push @wrong, "the device";
		map { "$io->{offset}: $_\n" } @wrong;
	}
'

# causes_are FILE DESCRIPTION: checks the causes of a report
causes_are()
{
	from_json "$1" "$causes_perl"'
		my $state = $j->{jobs}[0]{causes}{state};
		print "state $state\n" if $state ne "on";
		print "no I/O\n" if !@{$j->{slowest}};
		print map { wrong($_) } @{$j->{slowest}}' >wrong 2>&1
	[ ! -s wrong ]
	ok $? "$2"
	head -n 5 wrong | sed 's/^/# /'
}

run_fio --name=none --size=64k --rw=read --tw_report=none.json
json none.json '!$j->{jobs}[0]{causes} && @{$j->{slowest}} &&
	!grep { $_->{causes} } @{$j->{slowest}}'
ok $? 'by default there are none'
run_fio --name=unsplit --size=64k --rw=read --tw_kernel=off --tw_causes=1 \
	--tw_report=unsplit.json
is $? 0 'without stages inside the kernel: the job runs'
json unsplit.json '$j->{jobs}[0]{causes}{state} eq "off" && length $j->{jobs}[0]{causes}{why} &&
	!grep { $_->{causes} } @{$j->{slowest}}'
ok $? "and says why: $(from_json unsplit.json 'print $j->{jobs}[0]{causes}{why}')"

need_kernel
find_disk
if [ -z "$disk" ]; then
	skip "direct I/O is not split here:$reasons"
	done_testing
fi
head -c 4194304 /dev/zero >"$disk/data"
sync "$disk/data"

# job NAME ARGUMENT...: runs a job; NAME.json is its report
job()
{
	name=$1
	shift
	rm -f "$name".json
	run_fio --name="$name" --filename="$disk/data" --bs=4k --size=4m \
		--io_size=512k --rw=randrw --direct=1 --iodepth=8 \
		--tw_kernel=auto --tw_kernel_every=1 --tw_causes=1 --tw_slowest=100000 \
		--tw_report="$name.json" "$@" || sed 's/^/# /' err
}

job plain
if json plain.json '$j->{jobs}[0]{causes}{state} eq "off"'; then
	skip "no causes here: $(from_json plain.json 'print $j->{jobs}[0]{causes}{why}')"
	done_testing
fi
causes_are plain.json 'reads and writes, eight at a time'
is "$(from_json plain.json 'print scalar @{$j->{slowest}}')" 128 'all of them'
is_valid report plain.json
run report --all plain.json
is "$status" 0 'and tickwise report reads them'
grep -qE '^          [0-9]+ % in [a-z+]+( \([a-z]+\)|, )' "$out"
ok $? 'with the causes'
job depth1 --iodepth=1 --rw=randread
causes_are depth1.json 'one at a time'
job buffered --direct=0 --rw=write
causes_are buffered.json 'buffered: stages that are not split'
# With direct I/O on a slow disk the longest stage is the device each time.
json buffered.json 'grep { exists $_->{causes}{ran_ns} } @{$j->{slowest}}'
ok $? 'some of them in a stage of the thread'
job polled --sqthread_poll=1
causes_are polled.json 'submitted by a thread of the kernel'
json polled.json '!grep { exists $_->{causes}{ran_ns} &&
	$_->{causes}{stage} =~ /^(submit|blockq|complete|kernel)$/ }
	@{$j->{slowest}}'
ok $? 'whose stages are not explained by the job'"'"'s thread'
job async --force_async=1
causes_are async.json 'through worker threads'
json async.json '!grep { exists $_->{causes}{ran_ns} &&
	$_->{causes}{stage} eq "blockq" } @{$j->{slowest}}'
ok $? 'whose queues are not either'
for kind in --thread=0 --thread=1 '--thread=1 --create_serialize=0'; do
	# shellcheck disable=SC2086	# several options
	job two --numjobs=2 $kind
	causes_are two.json.1 "two jobs, $kind: the first"
	causes_are two.json.2 'the second'
done

# ---- who had the CPU ----

# shellcheck disable=SC2086	# several options
next_to_loop job direct $shares --rw=randread --time_based --runtime=1 --tw_slowest=50
causes_are direct.json 'a job whose CPU another process takes'
# Reads come from the page cache, which the direct writes above emptied, so that no disk
# takes longer than a turn of the loop. They come one at a time, so that each of the slowest has a wait of its own.
# In some of them the loop is one of the four that had the CPU for the longest time,
# whatever other processes run.
cached="$shares --direct=0 --invalidate=0 --iodepth=1 --rw=randread --time_based
	--runtime=1 --tw_slowest=100"
cat "$disk/data" >/dev/null
# shellcheck disable=SC2086	# several options
next_to_loop job busy $cached
causes_are busy.json 'and one that no disk holds up'
json busy.json 'grep { $_->{kind} eq "process" && $_->{id} == '"$loop_pid"' }
	map { @{$_->{causes}{had_cpu} // []} } @{$j->{slowest}}'
ok $? 'names it' ||
	from_json busy.json 'print "# ", JSON::PP->new->canonical->encode($_->{causes}), "\n"
		for @{$j->{slowest}}[0 .. 4]'
# The job and the loop have this CPU. While nobody waits for another CPU, that one keeps no
# record of its tasks, and a task that is bound to it is never named.
elsewhere=$(taskset -cp $$ | sed 's/.*: *//; s/[-,].*//')
if [ "$elsewhere" = "$loop_cpu" ]; then
	skip 'only one CPU'
else
	taskset -c "$elsewhere" sh -c 'while :; do sleep 0.001; done' &
	sleeper_pid=$!
	# Dump the map of the CPUs, which fio's processes have.
	cat >"$scratch/dump" <<-END
		PATH=\$PATH:/usr/sbin:/sbin
		above=\$(sed -n 's/^PPid:[^0-9]*//p' /proc/\$PPID/status)
		sed -n 's/^map_id:[^0-9]*//p' /proc/\$PPID/fdinfo/* /proc/\$above/fdinfo/* |
			sort -un | while read -r id; do
				bpftool -j map dump id "\$id"
			done | grep '"waiting"' >$scratch/cpus
		: >$scratch/turns/over
	END
	# shellcheck disable=SC2086
	next_to_loop job here $cached --exec_postrun="sh $scratch/dump"
	kill "$sleeper_pid"
	causes_are here.json 'next to a task on another CPU'
	json here.json '!grep { $_->{kind} eq "process" && $_->{id} == '"$sleeper_pid"' }
		map { @{$_->{causes}{had_cpu} // []} } @{$j->{slowest}}'
	ok $? 'which it does not name'
	json here.json 'my $cost = $j->{jobs}[0]{causes}{cost};
		@{$cost->{cpus}} && !grep { !$_->{runs} || $_->{ns} >= $cost->{over_ns} }
			@{$cost->{cpus}}'
	ok $? 'what it costs by CPU'
	if [ ! -s cpus ]; then
		skip 'no bpftool to read the records with'
	else
		json cpus 'my %records = map { $_->{cpu} => $_->{value}{count} }
				@{$j->[0]{formatted}{values}};
			$records{'"$loop_cpu"'} > 0 && $records{'"$elsewhere"'} == 0'
		ok $? 'and of which there is no record'
	fi
fi
# A user who has no other process can't see one of root's.
unnamed=nobodys/report.json
if [ "$(id -u)" = 0 ]; then
	chmod 711 . "$disk"
	chmod 666 "$disk/data"
	mkdir nobodys
	chown 65501:65501 nobodys
	as_nobody()
	{
		(cd nobodys && job nobody --uid=65501 --gid=65501 --tw_report=report.json "$@")
	}
	# shellcheck disable=SC2086
	next_to_loop as_nobody $cached
fi
if [ ! -s "$unnamed" ]; then
	skip 'fio can not become another user here'
else
	causes_are "$unnamed" 'as another user'
	# Other processes of that user may have run in the meantime.
	json "$unnamed" 'my @had = map { @{$_->{causes}{had_cpu} // []} }
			@{$j->{slowest}};
		(grep { $_->{kind} eq "hidden" } @had) &&
		!grep { ($_->{id} // 0) == '"$loop_pid"' &&
				$_->{kind} eq "process" ||
			$_->{kind} eq "hidden" &&
				(exists $_->{name} || exists $_->{id}) } @had'
	ok $? 'the job does not name it'
fi

# ---- what it waited for ----

# mount_loop: mounts a new file system on a loop device, at `mounted`
mount_loop()
{
	[ "$(id -u)" = 0 ] && command -v fsfreeze >/dev/null || return
	truncate -s 64M "$disk/image" && mkfs.ext4 -qF "$disk/image" && mkdir mounted &&
		image_device=$(losetup -f --show --direct-io=on "$disk/image") || return
	trap 'fsfreeze -u "$scratch/mounted"; umount "$scratch/mounted"; losetup -d "$image_device"
		rm -rf "$scratch" "$disk"' EXIT
	mount "$image_device" mounted && head -c 4194304 /dev/zero >mounted/data && sync -f mounted/data
}

# now: prints CLOCK_MONOTONIC in ns
now()
{
	perl -MTime::HiRes=clock_gettime,CLOCK_MONOTONIC -e \
		'printf "%.0f\n", 1e9 * clock_gettime(CLOCK_MONOTONIC)'
}

if ! mount_loop >why 2>&1; then
	skip "no file system to freeze: $(head -n 1 why)"
else
	# Freeze it when the job is about to begin, and note from when until when it was frozen.
	(
		until [ -e begun ]; do sleep 0.1; done
		for _ in 1 2 3 4 5 6 7 8; do
			fsfreeze -f mounted && now && sleep 0.3
			now
			fsfreeze -u mounted
			sleep 0.2
		done
	) >windows &
	freezer_pid=$!
	job frozen --filename=mounted/data --rw=randwrite --iodepth=1 --io_size=64g \
		--time_based --runtime=5 --tw_slowest=100 --exec_prerun="touch $scratch/begun"
	: >begun
	wait "$freezer_pid"
	causes_are frozen.json 'writes to a file system that is frozen'
	# All writes before were over when it was frozen. So a write that began at that time or
	# soon after, and was not over until the end, waited for the end. Others may have waited
	# for the disk.
	from_json frozen.json '
		my (@held, @words);
		my %until = split " ", `cat windows`;
		for my $from (keys %until) {
			push @held, grep { $_->{causes}{stage} eq "blockq" &&
				$_->{monotonic_ns} <= $from + 50e6 &&
				$_->{monotonic_ns} + $_->{stages}{lat} >= $until{$from}
				} @{$j->{slowest}} if $until{$from} - $from >= 250e6;
		}
		@words = map { $_->{causes}{slept}[0]{reason} // "none" } @held;
		print scalar @held, " ", scalar(grep { $_ eq "freeze" } @words), " @words\n"' >held
	read -r held right words <held
	works "$right of $held that waited for the end of a freeze have the reason ($words)" \
		test "$right" -gt 0 -a "$right" -ge $((held - 1))
	# The job has one I/O at a time, so nothing sleeps for two of them.
	json frozen.json '
		require List::Util;
		my $slept = List::Util::sum0(map { $_->{ns} } grep { $_->{reason} eq "freeze" }
			map { @{$_->{causes}{slept} // []} } @{$j->{slowest}});
		my ($row) = grep { $_->{reason} eq "freeze" } @{$j->{waits}{rows}};
		$row && $row->{call} eq "io_uring worker" && $row->{file} eq "mounted/data" &&
			!$j->{waits}{lost_waits} && $row->{time}{sum_ns} >= 0.999 * $slept &&
			$row->{time}{count} >= '"$right"
	ok $? 'the wait table has all of them, by file'
	run report --all frozen.json
	grep -q 'waiting for a frozen' "$out"
	ok $? 'which the page has'
	! grep -qi 'ffffffff[0-9a-f]\{8\}\|184467440[0-9]\{11\}' frozen.json
	ok $? 'no address of the kernel is in the report'
	umount mounted
	losetup -d "$image_device"
	trap 'rm -rf "$scratch" "$disk"' EXIT
fi

# In a container a process has another number than for the kernel.
if unshare --pid --fork --mount-proc true 2>why; then
	# shellcheck disable=SC2086
	contained "$FIO" "$plain_clock" --ioengine="external:$TICKWISE_SO" --name=contained \
		--filename="$disk/data" --bs=4k --size=4m $cached --tw_kernel=auto --tw_kernel_every=1 \
		--tw_causes=1 --tw_report=contained.json --output=out.json
	causes_are contained.json 'in a namespace of processes of its own'
	json contained.json 'grep { $_->{kind} eq "process" &&
			($_->{id} // 0) == '"$loop_pid"' }
		map { @{$_->{causes}{had_cpu} // []} } @{$j->{slowest}}'
	ok $? 'a process in it is named by its number there'
else
	skip "no namespace of processes: $(cat why)"
fi

# To compare the smaller reports with the schema is enough.
# shellcheck disable=SC2012	# plain names
ls -S ./*.json | head -n 8 | xargs rm -f
done_testing
