# SPDX-License-Identifier: MIT
#
# For the tests of the stages inside the kernel, to be sourced after fio_tap.sh: a
# folder whose files have block requests of their own, and checks of each report.
# tests/vm has such a folder of its own, and uses split_is alone.

# has_requests FOLDER: true if direct I/O on its files leads to requests that can be
# matched to it (tickwise-kernel(7), What is not split). Else $why_not tells the reason.
has_requests()
{
	type=$(stat -f -c %T "$1")
	case $type in
	ext2/ext3 | xfs) ;;
	*)
		why_not="a $type file system"
		return 1
		;;
	esac
	device=$(stat -c %d "$1")
	# Combine the two numbers as the kernel does.
	device=$((device >> 8 & 0xfff)):$((device & 0xff | device >> 12 & 0xfff00))
	block=/sys/dev/block/$device
	if [ -d "$block/dm" ] || [ -d "$block/md" ] ||
	   ! { [ -d "$block/mq" ] || [ -d "$block/../mq" ]; }; then
		why_not="block device $device, which has no requests of its own"
		return 1
	fi
}

# find_disk: sets $disk to a new folder on such a file system, or to nothing if
# there is none
find_disk()
{
	disk=
	reasons=
	for place in "$scratch" "$TW_BUILD" /var/tmp; do
		if [ -w "$place" ] && has_requests "$place"; then
			disk=$(mktemp -d "$place/tw.XXXXXX") || continue
			trap 'rm -rf "$scratch" "$disk"' EXIT
			return
		fi
		reasons="$reasons $place: ${why_not-not writable};"
	done
}

# kernel_is_on: true if a job's stages can be split here; else $off_why has the
# report's reason
kernel_is_on()
{
	run_fio --name=try --filename=try.data --size=64k --rw=read \
		--tw_kernel=auto --tw_causes=1 --tw_report=try.json || return 1
	off_why=$(from_json try.json 'print $j->{jobs}[0]{kernel}{why} // ""')
	json try.json '$j->{jobs}[0]{kernel}{state} eq "on"'
}

# may_refuse: true if the kernel may refuse the engine's program here, for the
# reason in $may_why. Otherwise a refusal is a defect of the program, or of the
# kernel's check of it. In doubt it is true.
may_refuse()
{
	may_why=$off_why
	case $off_why in
	*'built without'* | *'time namespace'*) return 0 ;;
	esac
	# The kernel is between the oldest and the newest that took the program.
	may_why="Linux $(uname -r) on $(uname -m) was not tried"
	[ "$(uname -m)" = x86_64 ] || return 0
	uname -r | awk -F '[.-]' '{ exit !($1 == 6 && $2 >= 1 && $2 <= 18) }' ||
		return 0
	may_why="no types in /sys/kernel/btf/vmlinux"
	[ -r /sys/kernel/btf/vmlinux ] || return 0
	may_why="/proc/kallsyms has no addresses for this user"
	awk '$1 !~ /^0*$/ { some = 1; exit } END { exit some }' \
		/proc/kallsyms 2>/dev/null && return 0
	if ! "$TW_BUILD/tests/fio/have_bpf" 2>have_bpf.why; then
		may_why=$(cat have_bpf.why)
		return 0
	fi
	false
}

# have_user: true if a user without privileges can run the engine here, in the new
# folder `user`; else $cannot tells why not
have_user()
{
	cannot=
	mkdir user
	cp "$TICKWISE_SO" user/tickwise.so
	cp "$TW_BUILD/tests/fio/have_io_uring" user/
	if [ "$(id -u)" = 0 ]; then
		chmod 711 .
		chown 65534:65534 user
		command -v setpriv >/dev/null || cannot='no setpriv'
	else
		# A user other than root can't drop capabilities, so there must be none.
		grep -q '^CapEff:	0*$' /proc/self/status ||
			cannot='this user has capabilities'
	fi
	if [ -z "$cannot" ] && ! as_user ./have_io_uring >why 2>&1; then
		cannot="no io_uring for an ordinary user: $(cat why)"
	fi
	[ -z "$cannot" ]
}

# as_user COMMAND...: runs it as that user, in that folder
as_user()
{
	(cd user && if [ "$(id -u)" = 0 ]; then
		setpriv --reuid=65534 --regid=65534 --clear-groups \
			--bounding-set=-all "$@"
	else
		"$@"
	fi)
}

# user_fio ARGUMENT...: runs fio with our engine as that user
user_fio()
{
	as_user timeout -s KILL $hung_s "$FIO" "$plain_clock" --ioengine=external:./tickwise.so \
		--output-format=json --output=out.json "$@" 2>err
}

# tells_refusal OBJECTS COMMAND...: passes if stderr tells which of the command's objects the
# kernel refuses, and its verifier's log of each, if TICKWISE_DEBUG is 1, and only
# then
tells_refusal()
{
	refused=$1
	shift
	for debug in 0 1; do
		TICKWISE_DEBUG=$debug LD_PRELOAD=$TW_BUILD/tests/fio/preload/bad_program.so \
			timeout -s KILL $hung_s "$@" >refused.out 2>refused.$debug
	done
	is "$(sed -n "s/^libbpf: failed to load object '\(.*\)'/\1/p" refused.1 | xargs)" "$refused" \
		'TICKWISE_DEBUG=1 tells which program the kernel refuses' || shows refused.1
	is "$(awk -v objects="$refused" 'BEGIN { n = split(objects, each, " ") }
		/^libbpf: prog .*BEGIN PROG LOAD LOG/ { begins++ }
		/^processed [0-9]+ insns/ { reason += before ~ /read from stack/ }
		{ before = $0 }
		END { print begins - n, reason - n }' refused.1)" '0 0' \
		'and the reason in its log' || shows refused.1
	is "$(grep -c -e '^libbpf: ' -e '^processed ' refused.0)" 0 'TICKWISE_DEBUG=0: not'
}

# programs_are_gone DESCRIPTION: passes if those whose numbers are in the file
# `programs` are gone. The kernel frees them a little later, on a busy machine a
# minute.
programs_are_gone()
{
	bpftool=$(PATH=$PATH:/usr/sbin:/sbin command -v bpftool)
	if [ -z "$bpftool" ] || ! "$bpftool" prog list >/dev/null 2>&1; then
		skip 'no bpftool to look for programs with'
		return
	fi
	for wait in 0 1 1 1 1 1 5 10 20 40 80 160; do
		sleep $wait
		left=
		while read -r id; do
			! "$bpftool" prog show id "$id" >/dev/null 2>&1 ||
				left="$left $id"
		done <programs
		[ -n "$left" ] || break
	done
	is "$left" '' "$1"
}

# next_to_loop COMMAND...: runs a job with the options $shares next to a loop, the process
# $loop_pid, which takes most of the CPU from it, whatever other processes run: its weight
# is nine of theirs. What comes before and after the job is not slowed.
loop_cpu=$(taskset -cp $$ | sed 's/.*[ ,-]//')
loop=$scratch/loop
shares="--cpus_allowed=$loop_cpu --exec_prerun=$scratch/before --exec_postrun=$scratch/after"
make_loop()
{
	rm -rf turns
	mkdir turns
	# The job may be another user's.
	chmod 777 turns
	printf '#!/bin/sh\ncd %s/turns && %s\n' "$scratch" \
		': >begun; until [ -e runs ]; do sleep 0.05; done' >before
	printf '#!/bin/sh\n: >%s/turns/over\n' "$scratch" >after
	cat >loop <<-END
		#!/bin/sh
		cd $scratch/turns
		until [ -e begun ]; do sleep 0.05; done
		exec nice -n -10 taskset -c $loop_cpu \
			sh -c ': >runs; until [ -e over ]; do :; done' 2>/dev/null
	END
	chmod 755 before after loop
}
next_to_loop()
{
	make_loop
	"$loop" &
	loop_pid=$!
	"$@"
	kill "$loop_pid" 2>/dev/null
}
# contained COMMAND...: the same in a namespace of processes, where the loop has the number
# $loop_pid; out and err have the command's output
contained()
{
	make_loop
	# shellcheck disable=SC2016	# the inner shell's
	unshare --pid --fork --mount-proc sh -c '"$0" & echo $! >loop_pid
		"$@"; kill "$(cat loop_pid)" 2>/dev/null' \
		"$loop" timeout -s KILL $hung_s "$@" >out 2>err
	loop_pid=$(cat loop_pid)
}

# need_attach: ends the test unless tickwise-attach is built
need_attach()
{
	[ -x "$(dirname "$tickwise")/tickwise-attach" ] && return
	skip 'tickwise-attach is not built: clang, bpftool and libbpf-dev'
	done_testing
}

# need_kernel: ends the test unless kernel_is_on
need_kernel()
{
	kernel_is_on && return
	if may_refuse; then
		skip "no program in the kernel here: $off_why ($may_why)"
	else
		false
		ok $? "the kernel takes small programs, but not this one: $off_why"
	fi
	done_testing
}

# What json() and from_json() can ask of $j, a report that has all of its I/Os in
# the list of the slowest:
#
#	sum(OBJECT)		of all directions
#	not_split([REASON])
#	of(STAGE, DIRECTION)	its I/Os
#	trusted()		no counter that is off makes stages negative
#	broken()		a line for each thing that must never be
kernel_perl='
	use List::Util ();
	our @inside = ("submit", "blockq", "device", "complete", "reap");
	sub sum { List::Util::sum0(values %{$_[0] // {}}) }
	sub not_split {
		my $not = $j->{kernel_stages}{not_split};
		List::Util::sum0(map { sum($_) } @_ ? $not->{$_[0]} : values %$not);
	}
	sub of { my ($stage, $d) = @_; $j->{stages}{$stage}{$d}{count} // 0 }
	sub trusted {
		$j->{jobs}[0]{fallback} || $j->{counter}{verdict} eq "reliable";
	}
	sub broken {
		my ($k, $is) = ($j->{kernel_stages}, $j->{jobs}[0]{kernel});
		my ($split, $joined, @broken) = (0, 0);
		$is->{state} eq "on" or return "state is $is->{state}: $is->{why}\n";
		for my $d ("read", "write", "trim", "sync") {
			my $whole = List::Util::sum0(map { $_->{$d} }
				values %{$k->{not_split}});
			$k->{split}{$d} + $whole == $j->{ios}{$d} or
				push @broken, "$d: split $k->{split}{$d}, not " .
				"$whole, I/Os $j->{ios}{$d}";
			my $missing = $k->{not_split}{missing_stamp}{$d} +
				$k->{not_split}{sync_write}{$d};
			of($_, $d) >= $k->{split}{$d} &&
				of($_, $d) <= $k->{split}{$d} + $missing or
				push @broken, "$d: $_ of " . of($_, $d)
				for @inside;
			of("kernel", $d) == $whole or push @broken,
				"$d: kernel of " . of("kernel", $d);
		}
		@{$j->{slowest}} == sum($j->{ios}) or
			push @broken, "the list is not of all";
		for my $io (@{$j->{slowest}}) {
			my %stage = %{$io->{stages}};
			my $lat = delete $stage{lat};
			my @has = grep { exists $stage{$_} } @inside;
			my @rest = grep { exists $stage{$_} } "queue", "deliver";
			$split += !exists $stage{kernel};
			$joined += exists $stage{kernel} && @has > 0;
			(exists $stage{kernel} ? @has <= 3 : @has == 5) &&
				@rest == 2 &&
				List::Util::sum0(values %stage) == $lat &&
				!grep { $_ < 0 } values %stage or
				push @broken, "stages of one I/O: " . join ", ",
					map { "$_ $stage{$_}" } sort keys %stage;
		}
		$split == sum($k->{split}) or
			push @broken, "in the list $split are split";
		$joined == not_split("missing_stamp") +
				not_split("sync_write") or
			push @broken, "in the list $joined are split in part";
		$k->{requests} >= $split or
			push @broken, "$k->{requests} requests of $split I/Os";
		$k->{negative_beyond} && trusted() and push @broken,
			"$k->{negative_beyond} beyond $k->{clock_error_ns} ns";
		map { "$_\n" } @broken;
	}
'

# split_is FILE IOS PERL DESCRIPTION: passes if the report's counts and stages are
# whole, and IOS I/Os are in it; PERL tells which should be split
split_is()
{
	from_json "$1" "$kernel_perl"'
		my @broken = broken();
		my ($ios, $split) = (sum($j->{ios}), sum($j->{kernel_stages}{split}));
		print STDERR "$ios $split\n";
		exit if !@broken && $ios == '"$2 && ($3)"';
		print map { "# $_" } @broken, JSON::PP->new->canonical->encode(
			$j->{kernel_stages}), "\n";
		exit 1' >"$scratch/broken" 2>"$scratch/counts"
	split_status=$?
	[ "$3" != "$joined" ] || cat "$scratch/counts" >>"$scratch/joined"
	ok "$split_status" "$4"
	cat "$scratch/broken"
	[ "$split_status" = 0 ] || sed 's/^/# /' "$scratch/counts"
}

# Some completions may never reach the program: some kernels run no program in an
# interrupt that finds certain processes on the CPU. Such an I/O lacks a stamp and
# is counted so. 2 % were usual on one machine, 4 % were seen. But a job takes only
# tens of ms, and such a process may have the CPU for all of that. So a job has at
# least one that is split, and most_are_split judges all jobs together. No I/O may
# lack its request, or have the slot of another I/O.
joined='not_split() == not_split("missing_stamp") &&
	not_split() < sum($j->{ios})'

# In a virtual machine of tests/vm there are no such processes. An interrupt that finds
# the program running on its CPU may still lose one.
all_joined='not_split() == not_split("missing_stamp") && not_split() <= 2'

# most_are_split: passes if at least half of the I/Os are split, of all reports that
# split_is was told to be $joined. That is more than ten times the loss that was
# seen.
most_are_split()
{
	awk '{ ios += $1; split_ios += $2 }
		END { print split_ios + 0 " of " ios + 0
		      exit 2 * split_ios < ios }' "$scratch/joined" >"$scratch/most"
	ok $? "of all these I/Os most are split: $(cat "$scratch/most")"
}

# ---- who was in a commit -------------------------------------------------------------

# mount_journal [FEATURE [OPTION]]: mounts a new ext4 with a journal at $mounted
mounted=$scratch/mounted
mount_journal()
{
	mkdir -p "$mounted"
	# The one before may still be in use, by what a ring that ends has open.
	rm -f image
	{ truncate -s 64m image &&
	  mkfs.ext4 -q -F -O "has_journal,${1:-^fast_commit}" image &&
	  mount -o "loop${2:+,$2}" image "$mounted"; } 2>err
}

# need_journal: the same without arguments, or ends the test
need_journal()
{
	if [ "$(id -u)" != 0 ] || ! command -v setpriv >/dev/null || ! mount_journal; then
		skip "no ext4 with a journal can be mounted here"
		done_testing
	fi
	trap 'touch "$mounted/others/stop" 2>/dev/null; umount -l "$mounted"; rm -rf "$scratch" "$disk"' EXIT
	mkdir "$mounted/others"
	# For other users, too.
	chmod 711 "$scratch"
	chmod 777 "$mounted/others"
}

# others COMMAND...: begins handles until it is told to end, as the process $other_pid with the
# name "other"; COMMAND changes the user
others()
{
	# shellcheck disable=SC2016	# perl's
	"$@" perl -e 'open my $f, ">", "/proc/self/comm"; print $f "other"; close $f;
		chdir $ARGV[0] or die; -e "stop" and die;
		until (-e "stop") { open my $f, ">", "one"; close $f; rename "one", "two" }' \
		"$mounted/others" &
	other_pid=$!
}
