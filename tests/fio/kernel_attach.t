#!/bin/sh
# SPDX-License-Identifier: MIT
# Tests: plugin/attach
#
# Behaviour: `tickwise attach` counts each I/O of the program that it starts, or of
# the given process, and of the processes that it has started or starts later, by
# ring, file and operation, and no other program's. Operations that are no I/O on
# storage are counted, and keep no I/O from being followed. Direct I/O is split,
# buffered I/O is not; what waits for other I/Os or for a flush is not split either.
# The program's output and exit code are its own. attach ends with the process or by
# a signal, and its report is one that `tickwise report` reads. With --every=16 all I/Os are counted, and about one in 16 has times; auto
# chooses all of few I/Os. With --causes the slowest I/Os have causes, and a process that
# takes the CPU is named to users who may see it. A user who may not trace all processes sees no
# file of a set-user-ID program. An error is one line.
#
# Defect: I/Os that are missing, without being counted as lost, or of another program;
# a wrong path; time under a wrong name; a process that hangs; a program that stays in
# the kernel; an exit code or a report that is lost; a name that its user may not see.
#
# No time is judged. fio's own engine does the I/O.
#
# An event that BPF misses is an I/O that counts as something else, or not at all:
# no count has to be exact. None is too large, and each is at least half of the
# I/Os: some kernels lose some hundredths (tests/bench/results.md).
# shellcheck disable=SC2016,SC2046,SC2086	# lists of arguments, and text for inner shells
. "$(dirname "$0")/fio_tap.sh"
. "$root/tests/fio/kernel_tap.sh"

# attach ARGUMENT...: runs it; its exit code is in $status, its stderr in err
attach()
{
	timeout -s KILL $hung_s "$tickwise" attach "$@" >out 2>err
	status=$?
}

# attach_to FILE ARGUMENT...: runs it in the background, as $attacher. FILE is the report, and
# `page` has what is printed.
attach_to()
{
	rm -f page err "$1"
	report=$1
	shift
	"$tickwise" attach --json="$report" --output=page "$@" >out 2>err 9>&- &
	attacher=$!
}

# wait_for FILE PATTERN: waits until FILE has it, without a limit: a machine may be slow
wait_for()
{
	waited=0
	until grep -q "$2" "$1" 2>/dev/null || [ $waited -gt 1200 ]; do
		sleep 0.1
		waited=$((waited + 1))
	done
}

# stock ARGUMENT...: prints arguments of a fio with its own engine
stock()
{
	echo $plain_clock --ioengine=io_uring --output=fio.out --size=4m --bs=4k "$@"
}

# What json() can ask of a report:
#
#	@busy		rows with I/Os; missed completions have their own
#	row(OPERATION)	its rows
#	sum(COUNT, ROWS)
#	near(N, COUNT)	the count is of N, of which some may be lost
#	found()		I/Os that are counted, or of which one end was missed
#	whole()		nothing is lost; rows and directions have the same I/Os
#	rows_are_all()	and each count of a direction is the sum of its rows
#	stages_add_up()
attach_perl='
	use List::Util ();
	our @rows = @{$j->{attached}{operations}};
	our @busy = grep { $_->{ios} } @rows;
	sub sum { my $key = shift; List::Util::sum0(map { $_->{$key} } @_) }
	sub row { my $name = shift; grep { $_->{operation} eq $name } @rows }
	sub near { $_[1] <= $_[0] && $_[1] >= $_[0] / 2 }
	sub found { List::Util::sum0(map { sum($_, @rows) } "ios", "no_cqe", "unseen") }
	sub rows_are_all {
		my %names = (read => qr/^read/, write => qr/^write/, sync => qr/sync/);
		my %all = (%{$j->{kernel_stages}{not_split}},
			split => $j->{kernel_stages}{split},
			map { $_ => $j->{$_} } "ios", "zero_byte", "linked", "drained",
				"errors", "cancelled", "no_cqe", "unseen");
		return 1 if grep { $_->{operation} eq "others" } @rows;
		for my $direction (keys %names) {
			my @of = grep { $_->{operation} =~ $names{$direction} } @rows;
			for my $count (keys %all) {
				my $is = $all{$count}{$direction} // 0;
				return 0 if sum($count, @of) != $is;
			}
		}
		1;
	}
	sub whole {
		my $a = $j->{attached};
		!$a->{lost_records} && !$a->{lost_ios} && !$a->{lost_rings} &&
		sum("ios", grep { $_->{operation} =~ /^(others|read|write|f?sync)/ } @rows)
			== List::Util::sum0(values %{$j->{ios}}) &&
		rows_are_all() &&
		!grep { (!$_->{not_chosen} && $_->{ios} != ($_->{stages}{lat}{count} // 0)) ||
			$_->{ios} != $_->{not_chosen} + $_->{split} + $_->{no_request} +
				$_->{missing_stamp} + $_->{sync_write} +
				$_->{waited} } @rows;
	}
	sub stages_add_up {
		my $ok = 1;
		for my $row (@rows) {
			my %s = %{$row->{stages}};
			my $lat = delete $s{lat} or next;
			$ok &&= $lat->{sum_ns} ==
				List::Util::sum0(map { $_->{sum_ns} } values %s);
		}
		$ok;
	}
'
# attached FILE PERL DESCRIPTION: checks a report
attached()
{
	json "$1" "$attach_perl whole() && stages_add_up() && ($2)"
	attached_status=$?
	ok "$attached_status" "$3"
	[ "$attached_status" = 0 ] || from_json "$1" 'delete $_->{stages}
		for @{$j->{attached}{operations}};
		print "# ", JSON::PP->new->canonical->encode($j->{attached}), "\n"'
}

# ---- what can't be done ----

need_attach
for wrong in '' 'x' '1 x' '--bogus 1' '--interval=x 1' '--json'; do
	attach $wrong
	is "$([ "$status" = 64 ] || [ "$status" = 66 ] && wc -l <err)" 1 \
		"attach $wrong: one line"
done
attach --help
is "$status $(wc -c <err)" '0 0' '--help is no error'
true &
gone=$!
wait $gone
attach $gone
is "$status $(wc -l <err)" '66 1' 'a process that has ended: one line'

need_kernel

# ---- a program ----

attach --interval=0 -- sh -c 'echo its output; echo its error >&2; exit 7'
is "$status $(cat out)" '7 its output' "the program's exit code and output are its own"
is "$(head -n 1 err)" 'its error' 'its stderr, too'
echo before >page
attach --interval=0 --output=page --json=none.json -- ./none
is "$status $(wc -l <err) $(cat out page)" '127 1 before' \
	'no such program: 127, one line and no report'
ok "$([ ! -e none.json ]; echo $?)" 'nor one as JSON'
attach --interval=0 -- sh -c 'kill -TERM $$'
is "$status" 143 'ended by SIGTERM: 143'
attach --interval=0 --output=page -- true
is "$status $(cat out)" '0 ' 'a program without a ring'
has page 'waits, by call, reason and file' 'its page has what it waited for'
has_not page 'by ring, file and operation' 'and no table of rings'
attach --interval=0 --output=page --json=/dev/full -- true
is "$status $(grep -c 'waits, by call' page) $(cat err)" "74 1 tickwise attach: \
/dev/full: No space left on device" 'the page is printed also where the JSON has no room'
sleep 600 &
sleeper=$!
attach --interval=0 --duration=0.1 --output=page $sleeper
kill $sleeper
is "$status $(grep -c 'no thread waited for a file' page)" '0 1' 'a process that only sleeps'

head -c 4194304 /dev/zero >buffered
attach --interval=0 --json=b.json -- "$FIO" --name=b $(stock --filename=buffered \
	--io_size=2m --rw=randread --invalidate=0)
is "$status $(grep -h 'keeps the report' err out)" '0 ' 'buffered reads, and the report is kept'
attached b.json '@busy == 1 && near(512, found()) && $busy[0]{operation} eq "read" &&
	$busy[0]{file} eq "'"$(pwd -P)"'/buffered" && $busy[0]{ring} == 1 &&
	$j->{attached}{rings}[0]{program} eq "fio"' 'each is counted, of its file'

attach --interval=0 -- "$FIO" --name=b $(stock --filename=buffered --io_size=64k --rw=read)
is "$status $(grep -h 'keeps the report' err out)" \
	'0 tickwise attach: --json=FILE keeps the report' 'else how to keep it is told'

# In a chroot a path begins there. This one is the same root by another path.
mkdir newroot
if unshare --mount true 2>why; then
	unshare --mount sh -c 'mount --rbind / newroot && here=$(pwd -P) &&
		exec chroot newroot env -C "$here" "$@"' sh \
		timeout -s KILL $hung_s "$tickwise" attach --interval=0 --json=r.json -- \
		"$FIO" --name=b $(stock --filename=buffered --rw=randread --invalidate=0) \
		>out 2>err
	attached r.json '$busy[0]{file} eq "'"$(pwd -P)"'/buffered"' 'in a chroot, too'
else
	skip "no namespace of mounts: $(cat why)"
fi
rmdir newroot

# Only the times of the namespace in which attach runs matter: all stamps are the kernel's.
if unshare --time --monotonic=1000 --fork true 2>why; then
	unshare --time --monotonic=1000 --fork "$tickwise" attach --json=shifted.json -- \
		true >out 2>err
	is "$? $(cat out err) $(ls shifted.json 2>&1 | wc -l)" "70 tickwise attach: a time \
namespace shifts CLOCK_MONOTONIC here 1" 'in a time namespace it does not start'
	attach --interval=0 --json=t.json -- unshare --time --monotonic=1000 --fork "$FIO" \
		--name=b $(stock --filename=buffered --rw=randread --invalidate=0)
	attached t.json 'do { my ($t, $run, $o) = (@{$j->{jobs}[0]}{"start", "run_ns"}, $j->{over_time});
		near(1024, found()) && @{$o->{windows}} && !grep { $_->{start} > $t + $run ||
			$_->{start} + $o->{width_ns} <= $t } @{$o->{windows}} }' \
		'a program in one has its times within the run'
else
	skip "no time namespace: $(cat why)"
fi

run report b.json
is "$status" 0 'the report is read'
run report --html=page.html --trace=trace.json b.json
is "$status" 0 'as HTML and as a trace, too'
has page.html 'by ring, file and operation' 'with the table'
is_valid report b.json

# --json alone: the report replaces tables and page.
attach --json -o only.json --html=only.html -- true
is "$status $(cat out err)" '0 ' '--json: nothing elsewhere'
is "$(from_json only.json 'print $j->{schema}')" tickwise-report 'and an object there'
has only.html 'waits, by call, reason and file' 'with --html the page as HTML'
attach --json -o - -- true
is "$status $(wc -l <err) $(head -c 1 out)" '0 0 {' '-o -: standard output'
echo old >root
if [ "$(id -u)" -eq 0 ] && ln -s root theirs && chown -h 65534 theirs 2>/dev/null; then
	attach --interval=0 --output=theirs -- true
	is "$status $(cat root)" '74 old' '-o: a link of another user is not followed'
fi
rm -f root theirs
attach -q -- true
has err 'waits, by call, reason and file' '-q: the report'
# A program next to this one that stands in for `tickwise report`.
mkdir own
cp "$(dirname "$tickwise")/tickwise-attach" own
printf '%s\n' '#!/bin/sh' 'kill -KILL $$' >own/tickwise
chmod 755 own/tickwise
timeout -s KILL $hung_s own/tickwise-attach --interval=0 --output=page -- true >out 2>err
is "$? $(head -n 1 err)" '70 tickwise attach: tickwise report was killed by signal 9 (Killed)' \
	'tickwise report is killed: a line tells so'
printf '%s\n' '#!/bin/sh' 'kill -PIPE $$' >own/tickwise
timeout -s KILL $hung_s own/tickwise-attach --interval=0 --output=page -- true >out 2>err
is "$? $(cat err)" '74 ' 'the reader of its output has closed the pipe: no line'

is "$(from_json b.json 'print "$j->{kernel_stages}{every} ",
	List::Util::sum0(values %{$j->{kernel_stages}{not_split}{not_chosen}})')" '1 0' \
	'of few I/Os each was chosen'

# ---- sampling ----

# Each I/O is counted, but for events that BPF missed. Each is chosen with a chance of 1 in 16:
# of 32768 that is 2048 with a standard deviation of 44. Four of them are exceeded once in
# 15000 runs. What the chosen ones stand for has 16 times that deviation.
attach --interval=0 --every=16 --json=s.json --output=page -- "$FIO" --name=s \
	$(stock --filename=buffered --io_size=128m --rw=randread --norandommap \
		--invalidate=0 --iodepth=8)
is "$status" 0 'with --every=16'
attached s.json '@busy == 1 && $busy[0]{ios} <= 32768 &&
	$busy[0]{ios} >= 0.98 * 32768 - ($j->{kernel_stages}{missed_runs} // 32768) &&
	$busy[0]{bytes} == 4096 * $busy[0]{ios} && $j->{bytes}{read} == $busy[0]{bytes} &&
	$j->{kernel_stages}{every} == 16' 'each I/O is counted, and its bytes'
json s.json 'my $count = $j->{stages}{lat}{read}{weight};
	my $chosen = $j->{ios}{read} - $j->{kernel_stages}{not_split}{not_chosen}{read};
	abs($chosen - $j->{ios}{read} / 16) <= 4 * 44 && $count == 16 * $chosen &&
	$j->{stages}{lat}{read}{sum_ns} == $j->{stages}{kernel}{read}{sum_ns}'
ok $? 'about one in 16 has times, and counts 16 times in them'
works 'the page has it' grep -q 'a sample of .* % of I/Os' page
"$tickwise" report --all s.json >all.page
has all.page 'chosen I/Os (5 of ' 'also of the slowest'
is_valid report s.json
attach --every=3 -- true
is "$status $(wc -l <err)" '64 1' '--every=3 is no power of two: one line'

is "$(from_json b.json 'print exists $j->{jobs}[0]{causes} ? "causes" : "none", ", ",
	scalar grep { $_->{causes} } @{$j->{slowest}}')" 'none, 0' \
	'without --causes there are none'

# Two rings of one program. Another program makes its ring in the meantime.
rm -f ready go
attach_to c.json --interval=0 -- sh -c 'echo ready >ready
	while [ ! -e go ]; do sleep 0.1; done; exec "$@"' sh "$FIO" \
	$(stock --filename=buffered --rw=read --io_size=2m) --name=one --name=two --thread
wait_for ready ready
"$FIO" --name=other $(stock --filename=buffered --rw=randwrite --time_based \
	--runtime=600 --output=other.out) --exec_prerun='sh -c "echo begun >begun"' &
other=$!
wait_for begun begun
: >go
wait $attacher
kill -INT $other
wait $other
interrupted=$?
attached c.json '@busy == 2 && near(1024, found()) && $j->{ios}{write} == 0 &&
	@{$j->{attached}{rings}} == 2 && !grep { !near(512, $_->{ios}) } @busy' \
	'two rings, and none of another program'
rm go

# ---- a process ----

# A job that waits for the file `go` has made its ring before.
cat >wait.sh <<'END'
: >waits
while [ ! -e go ]; do sleep 0.1; done
END
"$FIO" --name=late $(stock --filename=buffered --rw=randwrite --io_size=2m --thread) \
	--exec_prerun='sh wait.sh' &
late=$!
until [ -e waits ] || ! kill -0 $late 2>/dev/null; do sleep 0.1; done
attach_to d.json --interval=0.1 $late
wait_for page ' s'
is "$(sed -n 's/^[0-9.]* s, \(1 ring\),.*, no I\/O/\1/p' page | head -n 1)" '1 ring' \
	'a process that has a ring'
: >go
wait $late
wait $attacher
is "$? $(cat out err)" '0 ' 'ends: so does attach'
attached d.json '@busy == 1 && near(512, found()) &&
	$j->{ios}{write} == $busy[0]{ios} &&
	$busy[0]{file} eq "'"$(pwd -P)"'/buffered"' \
	'and has its writes'

rm go
sh -c 'while [ ! -e go ]; do sleep 0.1; done; exec "$@"' sh "$FIO" --name=later \
	$(stock --filename=buffered --rw=read --io_size=2m --thread) &
later=$!
attach_to e.json --interval=0.1 $later
wait_for page ' s'
: >go
wait $later
wait $attacher
is $? 0 'it makes one later, and ends'
attached e.json '@busy == 1 && near(512, found()) && $j->{ios}{read}' \
	'and has its reads'

# ---- its children ----

kinds=$TW_BUILD/tests/fio/attach_kinds
rm -f ready
mkfifo go_on
"$kinds" buffered fork <go_on >ready 2>err &
parent=$!
exec 9>go_on
wait_for ready ready
attach_to p.json --interval=0.1 $parent
wait_for page ' s'
printf '\n\n' >&9
exec 9>&-
wait $parent
forked=$?
wait $attacher
if [ $forked = 2 ]; then
	skip 'no io_uring for them'
else
	attached p.json 'near(10, found()) && @{$j->{attached}{rings}} == 2 &&
		!grep { $_->{pid} == '"$parent"' || $_->{program} ne "attach_kinds" }
			@{$j->{attached}{rings}}' 'has what its children do'
fi

# fio waits, and the processes that it starts do the I/O. They have their rings already.
rm -f waits go
"$FIO" --name=late $(stock --filename=buffered --rw=read --io_size=2m) --numjobs=2 \
	--exec_prerun='sh wait.sh' &
late=$!
until [ -e waits ] || ! kill -0 $late 2>/dev/null; do sleep 0.1; done
attach_to q.json --interval=0.1 $late
wait_for page ' s, 2 rings'
: >go
wait $late
wait $attacher
attached q.json 'near(1024, found()) && @busy == 2 && $j->{ios}{read} &&
	!grep { $_->{pid} == '"$late"' } @{$j->{attached}{rings}}' \
	"fio's own process leads to those of its jobs"
rm go

# ---- other operations ----

rings=
attach --interval=0 --json=k.json --output=page -- "$kinds" buffered
if [ "$status" = 2 ]; then
	skip "$(cat err)"
else
	is "$status" 0 'accept, send, recv, timeouts, chains'
	rings=1
	attached k.json '!(grep { my ($name, $count) = split;
			!near($count, $j->{attached}{others}{$name} // 0) } "accept 4",
			"send 10", "recv 10", "timeout 12", "async_cancel 4", "read 7") &&
		near(12, $j->{attached}{more_cqes}) &&
		!grep { $_->{operation} ne "read" } @rows' \
		'what is no I/O on a file is counted, by its name'
	attached k.json 'near(28, sum("ios", @rows)) && near(10, sum("errors", @rows)) &&
		near(4, sum("linked", @rows)) && near(3, sum("drained", @rows))' \
		'reads: the failed ones, and those that had to wait for others'
	# Reads whose completion was missed count as those that have none.
	attached k.json 'sum("no_cqe", @rows) + $j->{attached}{in_flight} >= 3 &&
		sum("ios", @rows) + sum("no_cqe", @rows) <= 28 + 6' \
		'and what has no completion'
	attach --interval=0 --json=v.json --output=page -- "$kinds" buffered waiting
	attached v.json 'near(1000, sum("ios", @rows)) && @rows == 1' \
		'while 70000 reads wait for another program, none of a file is lost'

	rm -f ready
	mkfifo hold
	"$kinds" buffered registered <hold >ready 2>err &
	holder=$!
	exec 9>hold
	wait_for ready ready
	attach_to l.json --interval=0.1 $holder
	wait_for page ' s'
	exec 9>&-
	wait $holder
	wait $attacher
	attached l.json '@busy == 1 && near(9, sum("ios", row("read"))) &&
		$j->{attached}{rings}[0]{fd} == -1' 'a ring without a descriptor'
fi

# ---- many rings ----

# count_rings FILE: puts the number of the rings in the place of their list, which is long
count_rings()
{
	perl -0pi -e 's/"rings":\s*\K\[(.*?)\]/() = $1 =~ m|"fd"|g/se' "$1"
}

if [ -n "$rings" ]; then
	attach --json -o n -- "$kinds" buffered many
	[ "$status" = 2 ] && skip "$(cat err)" ||
		{ count_rings n && attached n '$j->{attached}{rings} <= 16384 &&
			$j->{attached}{rings} + $j->{attached}{more_rings} <= 20000 &&
			$j->{attached}{rings} + $j->{attached}{more_rings} >= 19600 &&
			near(20000, sum("ios", @rows))' \
			'20000 rings, one after another: none is lost'; }
	attach --json -o w -- "$kinds" buffered crowd
	[ "$status" = 2 ] && skip "$(cat err)" ||
		{ count_rings w && json w "$attach_perl"'my $lost = $j->{attached}{lost_rings};
			$lost >= 150 && near(16600 - $lost, sum("ios", @rows)) &&
			$j->{attached}{rings} <= 16384 && $j->{attached}{rings} >= 16000'; }
	ok $? '16600 at once: those too many are counted'
fi

# ---- paths ----

# In a namespace of processes, /proc has other numbers than the kernel.
mkdir -p "$scratch/in a folder"
cp buffered "$scratch/in a folder/file"
if [ -n "$rings" ] && unshare -pf --mount-proc true 2>/dev/null; then
	unshare -pf --mount-proc "$tickwise" attach --interval=0 --json=x.json \
		--output=page -- "$kinds" 'in a folder/file' >out 2>err
	attached x.json '$busy[0]{file} eq "'"$(pwd -P)"'/in a folder/file" &&
		!grep { $_->{pid} > 20 || $_->{pid} < 2 } @{$j->{attached}{rings}}' \
		'in a container the whole path, and its numbers of processes'
else
	skip 'no namespace of processes here'
fi

# ---- Ctrl-C ----

# Few I/Os a second: there is room for all records, however late they are read.
attach_to f.json --interval=0.1 -- "$FIO" --name=long $(stock --filename=buffered \
	--rw=read --time_based --runtime=600 --thread --rate_iops=200)
wait_for page buffered
kill -INT $attacher
wait_for page 'by ring, file and operation'
# The program that prints the report has ended, and is no child.
until [ "$(wc -w <"/proc/$attacher/task/$attacher/children")" -le 1 ] ||
      ! kill -0 $attacher 2>/dev/null; do
	sleep 0.1
done
has page 'by ring, file and operation' 'Ctrl-C: the report'
kill -0 $attacher
ok $? 'then it waits for the program'
kill -INT $(cat /proc/$attacher/task/$attacher/children)
wait $attacher
is $? $interrupted 'whose exit code it has'
attached f.json '$j->{ios}{read} > 0 && $j->{attached}{in_flight} <= $j->{ios}{read}' \
	'what was done by then is in the report'

# ---- the terminal is gone ----

rm -f page err
"$FIO" --name=long $(stock --filename=buffered --rw=read --time_based --runtime=600 \
	--thread --rate_iops=200) &
long=$!
for ignored in '' 1; do
	rm -f page hup.json
	(${ignored:+trap '' HUP}
	exec "$tickwise" attach --interval=0.1 ${ignored:+--duration=2} --json=hup.json \
		--output=page $long) >out 2>err &
	attacher=$!
	wait_for page buffered
	kill -HUP $attacher
	wait $attacher
	is "$? $(grep -c 'by ring, file' page)" '0 1' \
		"SIGHUP${ignored:+, ignored as by nohup,} loses no report"
	works 'nor the file' json hup.json '$j->{ios}{read} > 0 &&
		('"${ignored:-0}"' ? $j->{jobs}[0]{run_ns} >= 2e9 : 1)'
done
kill -INT $long
wait $long

# ---- the records can't be read any more ----

# The program goes on, and ends when the report exists.
rm -f fault
cat >fault.sh <<'END'
"$@"
: >fault
while [ ! -e m.json ] && kill -0 $PPID; do sleep 0.1; done
"$@" && : >ended
exit 7
END
EPOLL_FAULT=fault LD_PRELOAD=$TW_BUILD/tests/fio/preload/epoll_fault.so \
	timeout -s KILL $hung_s "$tickwise" attach --interval=0 --json=m.json \
	--output=page -- sh fault.sh "$FIO" --name=m $(stock --filename=buffered \
	--io_size=2m --rw=read) >out 2>err
status=$?
ok "$([ "$status" = 7 ] && [ -e ended ]; echo $?)" \
	'attach fails in the middle: the program ends, and its exit code counts'
is "$(grep -c '^tickwise attach: the report ends after' err) $(wc -l <err)" '1 1' \
	'one line says so'
attached m.json 'near(512, found())' 'and the report has what was seen before'

# ---- programs of another user ----

# A user who may not trace root's processes. `own` and `root` are one program; the second
# is set-user-ID. Each reads its file in a ring that it makes, and in one that is there.
mkdir theirs
chmod 711 .
chmod 777 theirs
cp buffered theirs/hidden
cp buffered theirs/shown
cp "$kinds" theirs/own
cp "$kinds" theirs/root
cp "$(command -v id)" theirs/id
# The build may be in a folder that is closed to that user.
cp "$tickwise" "$(dirname "$tickwise")/tickwise-attach" theirs/
chmod 600 theirs/hidden
chmod 644 theirs/shown
chmod 755 theirs/own
chmod 4755 theirs/root theirs/id
cat >theirs/both.sh <<'END'
mkfifo hold
./root hidden registered <hold >ready &
exec 8>hold
until [ -s ready ]; do sleep 0.1; done
echo $$ >pid
until [ -e go ]; do sleep 0.1; done
exec 8>&-
./own shown >&2
./root hidden >&2
wait
END
as_theirs()
{
	(cd theirs && exec timeout -s KILL $hung_s setpriv --reuid=65502 --regid=65502 \
		--clear-groups --inh-caps=-all,+bpf,+perfmon,+syslog \
		--ambient-caps=-all,+bpf,+perfmon,+syslog "$@")
}
if [ -z "$rings" ] || [ "$(id -u)" != 0 ] || [ "$(as_theirs ./id -u 2>why)" != 0 ]; then
	skip "no set-user-ID program of root here: $(cat why)"
elif ! as_theirs test -x "$PWD/theirs/tickwise-attach"; then
	skip "another user can not reach $PWD"
else
	as_theirs sh both.sh 2>err &
	both=$!
	wait_for theirs/pid .
	as_theirs ./tickwise attach --json=z.json --output=page --interval=0.1 \
		"$(cat theirs/pid)" 2>err &
	attacher=$!
	wait_for theirs/page ' s, '
	: >theirs/go
	wait $both
	wait $attacher
	is $? 0 'a user follows a process that starts a set-user-ID program'
	attached theirs/z.json '(grep { $_->{file} =~ m|/shown$| } @busy) &&
		!grep { $_->{file} =~ /hidden/ } @rows and
		!grep { $_->{program} ne "own" } @{$j->{attached}{rings}}' \
		'it has the files of the user, and none of that program'
fi

# ---- direct I/O ----

find_disk
if [ -z "$disk" ]; then
	skip "direct I/O is not split here:$reasons"
	done_testing
fi
data=$disk/data
cp buffered "$data"
sync "$data"
# Each takes long enough for its events to be seen, also if some are missed in a row. Some
# fios (3.36, 3.39) can not sync with fixed buffers.
attach --interval=0 --json=g.json -- "$FIO" --name=g $(stock --filename="$data" \
	--io_size=16m --rw=randrw --direct=1 --iodepth=16 \
	--registerfiles=1 --fixedbufs=1) \
	--name=s $(stock --filename="$data" --io_size=256k --rw=randwrite --fsync=8)
attached g.json 'near(4096, sum("ios", row("read_fixed"), row("write_fixed"))) &&
	$j->{kernel_stages}{split}{read} > 0 && $j->{kernel_stages}{split}{write} > 0 &&
	sum("no_request", row("read_fixed"), row("write_fixed")) <= 2048 &&
	!$j->{kernel_stages}{split}{sync} && row("fsync")' \
	'direct I/O is split, and a sync is not'

attach --interval=0 --json=y.json -- "$FIO" --name=y $(stock --filename="$data" \
	--io_size=4m --rw=randrw --direct=1 --iodepth=4 --sync=1)
attached y.json 'sum("sync_write", row("write")) > 0 &&
	!sum("split", row("write")) && sum("split", row("read")) > 0 &&
	!grep { $_->{stages}{complete} || !$_->{stages}{blockq} } row("write")' \
	'a flush after a synchronous write is not in complete'

# ---- why an I/O was slow ----

# A loop and a fio share a CPU. The fio copies from the page cache nearly all of the
# time, so that an I/O has to wait each time when the loop gets the CPU, and the loop has
# the CPU for most of that wait. The file system is one that needs no worker threads of
# io_uring: these are not followed.
copies="--filename=$data --allow_file_create=0 --bs=1m --rw=read --invalidate=0
	--time_based --runtime=1 $shares --thread"
next_to_loop attach --causes --interval=0 --json=m.json --output=page -- "$FIO" --name=m \
	$(stock $copies)
causes_code=$status
named_pid=$loop_pid
# A user who may not trace root's processes does not see the loop.
set -- --reuid=65502 --regid=65502 --clear-groups --inh-caps=-all,+bpf,+perfmon,+syslog \
	--ambient-caps=-all,+bpf,+perfmon,+syslog
rm -f others/n.json
if [ "$(id -u)" = 0 ] && setpriv "$@" true 2>/dev/null; then
	mkdir others
	chmod 711 . "$disk"
	chmod 777 others
	chmod 644 "$data"
	as_other()
	{
		(cd others && timeout -s KILL $hung_s setpriv "$@")
	}
	next_to_loop as_other "$@" ../theirs/tickwise attach --causes --interval=0 --json=n.json \
		--output=page -- "$FIO" --name=n $(stock $copies) >others/out 2>others/err
fi
if [ -s err ] && grep -q 'no causes' err; then
	skip "$(cat err)"
else
	is "$causes_code" 0 'with --causes'
	json m.json 'use List::Util ();
		$j->{jobs}[0]{causes}{state} eq "on" && @{$j->{slowest}} &&
		!grep { my $c = $_->{causes}; exists $c->{ran_ns} &&
			List::Util::sum(map { $c->{$_ . "_ns"} } "ran", "waited",
				"interrupts", "woken_late", "asleep",
				"unexplained") != $_->{stages}{$c->{stage}} }
		@{$j->{slowest}}'
	ok $? 'each of the slowest has its causes, which add up to its longest stage'
	json m.json 'grep { $_->{kind} eq "process" && $_->{id} == '"$named_pid"' }
		map { @{$_->{causes}{had_cpu} // []} } @{$j->{slowest}}'
	ok $? 'a loop that has the CPU is named'
	"$tickwise" report --all m.json >whole.page
	works 'on the page, too' grep -qE '^          [0-9]+ % in [a-z+]+, ' whole.page
	is_valid report m.json
	if [ -s others/n.json ] && json others/n.json '@{$j->{slowest}}'; then
		json others/n.json 'my @had = map { @{$_->{causes}{had_cpu} // []} }
				@{$j->{slowest}};
			(grep { $_->{kind} eq "hidden" } @had) &&
			!grep { ($_->{id} // 0) == '"$loop_pid"' } @had'
		ok $? 'to another user it is not'
	else
		skip "no attach as another user here, or it can not read $data"
	fi
fi

tells_refusal 'tw_causes tw_attach' "$tickwise" attach --causes -- true

# In a container a process has another number than for the kernel.
if unshare --pid --fork --mount-proc true 2>why; then
	contained "$tickwise" attach --causes --interval=0 --json=c.json --output=page -- \
		"$FIO" --name=c $(stock $copies)
	json c.json 'grep { $_->{kind} eq "process" &&
			($_->{id} // 0) == '"$loop_pid"' }
		map { @{$_->{causes}{had_cpu} // []} } @{$j->{slowest}}'
	ok $? 'in a namespace of processes: it is named by its number there'
else
	skip "no namespace of processes: $(cat why)"
fi
done_testing
