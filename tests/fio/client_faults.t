#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Behaviour: whatever becomes of one host, tickwise run with --client has the whole reports of
# the others, names the host that is missing in one line, counts what was sent, received and
# broken, and ends as fio does. Defect: a report of another host is lost, a crash, a run without
# end, or a fault that is not told.
. "$(dirname "$0")/fio_tap.sh"
. "$root/tests/fio/server_tap.sh"

# processes PID: prints the process and all below it
processes()
{
	echo "$1"
	for child in $(ps -o pid= --ppid "$1"); do
		processes "$child"
	done
}

# another_server: starts one, in a folder of its own, and puts it at the end of the list; faults
# happen to this one
count=0
another_server()
{
	count=$((count + 1))
	at=at$count
	mkdir $at
	begin_server $at
	last=$server
	last_host="127.0.0.1,$port"
	echo "$last_host" >>three
}

# replace_server: ends the last one with all its processes, and starts another one
replace_server()
{
	# shellcheck disable=SC2046	# a list
	kill -9 $(processes $last)
	servers=${servers% *}
	sed -i '$d' three
	another_server
}

another_server
another_server
another_server

# soon COMMAND: waits until it succeeds, for a minute; false if it does not
soon()
{
	waited=0
	until eval "$1"; do
		sleep 0.1
		waited=$((waited + 1))
		[ $waited -lt 600 ] || return 1
	done
}

# job LINE...: makes a job that needs no drive
job()
{
	printf '[job]\nioengine=io_uring\nclocksource=clock_gettime\nrw=read\nsize=64k\n' >job.fio
	printf 'time_based=1\ntw_test_nop=1\n' >>job.fio
	printf '%s\n' "$@" >>job.fio
}

# begin ARGUMENT...: begins to run the job on the hosts; $runner is its process
begin()
{
	rm -rf ./*.tickwise.json at*/*
	"$tickwise" run --no-report --fio="$FIO" --engine="$TICKWISE_SO" "$@" job.fio \
		>out 2>err &
	runner=$!
}

# ends: waits for its end; sets $status
ends()
{
	soon '! kill -0 $runner 2>/dev/null || [ "$(ps -o stat= -p $runner | cut -c1)" = Z ]' || {
		shows err
		kill -9 $runner
	}
	wait $runner
	status=$?
}

# tells HOSTS SENT RECEIVED WHY...: passes if the numbers are these, all reports are whole and as
# in the hosts' own files, and one line has why
tells()
{
	grep -q " $1 hosts*: $2 reports* sent, $3 received, $(($2 - $3)) broken" err
	ok $? "$4: $2 sent, $3 received" || shows err
	is "$(find . -maxdepth 1 -name '*.tickwise.json' | wc -l)" "$3" 'each has a file'
	whole=0
	for report in ./*.tickwise.json; do
		[ "$3" = 0 ] || "$tickwise" report --json "$report" >/dev/null 2>&1 || whole=1
	done
	ok $whole 'which is whole'
	is "$(grep -c "^tickwise run: $last_host: $5" err)/$(grep -c "^tickwise run: [0-9.]*,[0-9]*: " err)" \
		1/1 'and one line names the host'
}

# A host that dies, with all its processes.
job runtime=3
begin --client=three --eta=never
soon '[ -e $at/job.0.0 ]'
# shellcheck disable=SC2046	# a list
kill -9 $(processes $last)
ends
[ $status != 0 ] && [ $status -lt 70 ]
ok $? "a host dies: the exit code is fio's"
tells 3 2 2 'a host dies' 'no report came'
replace_server 2>/dev/null

# stop_host: stops the last host, and what it starts meanwhile
stop_host()
{
	stopped=
	until [ "$stopped" = "$(processes $last)" ]; do
		stopped=$(processes $last)
		# shellcheck disable=SC2086	# a list
		kill -STOP $stopped 2>/dev/null
	done
}

# A host that hangs for a while, and one that hangs until fio is killed.
job runtime=3
begin --client=three --eta=never
soon '[ -e $at/job.0.0 ]'
stop_host
soon '[ "$(ls ./*.tickwise.json 2>/dev/null | wc -l)" = 2 ]'
kill -CONT $stopped
ends
is "$status $(grep -c '3 hosts: 3 reports sent, 3 received' err)" '0 1' \
	'a host hangs for a while: its report comes later'

begin --client=three --eta=never
soon '[ -e $at/job.0.0 ]'
stop_host
soon '[ "$(ls ./*.tickwise.json 2>/dev/null | wc -l)" = 2 ]'
kill -INT $runner
soon 'grep -q "fio waits for its hosts; a second SIGINT ends it" err'
ok $? 'a host hangs: the first SIGINT tells of the second one'
sleep 0.3
kill -0 $runner && kill -INT $runner
ends
is $status 137 'which kills fio'
tells 3 2 2 'a host hangs' 'no report came'
replace_server

# A client that is killed. Its jobs end by themselves.
job runtime=3 'exec_prerun=touch runs' tw_report=own
begin --client=three --eta=never
soon '[ "$(ls at*/runs 2>/dev/null | wc -l)" = 3 ]'
kill -9 "$(ps -o pid= --ppid $runner | xargs)"
ends
is $status 137 'the client is killed'
soon '[ "$(ls at*/own 2>/dev/null | wc -l)" = 3 ]'
ok $? 'the jobs end'
sleep 0.5
is "$(cat at*.out | grep -c tickwise-report:)" 0 "no report is in the servers' own output"
begin --client=three --eta=never
ends
is "$status $(grep -c '3 hosts: 3 reports sent, 3 received' err)" '0 1' \
	'and all servers take the next job'

# The client stops, while 32 jobs send.
job numjobs=32 runtime=300ms filename=shared tw_report=own
begin --client="$last_host" --eta=never
soon '[ -e $at/shared ]'
kill -STOP $runner
soon '[ "$(find $at -name "own.*" | wc -l)" = 32 ]'
ok $? 'the client stops: the jobs end'
kill -CONT $runner
ends
is "$status $(grep -c '1 host: 32 reports sent, 32 received, 0 broken' err)" '0 1' \
	'then all their reports come'
kill -0 $last
ok $? 'the server is still there'

# The engine is there when the job is prepared, but not on the hosts.
job runtime=200ms
cat >without <<END2
#!/bin/sh
case "\$*" in *--client=*) rm -f '$scratch/gone.so' ;; esac
'$FIO' "\$@"
echo \$? >'$scratch/code'
exit "\$(cat '$scratch/code')"
END2
chmod +x without
cp "$TICKWISE_SO" gone.so
rm -f ./*.tickwise.json
"$tickwise" run --no-report --fio="$scratch/without" --engine="$scratch/gone.so" \
	--client="$last_host" job.fio >out 2>err
is $? "$(cat code)" "a host without the engine: the exit code is fio's"
tells 1 0 0 'a host without the engine' 'no report came'
grep -q 'gone.so' out err
ok $? 'fio tells what it lacks'

# A server of another version of fio's protocol answers with its own number, in fio's frame: the
# sum of the header is a CRC-16 of its first 20 bytes.
cat >other.pl <<'END2'
use strict; use warnings; use IO::Socket::INET;
my $socket = IO::Socket::INET->new(LocalAddr => "127.0.0.1", Listen => 1) or die;
open my $file, ">", "other.port.new" or die;
print $file $socket->sockport;
close $file;
rename "other.port.new", "other.port";
my $client = $socket->accept;
my $header = pack "vvVVVV", 1, 1, 0, 0, 0, 0;
my $crc = 0;
for my $byte (unpack "C*", $header) {
	$crc ^= $byte;
	$crc = $crc & 1 ? $crc >> 1 ^ 0xa001 : $crc >> 1 for 1 .. 8;
}
$client->syswrite($header . pack "vv", $crc, 0);
1 while $client->sysread(my $bytes, 4096);
END2
perl other.pl &
other=$!
soon '[ -e other.port ]'
good=$last_host
last_host=127.0.0.1,$(cat other.port)
job runtime=200ms
begin --client="$good" --client="$last_host" --eta=never
ends
kill $other 2>/dev/null
tells 2 1 1 'another version' 'no report came'
grep -q 'version mismatch' out err
ok $? 'fio tells of it'
last_host=$good

# A link that goes down. The host is a network namespace.
space=tw$$
trap 'for server in $servers; do kill $server 2>/dev/null; done
	ip netns del $space 2>/dev/null; rm -rf "$scratch"' EXIT
address=10.253.$(($$ % 250 + 1))
if [ "$(id -u)" = 0 ] && ip netns add $space 2>/dev/null &&
	ip link add tw$$a type veth peer name tw$$b netns $space 2>/dev/null; then
	ip address add "$address.1/30" dev tw$$a
	ip link set tw$$a up
	ip -n $space address add "$address.2/30" dev tw$$b
	ip -n $space link set tw$$b up
	mkdir far
	(cd far && exec ip netns exec $space "$FIO" --server="$address.2,8765") >far.out 2>&1 &
	servers="$servers $!"
	far=$!
	soon 'ip netns exec $space grep -q ":223D [0:]* 0A" /proc/net/tcp'
	last_host=$address.2,8765
	job runtime=2
	begin --client="$good" --client="$last_host" --eta=never
	soon '[ -e far/job.0.0 ]'
	ip link set tw$$a down
	soon '[ "$(ls ./*.tickwise.json 2>/dev/null | wc -l)" = 1 ]'
	kill -9 "$(ps -o pid= --ppid $runner | xargs)"
	ends
	tells 2 1 1 'a link goes down' 'no report came'
	# shellcheck disable=SC2046	# a list
	kill -9 $(processes $far)
else
	skip 'a link that goes down: this needs root and network namespaces'
fi
last_host=$good

# A host whose disk is full: its folder has no room for a report. Its data is elsewhere.
mkdir full
cat >full_fio <<END2
#!/bin/sh
exec unshare -rm sh -c 'mount -t tmpfs -o size=4k tmpfs . && cd "\$PWD" && echo full >all &&
	exec "\$0" "\$@"' '$FIO' "\$@"
END2
chmod +x full_fio
if unshare -rm mount -t tmpfs tmpfs full 2>/dev/null; then
	job runtime=200ms "filename=$scratch/data"
	own_fio=$FIO FIO=$scratch/full_fio
	begin_server full
	FIO=$own_fio
	begin --client="$good" --client="127.0.0.1,$port" --eta=never
	ends
	is "$status $(grep -c '2 hosts: 2 reports sent, 2 received' err)" '0 1' \
		"a host's disk is full: its report comes, and the job is good"
else
	skip "a host's disk is full: no namespace of mounts here"
fi

# A full disk. Of three reports some have room.
cat >full.sh <<'END2'
mount -t tmpfs -o size=$1 tmpfs here || exit 77
cd here || exit 77
shift
"$@"
status=$?
cp ./*.tickwise.json .. 2>/dev/null
exit $status
END2
mkdir here
cp job.fio three "$scratch/here" 2>/dev/null
job runtime=200ms numjobs=3
rm -f ./*.tickwise.json
unshare -rm sh full.sh 16k "$tickwise" run --no-report --fio="$FIO" --engine="$TICKWISE_SO" \
	--client="$good" --eta=never "$scratch/job.fio" >out 2>err
status=$?
if [ $status = 77 ] || grep -q '^unshare' err; then
	skip "a full disk: $(tail -n 1 err)"
else
	came=$(sed -n 's/.* sent, \([0-9]*\) received.*/\1/p' err)
	is "$status" 0 "a full disk: the exit code is fio's"
	tells 1 3 "$came" 'a full disk' '.*No space left on device'
fi
done_testing
