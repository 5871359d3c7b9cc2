#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Behaviour: with tw_send=, the report of a job under a fio server is in what fio's client
# prints, in every format, and `tickwise report` finds it there: the same numbers as in the
# server's own files. Without it, one short line tells where the report is. Defect: a report
# lost, changed, sent twice or put on the server's own output; a job that fails because of it;
# broken reports that are not counted.
. "$(dirname "$0")/fio_tap.sh"
. "$root/tests/fio/server_tap.sh"

mkdir server client
begin_server server

# make_job LINE...
make_job()
{
	cat >client/job.fio <<-EOF2
	[c]
	ioengine=external:$TICKWISE_SO
	directory=$scratch/server
	rw=randrw
	bs=4k
	size=256k
	iodepth=4
	numjobs=2
	EOF2
	printf '%s\n' "$@" >>client/job.fio
}

# send ARGUMENT...: runs the job on the server; saved is what the client prints
send()
{
	rm -f server/*.json
	(cd client && timeout $hung_s "$FIO" --client="127.0.0.1,$port" "$@" job.fio) \
		>saved 2>send.err
}

# sums FILE...: prints counts and times of the merged reports
sums()
{
	"$tickwise" report --json "$@" 2>sums.err |
		perl -MJSON::PP -e 'for (<STDIN>) {
			my $r = decode_json($_);
			print JSON::PP->new->canonical->encode(
				[$r->{ios}, $r->{bytes}, $r->{stages}, $r->{over_time}]), "\n"; }'
}

marks()
{
	grep -c 'tickwise-report:' "$1"
}

for format in normal json json+ terse; do
	make_job tw_send=Ab1
	send --output-format=$format
	ok $? "$format: the jobs run"
	is "$(marks saved)" 2 "$format: each sends one report"
	is "$(sums saved)" "$(sums server/*.json)" "$format: with the numbers of the server's file"
	sums saved >/dev/null
	is "$(cat sums.err)" \
		"tickwise: saved: in this output of fio: 2 reports sent, 2 received, 0 broken" \
		"$format: the numbers of reports are told"
done
[ "$(sums saved | wc -c)" -gt 1000 ]
ok $? 'the sums are not empty'
mv server/*.json .

make_job tw_send=1 thread=1
send --output-format=json --output=../saved.json
is "$(marks saved.json)" 2 'threads send, too, and to the file of --output'
is "$(sums saved.json)" "$(sums server/*.json)" 'with the same numbers'
perl -MJSON::PP -0777 -ne 's/\A.*?^(?=\{)//ms; decode_json($_)' saved.json
ok $? "fio's JSON is whole behind them"
json "$(find server -name '*.1.*.json')" '!exists $j->{options}{tw_send} &&
	!exists $j->{jobs}[0]{options}{tw_send}'
ok $? 'the token is in no report'

make_job tw_send=1 tw_report=none
send
is "$(marks saved) $(find server -name '*.json' | wc -l)" '2 0' \
	'with tw_report=none the report is sent, and in no file'
sums saved >/dev/null
grep -q ' 2 received, 0 broken' sums.err
ok $? 'and is good'

make_job
send
is "$(marks saved)" 0 'without tw_send no report is sent'
is "$(grep -c 'tickwise: report on the server: .*\.json; tw_send=1 sends it$' saved)" 2 \
	'but a line tells where it is'
[ "$(grep -o 'tickwise: report .*' saved | awk '{ print length }' | sort -n | tail -n 1)" -lt 120 ]
ok $? 'which is short'
make_job tw_report=none
send
is "$(grep -c 'tickwise: report' saved)" 0 'without a report there is no such line'

# Of a large report, what is sent has fewer windows. The job runs for half a second: on a busy
# machine the I/Os of a shorter one are all in a few windows.
make_job tw_send=1 tw_digits=5 size=32m rate_iops=8000,8000
send
perl -MMIME::Base64 -MCompress::Zlib -MJSON::PP -ne 'print "$1 ", scalar
	@{decode_json(uncompress(decode_base64($1)))->{over_time}{windows}}, "\n"
	if /tickwise-report:1:\d+:\w+:(\S+)/' saved 2>/dev/null | while read -r text windows; do
	echo "${#text} $windows"
done >lengths
if [ -s lengths ]; then
	[ "$(sort -n -k2 lengths | tail -n 1 | cut -d' ' -f2)" -le 32 ]
	ok $? "a large report is sent with few windows" || shows lengths
else
	skip "perl's Compress::Zlib is not there"
fi
json "$(find server -name '*.1.*.json')" '@{$j->{over_time}{windows}} > 32 &&
	$j->{stages}{lat}{read}{digits} == 5'
ok $? 'its file has all'
is "$("$tickwise" report --json saved 2>/dev/null | perl -MJSON::PP -ne 'my $r = decode_json($_);
		print $r->{stages}{lat}{read}{sum_ns}')" \
	"$("$tickwise" report --json server/*.json | perl -MJSON::PP -ne 'my $r = decode_json($_);
		print $r->{stages}{lat}{read}{sum_ns}')" 'and the sums are the same'
make_job tw_send=1
send
json "$(find server -name '*.1.*.json')" '$j->{stages}{lat}{read}{digits} == 2'
ok $? 'histograms have two digits'
make_job
send
json "$(find server -name '*.1.*.json')" '$j->{stages}{lat}{read}{digits} == 3'
ok $? 'without tw_send three'

make_job 'tw_send=a:b'
send
grep -q 'tw_send=a:b: it has other characters than letters and digits' saved
ok $? 'a wrong token is refused'

# Numbers near 2^64 in one report leave none to the others. A day at depth 1024 has sums of 9e16.
make_job tw_send=1
send
# claims BYTES: makes the output whose first report has that many
claims()
{
	perl -MMIME::Base64 -MCompress::Zlib -spe 's{(tickwise-report:1):\d+:\w+:(\S+)}{
		my ($mark, $json) = ($1, uncompress(decode_base64($2)));
		$json =~ s/("bytes": \{"read": )\d+/$1"$bytes"/ unless $done++;
		my $packed = compress($json);
		sprintf "%s:%d:%08x:%s", $mark, length $packed, crc32($packed), encode_base64($packed, "")
	}e' -- -bytes="$1" saved >large 2>/dev/null
}
if claims 18446744073709551615 && [ -s large ]; then
	"$tickwise" report large >page 2>err
	is "$? $(grep -c '^read ' page)" '65 1' 'of a report that counts too much the others are shown'
	has err '2 reports sent, 1 received, 1 broken: its numbers are too large' 'which is told'
	claims 90000000000000000
	"$tickwise" report large >page 2>err
	is "$? $(grep -c '2 reports sent, 2 received' err)" '0 1' 'one that counts much is shown'
else
	skip "perl's Compress::Zlib is not there"
fi

# The file ends within the second report.
make_job tw_send=1
send
grep -m 1 tickwise-report: saved >one
sums one >/dev/null
is "$(cat sums.err)" \
	"tickwise: one: in this output of fio: 1 report sent, 1 received, 0 broken" 'one is no plural'
perl -0777 -pe 's/(tickwise-report:.*tickwise-report:[^\n]{200}).*/$1/s' saved >cut
"$tickwise" report cut >page 2>err
is $? 65 'a report that is cut off is an error'
is "$(cat err)" "tickwise: cut: in this output of fio: 2 reports sent, 1 received, \
1 broken: it is cut off" 'which is told'
grep -q '^read ' page
ok $? 'and the other one is shown'
sed 's/tickwise-report:1:/&9/' saved >all
"$tickwise" report all >page 2>err
is "$? $(cat page)" '65 ' 'without any report nothing is shown'
"$tickwise" diff saved cut >page 2>err
is $? 65 'a comparison without a report is refused'

is "$(grep -c tickwise server.out)" 0 "the server's own output has nothing of this"
kill -0 $server
ok $? 'the server is still there'
done_testing
