#!/bin/sh
# SPDX-License-Identifier: MIT
# Tests: plugin/attach core/report/waits.c
#
# Behaviour: `tickwise attach` counts each sleep of a thread of the followed processes in a call
# that concerns a file, by call, file and reason: through the page cache, with O_DIRECT, in page
# faults, in syncs; of a program that it starts, of processes given by number or name, and of
# the processes and threads that they start. A wait for a socket is none. What was read, and
# how many calls there were, is what the program knows. The parts of waits for the thread's own
# I/O are within them. Calls of fsync(2) and fdatasync(2) that waited have parts, which add up to
# their lat. The live table takes the place of the last one where the terminal can do that.
#
# On ext4 with a journal (a loop device, as root): syncs that wait for a commit name the other
# process that had handles in it, also to root without CAP_SYS_PTRACE if it is root's. A program
# alone names nobody. A read that a limit of its cgroup holds names the limit.
# For some waits it is counted what others had in flight at the device: nothing of followed processes,
# and whose it is, unless the user must not see it.
#
# Defect: waits that are missed or counted twice, of another program, of another kind, or under a
# wrong file; parts that do not add up; a process that was not in the commit is named, or one is
# named to a user who must not see it.
#
# No time is judged. The kernel counts each thread's sleeps, too (ru_nvcsw): a count is exact, but
# for events that the kernel's own count says BPF missed. On Linux 6.18 some switches to a task, up
# to 1 in 500 on a busy machine, reach no program, while programs of other tests come and go: 2 in
# 100 may lack.
# shellcheck disable=SC2016	# Perl
. "$(dirname "$0")/fio_tap.sh"
. "$root/tests/fio/kernel_tap.sh"

need_attach
need_kernel
find_disk
[ -n "$disk" ] || { skip "no file system for it:$reasons"; done_testing; }

# attach ARGUMENT...: its exit code is in $status, what the program prints in out
attach()
{
	timeout -s KILL $hung_s "$tickwise" attach --interval=0 --output=page "$@" >out 2>err
	status=$?
}

wait_perl='
	use List::Util ();
	my @rows = @{$j->{waits}{rows}};
	my $here = "'"$(cd "$disk" && pwd -P)"'";
	my ($slept, $cold) = split / /, `cat out`;
	# Waits in a call, of a file, for a reason; each can be left out
	sub waits { my ($call, $file, $reason) = @_;
		grep { (!$call || $_->{call} eq $call) && (!$file || $_->{file} eq $file) &&
			(!$reason || $_->{reason} eq $reason) } @rows }
	sub count { List::Util::sum0(map { $_->{time}{count} } waits(@_)) }
	sub missed { $j->{kernel_stages}{missed_runs} // 0 }
	# All of N, but for missed ones: of few, three
	sub all { my ($n, $is) = @_; print "# $is of $n\n" if $is != $n;
		$is <= $n && $is >= 0.98 * $n - 3 - missed() }
	sub parts_fit { !grep { $_->{blockq_ns} + $_->{device_ns} + $_->{complete_ns} >
		$_->{time}{sum_ns} } @rows }
	sub part_sum { List::Util::sum0(map { $j->{sync}{$_}{sync}{sum_ns} // 0 }
		qw(data journal flush wake)) }
	# All syncs have parts, which add up
	sub syncs_split { my $ios = $j->{ios}{sync};
		!$j->{sync}{not_split}{sync} &&
		!exists $j->{sync}{worker} && part_sum() == $j->{stages}{lat}{sync}{sum_ns} &&
		!(grep { $j->{sync}{$_}{sync}{count} != $ios } qw(data journal flush wake)) &&
		!(grep { my $of = $_->{stages};
			List::Util::sum0(map { $of->{$_}{sum_ns} } qw(data journal flush wake)) !=
				$of->{lat}{sum_ns} } grep { !$_->{ring} } @{$j->{attached}{operations}}) &&
		!(grep { $_->{ring} || List::Util::sum0(values %{$_->{sync}}) !=
			$_->{stages}{lat} } @{$j->{slowest}}) }
'
# attached FILE PERL DESCRIPTION: checks a report
attached()
{
	json "$1" "$wait_perl parts_fit() or die 'parts are longer than waits'; $2"
	attached_status=$?
	ok "$attached_status" "$3"
	[ "$attached_status" = 0 ] || from_json "$1" 'print map { "# $_->{call} $_->{file} " .
		"$_->{reason} $_->{function} $_->{time}{count}\n" } @{$j->{waits}{rows}}'
}

calls=$TW_BUILD/tests/fio/wait_calls
n=300
"$calls" write "$disk/data" $n >/dev/null
sync

# ---- each kind of call -----------------------------------------------------------------

attach --json=cold.json -- "$calls" cold "$disk/data" $n
is "$status" 0 'reads of pages that are not in the page cache'
attached cold.json 'all($slept, count("pread64", "$here/data")) &&
	$j->{waits}{read_calls} >= '$n' && $j->{waits}{read_calls} <= '$n' + 100 &&
	$j->{waits}{storage_bytes} >= 4096 * $cold &&
	$j->{waits}{calls_that_waited} <= $j->{waits}{read_calls} + $j->{waits}{write_calls} &&
	$j->{waits}{calls_that_waited} + missed() >= 0.9 * $slept - 3' 'each sleep is a wait, of its file'
attached cold.json '$slept < '$n' / 2 ||
	count("pread64", "$here/data", "cache miss") > $slept / 2 && !(grep { !$_->{device_ns} }
	waits("pread64", "$here/data", "cache miss"))' 'most read a page that is not in the cache, from the device'
if [ "$(cut -d' ' -f1 out)" -ge $((n / 2)) ]; then
	works 'the page has them' grep -q "cache miss: .*/data" page
else
	skip 'most of these reads did not sleep'
fi
is_valid report cold.json

attach --json=direct.json -- "$calls" direct "$disk/data" $n
is "$status" 0 'direct reads'
attached direct.json 'all($slept, count("pread64", "$here/data")) &&
	($slept < '$n' / 2 || count("pread64", "$here/data", "direct I/O") > $slept / 2 &&
	!(grep { !$_->{device_ns} } waits("pread64", "$here/data", "direct I/O")))' \
	'each sleep is a wait, in the device'

attach --slow=0.000001 --json=names.json -- "$calls" names "$disk/named" 60
attached names.json 'my (%is, $right, $wrong); local @ARGV = ("out"); local $/ = "\n";
	my $reads = 0;
	while (<>) { $is{$1} = $2 if /^(\d+) (\d+)$/; $reads = $1 if /^slept (\d+)/ }
	for (@{$j->{waits}{slowest}}) {
		next if $_->{call} ne "pread64" || !defined $is{$_->{offset}};
		$_->{file} eq "$here/named.$is{$_->{offset}}" ? $right++ : $wrong++;
	}
	$_ //= 0 for $right, $wrong;
	print "# $right of $reads sleeps have the right name, $wrong have a wrong one\n";
	$reads && $wrong <= 2 + 0.01 * ($right + $wrong) && $right + $wrong <= $reads &&
	$right >= 0.9 * $reads - 3 - missed()' \
	'32 threads that share, replace and close descriptors: the right file'
rm -f "$disk"/named.*

attach --slow=0.000001 --json=slow.json -- "$calls" direct "$disk/data" $n
attached slow.json 'my @slow = grep { $_->{call} eq "pread64" } @{$j->{waits}{slowest}};
	all($slept, scalar @slow) && !(grep { $_->{bytes} != 4096 || $_->{offset} % 65536 ||
		$_->{offset} >= 65536 * '$n' || $_->{pid} != $_->{tid} || $_->{pid} !=
		$j->{jobs}[0]{pid} || $_->{program} ne "wait_calls" } @slow)' \
	'--slow: each sleep, with its call'
# A burst of 20, if there are as many. Some of these reads end before the thread sleeps.
printed=$(perl -ne '$n++ if /^\d\d:\d\d:\d\d\./; $left += $1 if /^\((\d+) lines? left out/;
	END { print $n // 0, ", ", $left // 0 }' page)
attached slow.json 'my ($lines, $left) = ('"$printed"'); my $all = @{$j->{waits}{slowest}};
	$lines + $left == $all && $lines >= List::Util::min(20, $all)' \
	'each has a line, or is counted as left out'

# Another program has the lock of the file most of the time.
while :; do
	dd if=/dev/zero of="$disk/held" bs=32M count=8 conv=notrunc 2>/dev/null
done &
other=$!
attach --slow=0.1 --json=lock.json -- dd if=/dev/zero of="$disk/held" bs=4k count=50000 \
	conv=notrunc
kill $other 2>/dev/null
wait $other 2>/dev/null
attached lock.json 'my @locks = grep { $_->{reason} eq "inode lock" && $_->{who} }
		@{$j->{waits}{slowest}};
	print "# ", scalar @locks, " waits name who had the lock\n";
	!(grep { $_->{who}{kind} eq "process" && ($_->{who}{name} ne "dd" ||
		$_->{who}{id} == $_->{pid}) } @locks)' 'who had the lock, if named, is the other program'
is_valid report lock.json

attach --json=copy.json -- "$calls" copy "$disk/data" $n
is "$status" 0 'a copy'
attached copy.json 'my @to = waits("copy_file_range", "$here/data.copy");
	my $few = sub { my ($is, @rows) = @_; my @is = grep $is->(), @rows;
		List::Util::sum0(map { $_->{time}{count} } @is) <=
			3 + 0.1 * List::Util::sum0(map { $_->{time}{count} } @rows) };
	all($slept, count("copy_file_range")) && ($slept < '$n' || @to) &&
	$few->(sub { $_->{reason} =~ /page|cache miss/ }, @to) &&
	$few->(sub { $_->{reason} !~ /page|cache miss/ }, waits("copy_file_range", "$here/data"))' \
	'it waits to read one file, and to write the other one'
"$calls" cold "$disk/data" $n >/dev/null
attach --json=pipe.json -- "$calls" pipe "$disk/data" $n
attached pipe.json '$slept >= 5 && count("splice") < 0.75 * $slept' 'a full pipe is no wait for a file'
attach --json=sends.json -- "$calls" sends "$disk/data" $n
attached sends.json 'my $sends = '$n' / 2;
	print "# $j->{waits}{calls_that_waited} calls, ", count("sendfile"), " waits\n";
	count("sendfile", "$here/data") < 0.9 * $sends ||
	$j->{waits}{calls_that_waited} >= 1.5 * $sends' \
	'a call that waits for a socket first, and then for its file, is one that waited'

attach --json=faults.json -- "$calls" faults "$disk/data" $n
is "$status" 0 'page faults of a mapped file'
attached faults.json 'count("page fault", "$here/data") <= $slept &&
	count("page fault") >= 0.98 * $slept - 3 - missed() &&
	($slept < '$n' / 2 || count("page fault", "$here/data", "cache miss") > $slept / 2)' \
	'each sleep is a wait; those that read have the name of the file'

attach --json=mapped.json -- "$calls" mapped "$disk/data" $n
attached mapped.json '$slept >= '$n' / 2 && all($slept, count("msync", "$here/data"))' \
	'msync: each sleep is a wait, of the file that is mapped there'

attach --json=warm.json -- "$calls" warm "$disk/data" $n
attached warm.json 'all($slept, count("pread64", "$here/data"))' \
	'pages in the page cache: only what sleeps'

attach --json=socket.json -- "$calls" socket - $n
attached socket.json '$slept >= 20 && count("read") + count("write") < 20 &&
	$j->{waits}{read_calls} >= '$n 'a wait for a socket is none'

# The blocks of a deleted file are freed when its last reference goes. Whether that sleeps depends on
# the disk: the program counts.
attach --json=drops.json -- "$calls" drops "$disk/dropped" 3200
is "$status" 0 'the last reference to a deleted file goes by four calls'
attached drops.json 'my %n = map { /(\w+) (\d+)/ ? ($1, $2) : () } split /\n/, `cat out`;
	# The child leaves its CPU once more than it sleeps.
	my %slept = (%n, exit_group => $n{ended} - $n{exit_group} - 1);
	delete $slept{ended};
	print "# $_: $slept{$_}\n" for sort keys %slept;
	# Few may lack three. But two sleeps, as for a discard, are not both missed.
	keys %slept == 4 && !grep { my ($n, $is) = ($slept{$_}, count($_));
		$is < 0.98 * $n - 3 - missed() || ($n > 1 && !$is && !missed()) } keys %slept' 'their sleeps are waits, also at the end'

# The kernel frees the memory of a process after it has ended. CPU time is counted in both ways by
# the same clock; attach has the beginning and the end of the program more than it knows itself.
attach --json=short.json -- "$calls" short "$disk/data" $n
attached short.json 'my $is = $j->{waits}{run_ns}; print "# $is of $slept ns\n";
	$is >= 0.97 * $slept && $is <= 1.03 * $slept + 20e6' 'the CPU time of short processes is all counted'

attach --json=least.json -- true
attached least.json '$j->{waits}{run_ns} > 0' 'a program that ends at once has run'

# A 32-bit program has other numbers of calls: 3 is read(2).
cat >reads32.s <<'END'
.globl _start
_start:	mov $5, %eax		# open(path, O_DIRECT)
	mov $path, %ebx
	mov $040000, %ecx
	int $0x80
	mov %eax, %edi
	mov $1000, %esi
1:	mov $3, %eax		# read(it, buffer, 4096)
	mov %edi, %ebx
	mov $buffer, %ecx
	mov $4096, %edx
	int $0x80
	cmp $4096, %eax
	jne 2f
	dec %esi
	jnz 1b
2:	mov %esi, %ebx		# exit(those that are left)
	mov $1, %eax
	int $0x80
.data
path:	.asciz "data"
.bss
.balign 4096
buffer:	.space 4096
END
if [ "$(uname -m)" = x86_64 ] && as --32 -o reads32.o reads32.s 2>why &&
   ld -m elf_i386 -o reads32 reads32.o 2>>why && (cd "$disk" && "$scratch/reads32") 2>>why; then
	# It is waited for by a process that tells how often it slept: getrusage(children) is call 98.
	attach --json=bits.json -- perl -e 'chdir shift; my $failed = system shift;
		my $usage = "\0" x 144;
		syscall 98, -1, $usage;
		print +(unpack "q18", $usage)[16], "\n"; exit !!$failed' "$disk" "$scratch/reads32"
	is "$status" 0 'a 32-bit program'
	# Once more or less: a sleep when it began was of 64 bits, or it had to wait to end.
	attached bits.json 'my $of_32 = $j->{waits}{of_32_bits};
		print "# $of_32 of $slept\n" if $of_32 != $slept;
		$of_32 <= $slept + 1 && $of_32 >= 0.98 * $slept - 5 - missed() &&
		!(grep { $_->{file} =~ /data$/ } @rows)' 'its sleeps are counted, and are in no row'
else
	skip "no 32-bit program: $(cat why)"
fi

# ---- processes -----------------------------------------------------------------------------

# Another program reads, too.
while :; do "$calls" direct "$disk/data" $n; done >/dev/null 2>&1 &
other=$!
cp "$disk/data" "$disk/a"
cp "$disk/data" "$disk/b"
sync
attach --json=many.json -- sh -c 'for i in a b; do "$1" direct "$0/$i" "$2" >"$i" & done; wait' \
	"$disk" "$calls" $n
kill $other 2>/dev/null
wait $other 2>/dev/null
is "$status" 0 'two processes at once'
attached many.json 'my @n = map { (split / /, `cat $_`)[0] } "a", "b";
	all($n[0], count("pread64", "$here/a")) && all($n[1], count("pread64", "$here/b")) &&
	!count("pread64", "$here/data")' 'each is counted apart, and no other program'

# late ARGUMENT...: attach follows a process that runs already, and that starts another one
late()
{
	rm -f go page out runs
	cp "$(command -v sh)" tw_late_sh
	./tw_late_sh -c ': >runs; until [ -e go ]; do sleep 0.1; done; "$1" direct "$0/data" "$2" >late
		true' "$disk" "$calls" $n &
	late=$!
	until [ -e runs ] || ! kill -0 $late 2>/dev/null; do sleep 0.1; done
	(until grep -q . page 2>/dev/null; do sleep 0.1; done; : >go) &
	goes=$!
	name=$1
	shift
	timeout -s KILL $hung_s "$tickwise" attach --interval=0.2 --output=page \
		--json="$name.json" ${1:-$late} >out 2>err
	is "$?" 0 "$name: attach ends with the process" || cat err
	kill $goes 2>/dev/null
	: >go
	wait
	cp late out
	attached "$name.json" 'all($slept, count("pread64", "$here/data"))' \
		"$name: what it starts is counted"
}
late pid
late name --name=tw_late_sh
attach --name=no-such-name
is "$status $(wc -l <err)" '66 1' 'no process of this name: one line'
attach --name=x 1
is "$status $(wc -l <err)" '64 1' 'both a name and a number: one line'

# The main thread reads, and ends before its process does: when attach ends, and then before it begins.
mkfifo hold
"$calls" leader "$disk/data" $n <hold >left &
leader=$!
exec 3>hold
for name in leader_ends leader_ended; do
	rm -f page
	timeout -s KILL $hung_s "$tickwise" attach --interval=0.1 --output=page --json=$name.json \
		$leader >out 2>err 3>&- &
	attacher=$!
	until grep -q . page 2>/dev/null || ! kill -0 $attacher; do sleep 0.1; done
	echo >&3
	if [ $name = leader_ends ]; then
		until grep -q left left || ! kill -0 $leader 2>/dev/null; do sleep 0.1; done
		# Not timeout(1)
		kill -INT "$(cat "/proc/$attacher/task/$attacher/children")"
	fi
	wait $attacher
	is "$?" 0 "$name: attach ends" || cat err
done
exec 3>&-
wait
attached leader_ends.json 'my $is = $j->{waits}{read_calls}; print "# $is\n";
	$is >= '$n' && $is <= '$n' + 100' 'calls of a thread that has ended count once'
attached leader_ended.json 'my $is = $j->{waits}{read_calls}; print "# $is\n"; $is <= 100' \
	'what a thread did before does not count, if it has ended'

attach --json=renamed.json -- sh -c 'one() { dd if="$1" of=/dev/null bs=4k count=4000 iflag=direct; }
	one "$0/a" && mv "$0/a" "$0/c" && one "$0/c" && one "$0/b"' "$disk" 2>/dev/null
attached renamed.json '!(grep { !count("read", "$here/$_") } "a", "b", "c")' \
	'a file that was renamed has both names'
mv "$disk/c" "$disk/a"

# A thread that begins a program gets the number of the first one. What the kernel has of it by its
# own number goes.
bpftool=$(PATH=$PATH:/usr/sbin:/sbin command -v bpftool)
rm -f go begun
"$(dirname "$tickwise")/tickwise-attach" --interval=0 --output=page -- sh -c '"$1" execs "$0/data" 20; : >begun
	until [ -e go ]; do sleep 0.1; done' "$disk" "$calls" >out 2>err &
attacher=$!
until [ -e begun ] || ! kill -0 $attacher; do sleep 0.1; done
waiters=$(sed -n 's/^map_id:	//p' /proc/$attacher/fdinfo/* | while read -r id; do
	"$bpftool" map show id "$id" 2>/dev/null | sed -n 's/^\([0-9]*\):.* name waiters .*/\1/p'
done)
if [ -n "$waiters" ]; then
	left=$("$bpftool" -j map dump id "$waiters" | perl -MJSON::PP -0777 -e '
		print scalar @{decode_json(<STDIN>)}')
	ok "$([ "$left" -lt 10 ]; echo $?)" "20 threads that begin a program leave nothing: $left"
else
	skip 'no bpftool to look into the map of threads'
fi
: >go
wait $attacher
rm go

# ---- the live table ------------------------------------------------------------------------

# live KIND ERASED WHAT TARGET...: on a terminal of this kind there are tables, of which some are
# erased
live()
{
	on=$1 erased=$2 what=$3
	shift 3
	"$TW_BUILD/tests/reader/on_terminal" -c 140 env TERM="$on" "$tickwise" attach \
		--interval=0.05 --duration=2 "$@" >shown
	is "$? $(grep -c 'direct I/O .*/data' shown | sed 's/.*[1-9].*/some/') $(tr '\033' '\n' \
		<shown | grep -c '^\[J' | sed 's/.*[1-9].*/some/')" "0 some $erased" "$what"
}
sh -c 'while [ ! -e stop ]; do "$1" direct "$0/data" "$2"; done' "$disk" "$calls" $n &
live xterm some 'a table on a terminal takes the place of the last one' $!
live dumb 0 'not on one that can not do that' $!
: >stop
wait $!
live xterm 0 'nor where a program that was started prints, too' --output=- -- sh -c '
	for i in $(seq 20); do "$1" direct "$0/data" "$2"; done' "$disk" "$calls" $n
rm stop

# ---- syncs -----------------------------------------------------------------------------------

sync_calls=$TW_BUILD/tests/fio/sync_calls
attach --json=syncs.json -- sh -c 'for i in a b; do
	"$1" "$0/many-$i" 25 2 & done; wait' "$disk" "$sync_calls"
is "$status" 0 'syncs of four threads of two processes'
attached syncs.json 'my @of = @{$j->{attached}{operations}};
	$j->{ios}{sync} && $j->{ios}{sync} <= 200 && syncs_split() && @{$j->{slowest}} &&
	!(grep { $_->{ios} > 25 || $_->{file} !~ m{/many-[ab][01]$} ||
		!count($_->{operation}, $_->{file}) } @of) &&
	$j->{jobs}[0]{syncs}{state} eq "on"' 'no more than there are, of their files, with parts'
works 'the page has the parts' sh -c 'tr -s "\n " " " <page |
	grep -q "data .* journal .* flush .* wake "'
has_not page 'io-wq' 'and no worker'
is_valid report syncs.json

attach --json=none.json -- true
is "$status" 0 'a program that does next to nothing'
attached none.json '!$j->{ios}{sync} && !@{$j->{attached}{rings}}' 'has a report, too'

if [ -w /dev/shm ] && [ "$(stat -f -c %T /dev/shm)" = tmpfs ]; then
	shm=$(mktemp -d /dev/shm/tw.XXXXXX)
	trap 'rm -rf "$scratch" "$disk" "$shm"' EXIT
	attach --json=shm.json -- "$calls" write "$shm/data" 20
	attached shm.json '!count("fsync") && !(grep { $_->{device_ns} }
		waits("", (`cd '"$shm"'; pwd -P` =~ /(.*)/)[0] . "/data"))' 'a tmpfs: nothing of a device'
	rm -rf "$shm"
else
	skip 'no tmpfs'
fi

# A file system in user space, with one file "f". Each answer takes 10 ms. It ends with its mount.
serve_files()
{
	perl -e 'use strict; my ($at, $b) = @ARGV; $^F = 9;
		sysopen my $dev, "/dev/fuse", 2 or die "/dev/fuse: $!\n";
		system("mount", "-i", "-t", "fuse", "-o", "rootmode=40000,user_id=0,group_id=0,fd=" .
			fileno $dev, "test", $at) and exit 1;
		open my $ready, ">", "ready"; close $ready;
		sub attr { pack "Q6L10", $_[0], 65536, 128, (0) x 6,
			$_[0] == 1 ? 040755 : 0100644, 1, 0, 0, 0, 4096, 0 }
		while (sysread $dev, $b, 1 << 20) {
			my ($size, $op, $id, $node) = unpack "LLQQ", $b;
			my ($out, $error) = ("", 0);
			next if $op == 2 || $op == 36 || $op == 42;	# FORGET, INTERRUPT
			select undef, undef, undef, 0.01 if $op != 26;
			if ($op == 26) { $out = pack "L4S2L2S2L8", 7, 31, 65536, 0, 10, 10, 65536, 1, 16, (0) x 9 }
			elsif ($op == 1) { substr($b, 40) =~ /^f\0/ ? ($out = pack("Q4L2", 2, (0) x 5) . attr(2))
				: ($error = -2) }
			elsif ($op == 3 || $op == 4) { $out = pack("QLL", 0, 0, 0) . attr($node) }
			elsif ($op == 14) { $out = pack "QLL", 1, 0, 0 }
			elsif ($op == 15) { $out = "z" x unpack "L", substr $b, 56, 4 }
			elsif ($op != 10 && $op != 18 && $op != 25) { $error = -38 }
			syswrite $dev, pack("LlQ", 16 + length $out, $error, $id) . $out;
		}' "$1"
}
mkdir user
rm -f ready
serve_files user 2>why &
server=$!
until [ -e ready ] || ! kill -0 $server 2>/dev/null; do sleep 0.1; done
if [ -e ready ]; then
	mkfifo fifo
	attach --json=user.json -- sh -c '{ sleep 0.2; : >fifo; } & read -r line <fifo
		exec perl -e '\''for (1 .. 5) { stat "user/f"; open $f, "<", "user/f" or die;
		sysread $f, $_, 4096; close $f; unlink "user/f" }'\'
	umount user || { umount -l user; kill $server; }
	attached user.json 'my %n; $n{$_->{call}} += $_->{time}{count} for
			waits("", "user/f", "file system"), waits("close", "-", "file system");
		my @names = sort keys %n; print "# @names\n";
		$n{openat} && $n{close} && grep(/stat/, @names) && grep(/unlink/, @names) &&
		count("read", "", "file system") && !waits("", "fifo")' \
		'a file system in user space: calls without a descriptor, and not a fifo'
else
	skip "no FUSE here: $(cat why)"
fi
wait $server

# ---- who was in the commit -----------------------------------------------------------

need_journal

# Another mount shows one of the folders: in another namespace, in the program's, and there alone, as
# in a container.
bound=$scratch/bound
mkdir "$bound"
"$calls" write "$mounted/data" 50 >/dev/null
"$calls" write "$mounted/others/data" 50 >/dev/null
# faults_of NAME FILE COMMAND...: the faults of COMMAND in attach are of FILE
faults_of()
{
	name=$1
	file=$2
	shift 2
	attach --json="$name.json" -- "$@"
	attached "$name.json" 'length $slept && ($slept < 25 || count("page fault", "'"$file"'") >= 20) &&
		!(grep { $_->{file} =~ /data$/ && $_->{file} ne "'"$file"'" } @rows)' \
		"page faults below two mounts, $name"
}
if unshare --mount true 2>why; then
	rm -f go ready
	unshare --mount sh -c 'mount --bind "$0/others" "$1" && : >ready
		until [ -e go ]; do sleep 0.1; done' "$mounted" "$bound" &
	until [ -e ready ] || ! kill -0 $! 2>/dev/null; do sleep 0.1; done
	faults_of elsewhere "$mounted/data" "$calls" faults "$mounted/data" 50
	: >go
	faults_of here "$mounted/data" unshare --mount sh -c 'mount --bind "$0/others" "$1" &&
		exec "$2" faults "$0/data" 50' "$mounted" "$bound" "$calls"
	faults_of inside "$bound/data" unshare --mount sh -c 'mount --bind "$0/others" "$1" &&
		umount -l "$0" && exec "$2" faults "$1/data" 50' "$mounted" "$bound" "$calls"
	rm go
else
	skip "no namespace of mounts: $(cat why)"
fi

# Each call waits for the file system to thaw.
if command -v fsfreeze >/dev/null; then
	: >"$mounted/one"
	# Each twice, as BPF may miss one. The programs are read before.
	attach --json=frozen.json -- sh -c 'cd "$0" && for call in chmod chown touch mknod ln; do
			$call --version
		done >/dev/null; chattr 2>/dev/null
		fsfreeze -f . || exit
		for of in a b; do
			chmod 600 one & chown 0 one & touch -c one & mknod two$of p &
			ln -s one three$of & chattr +A one &
		done
		i=0 waits=0
		until [ $waits = 2 ] || [ $i = 100 ]; do
			sleep 0.1; i=$((i + 1))
			[ "$(ps -o state= --ppid $$ | grep -c D)" != 12 ] || waits=$((waits + 1))
		done
		cd /; fsfreeze -u "$0"; wait' "$mounted"
	attached frozen.json 'my %n; $n{"$_->{call} $_->{file}"} = 1 for waits("", "", "freeze");
		print "# $_\n" for sort keys %n; my $all = join "\n", keys %n;
		!grep { $all !~ m{^$_$}m } "(fchmodat2?|chmod) one", "(fchownat|chown) one",
			"utimensat one", "mknod(at)? two[ab]", "symlink(at)? three[ab]",
			"ioctl '"$mounted"'/one"' \
		'calls that change a file have its name'
	# One that a signal ends before it has run again
	attach --json=killed.json -- sh -c 'fsfreeze -f "$0" || exit
		dd if=/dev/zero of="$0/one" count=1 & killed=$!
		dd if=/dev/zero of="$0/one" count=1 & too=$! i=0
		until [ "$(cat /proc/$killed/status /proc/$too/status | grep -c "^State:.*D")" = 2 ] ||
		      [ $i = 100 ]; do
			sleep 0.1; i=$((i + 1))
		done
		kill -9 $killed $too; fsfreeze -u "$0"; wait $killed; [ $? = 137 ]' "$mounted"
	is "$status" 0 'a program that is killed in a call'
	# Of two, as BPF may miss one
	attached killed.json 'my $is = count("", "'"$mounted"'/one", "freeze"); $is == 1 || $is == 2' \
		'its wait is counted'
else
	skip 'no fsfreeze'
fi

# ---- whose limit it was ------------------------------------------------------------------

# limited CGROUP FILE LIMIT NO_LIMIT: attach follows reads of a cgroup that has a limit
limited()
{
	[ -d "$1" ] && mkdir "$1/tickwise.$$" 2>>why || return 1
	[ -w "$1/tickwise.$$/$2" ] && echo "$device $3" >"$1/tickwise.$$/$2" 2>>why || {
		rmdir "$1/tickwise.$$"
		return 1
	}
	for how in direct cold; do
		attach --slow=0.000001 --json=limited.$how.json -- sh -c 'echo $$ >"$0/cgroup.procs" &&
			exec "$@"' "$1/tickwise.$$" "$calls" "$how" "$mounted/data" 50
		attached limited.$how.json 'my @held = waits("pread64", "", "io.max");
			my @slow = grep { $_->{reason} eq "io.max" } @{$j->{waits}{slowest}};
			count("pread64", "", "io.max") >= 15 && @slow == count("pread64", "", "io.max") &&
			!(grep { $_->{limit} ne "riops=20" || $_->{cgroup} ne "/tickwise.'$$'" } @held, @slow) &&
			!(grep { $_->{limit} && $_->{reason} ne "io.max" } @rows)' "$how: the limit is named"
		works "$how: a line has it" grep -q "io.max (riops=20 of /tickwise.$$): .*/data" page
		is_valid report limited.$how.json
	done
	echo "$device $4" >"$1/tickwise.$$/$2"
	rmdir "$1/tickwise.$$"
	return 0
}
device=$(mountpoint -d "$mounted")
limited /sys/fs/cgroup/blkio blkio.throttle.read_iops_device 20 0 ||
	limited /sys/fs/cgroup io.max riops=20 riops=max ||
	skip "no cgroup can limit a device here: $(tail -n 1 why)"

# ---- what others have in flight ------------------------------------------------------------

# behind NAME PERL WHAT: PERL has how many waits were behind requests, by kind, kind of owner and
# name; "" stands for none
behind()
{
	attached "$1.json" 'my %n;
		for (map { @{$_->{in_flight_of_others} // []} } @rows) {
			$n{join " ", grep { defined } $_->{kind}, map { $_->{kind}, $_->{name} } $_->{who} // {}} +=
				$_->{waits};
		}
		my $all = List::Util::sum0(values %n);
		print "# $_: $n{$_} of $all\n" for sort keys %n;
		'"$2" "$1: $3"
}
# own NAME ARGUMENT...: what one followed thread writes is not of others, for another one
own()
{
	name=$1
	shift
	attach --json="$name.json" -- "$FIO" --thread --output=/dev/null --size=16m --filesize=16m \
		--time_based --runtime=2 --filename="$mounted/own" --name=writer "$@" --name=reader \
		--ioengine=psync --rw=randread --bs=4k --direct=1
	rm -f "$mounted/own"
	# The kernel writes, too.
	behind "$name" '$all >= 20 && List::Util::sum0(map { $n{$_} } grep { /^(reads|writes)/ } keys %n) <=
		3 + 0.1 * $all' 'what followed threads do is not of others'
}
own own_tasks --ioengine=libaio --iodepth=16 --direct=1 --rw=randwrite --bs=256k
own own_pages --ioengine=sync --rw=write --bs=1m --sync_file_range=write:1
own own_processes --thread=0 --ioengine=libaio --iodepth=16 --direct=1 --rw=randwrite --bs=256k
# writes COMMAND...: COMMAND begins a program that writes all the time
writes()
{
	"$@" "$FIO" --thread --ioengine=libaio --name=writer --filename="$mounted/others/written" \
		--size=16m --iodepth=16 --direct=1 --rw=randwrite --bs=256k --time_based \
		--runtime=1000 --output=/dev/null 2>/dev/null &
	writer=$!
	until [ -e "$mounted/others/written" ]; do sleep 0.1; done
	sleep 1
}
for name in named unnamed; do
	if [ $name = named ]; then
		writes env
		set -- env
	else
		writes setpriv --reuid=65534 --regid=65534 --clear-groups
		set -- setpriv --inh-caps=-sys_ptrace --bounding-set=-sys_ptrace
	fi
	"$@" timeout -s KILL $hung_s "$tickwise" attach --interval=0 --slow=0.000001 \
		--output=$name.page --json=$name.json -- sh -c 'for i in $(seq 20); do "$1" direct "$0/data" 50; done' \
		"$mounted" "$calls" >out 2>err
	kill $writer
	wait $writer 2>/dev/null
	rm -f "$mounted/others/written"
	[ $name = unnamed ] || behind $name '($n{"writes process fio"} // 0) >= 3 &&
		$all <= count("pread64", "'"$mounted"'/data", "direct I/O") + count("execve") + 10 &&
		!(grep { $_->{who} && $_->{who}{name} eq "fio" && $_->{who}{id} != '$writer' } map {
			$_->{in_flight_of_others} // () } @{$j->{waits}{slowest}})' 'whose writes were in flight'
done
# The lines are those of the first waits, and few waits are counted: a line may have none.
works 'the page names them' sh -c 'tr -s "\n " " " <named.page >text &&
	grep -q "time in the device: .*of fio .* waits)" text'
behind unnamed '($n{"writes hidden"} // 0) >= 3 && !(grep { /process fio/ } keys %n)' \
	"without the right to see it, another user's process is hidden"
is_valid report named.json

# appends NAME ARGUMENT...: attach counts the calls of an fio that waits for a commit with each
# fsync. Others have time for handles between two of them.
appends()
{
	name=$1
	shift
	"$@" timeout -s KILL $hung_s "$tickwise" attach --interval=0 \
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
		@waits && $calls >= 50 && $calls <= 101 && syncs_split() && ('"$2"')' "$1: $3"
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
