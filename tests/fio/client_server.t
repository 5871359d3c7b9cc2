#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Behaviour: jobs that a client sends to a fio server run there. The reports stay
# with the server, one for each job, also where two clients send jobs of the same
# name at the same time. The client gets the messages of the engine. Defect: a
# report lost, half written, overwritten by the other client's or left with the
# client; a server that takes no next job.
. "$(dirname "$0")/fio_tap.sh"

mkdir server client
cat >client/job.fio <<EOF
[c]
ioengine=external:$TICKWISE_SO
directory=$scratch/server
rw=randrw
bs=4k
size=256k
iodepth=4
numjobs=2
EOF

# Use a socket of the test's own: a port may belong to another program. On a busy
# machine the server takes a while until it listens.
socket=sock:$scratch/socket
(cd server && exec "$FIO" --server="$socket") >server.out 2>&1 &
server=$!
waited=0
while kill -0 $server 2>/dev/null && [ ! -S socket ] && [ $waited -lt 1200 ]; do
	sleep 0.1
	waited=$((waited + 1))
done
if [ ! -S socket ] || ! kill -0 $server 2>/dev/null; then
	kill $server 2>/dev/null
	wait $server
	server=
fi
trap '[ -z "$server" ] || kill $server; rm -rf "$scratch"' EXIT
if [ -z "$server" ]; then
	echo "1..0 # SKIP no fio server here: $(tail -n 1 server.out)"
	exit 0
fi

# send OUTPUT: sends the job from the client's folder
send()
{
	(cd client && timeout $hung_s "$FIO" --client="$socket" \
		--output-format=json --output="$1" job.fio) >"client.$1" 2>&1
}

send out.json
ok $? "a client's jobs run on the server"
cp client/out.json out.json
is "$(ls server/*.tickwise.json | wc -l)" 2 "two reports"
is "$(ls client)" "job.fio
out.json" "that stay with the server"
mv server/*.tickwise.json .
same_counts
ok $? "and count what fio tells the client"

rm -f ./*.tickwise.json
send one.json &
first=$!
send two.json
second_status=$?
wait $first
ok $? "two clients at once: the first"
ok $second_status "two clients at once: the second"
is "$(ls server/*.tickwise.json | wc -l)" 4 "each of their jobs has a report"
for report in server/*.tickwise.json; do
	json "$report" '$j->{ios}{read} + $j->{ios}{write} == 64'
	ok $? "it is whole: $(basename "$report")"
done

# The engine, on the server, refuses this when the job begins.
{
	grep -v '^numjobs' client/job.fio
	printf 'nrfiles=2\nopenfiles=1\nregisterfiles\n'
} >refused.fio
timeout $hung_s "$FIO" --client="$socket" refused.fio >refused.out 2>&1
grep -q 'tickwise: c: registerfiles needs' refused.out
ok $? "the client is told why the engine refuses a job"
! grep -q 'tickwise: c:' server.out
ok $? "and not the server's own output"
kill -0 $server
ok $? "the server is still there"
done_testing
