#!/bin/sh
# SPDX-License-Identifier: MIT
#
# tickwise run with --client gives each host copies of its own job files, with a token that no
# other one has, and takes the reports out of what fio prints. Fails if a host gets no job or
# another one's, if two have one token, if fio's output changes, if a missing report is not
# told, or if the exit code is not fio's.

. "$(dirname "$0")/../../../tap.sh"
. "$(dirname "$0")/../../../report_files.sh"
. "$(dirname "$0")/run_fake.sh"

FAKE_JOBS=
printf '[a]\nioengine=io_uring\n[b]\nioengine=io_uring\nnumjobs=2\n' >job.fio
printf '[c]\nioengine=io_uring\n' >other.fio
write_report full.json name=a

# jobs_of FIO'S ARGUMENT...: prints each host with the sections that it got
jobs_of()
{
	fio_run "$@"
	number=0
	while read -r argument; do
		case $argument in
		--client=*) printf '%s ' "${argument#--client=}" ;;
		-*) ;;
		*)	number=$((number + 1))
			sed -n 's/^\(\[.*\]\)$/\1/p' "$seen/$number" | tr '\n' ' ' ;;
		esac
	done <"$seen/arguments"
}

is "$(jobs_of --client=one job.fio)" 'one [a] [b] ' 'a host and its job'
is "$(jobs_of --client=one --client=two,8766 job.fio)" 'one [a] [b] two,8766 [a] [b] ' \
	'two hosts share a job file'
is "$(jobs_of job.fio -Cone --cli ip6:::1)" 'one [a] [b] ip6:::1 [a] [b] ' \
	'also one in front of them'
is "$(jobs_of --client=one other.fio --client=two job.fio other.fio)" \
	'one [c] two [a] [b] [c] ' 'or each has its own'
printf 'one two,8766\n\n three\n' >list
is "$(jobs_of --client=list other.fio)" 'one [c] two,8766 [c] three [c] ' 'a list of hosts'
is "$(jobs_of --client=one --eta=never other.fio --client=two job.fio)" 'one [c] two [a] [b] ' \
	'a job file after another argument is for hosts without one'
is "$(jobs_of job.fio --client=one --client=two other.fio)" 'one [a] [b] two [c] ' \
	'also one in front'

is "$(jobs_of --client=list --section=c other.fio)" 'one [c] two,8766 [c] three [c] ' \
	'fio sends --section to a list'

fio_run --client=one --client=two --eta=never job.fio
is "$(grep -c '^tw_send=[0-9a-f]\{32\}$' "$seen/1") $(grep -h '^tw_send' "$seen/1" "$seen/2" |
	sort -u | wc -l)" '2 2' 'each job has its token, which is another one on each host'
is "$(grep -c "^ioengine=external:$engine" "$seen/2")" 2 "and Tickwise's engine"
is "$(grep -c '^tw_report=none$' "$seen/2")" 2 'and leaves no file on its host'
{ printf '[global]\ntw_report=x\n' && cat other.fio; } >own.fio
fio_run --client=one own.fio
is "$(grep -c '^tw_report' "$seen/1") $(grep -c '^tw_send=' "$seen/1")" '1 1' \
	'unless its job file has a tw_report'
fio_run --client=one --client=two --eta=never job.fio
is "$(grep -c '^--eta=never$' "$seen/arguments")" 1 "fio gets its other arguments"

printf '[m]\nioengine=external:/x/tickwise-memory.so\n' | cat - other.fio >memory.fio
fio_run --client=one memory.fio
has "$err" '[m] on tickwise-memory sends no report: it stays on the hosts' 'of memory that is told'

# send.pl SEEN FILE: prints the report for the host of this copy
cat >send.pl <<'END'
use strict; use warnings;
use Compress::Zlib; use MIME::Base64;
my ($token) = grep /^tw_send=/, do { open my $f, "<", $ARGV[0] or die; <$f> } or exit;
$token =~ s/tw_send=|\n//g;
my $json = do { local $/; open my $f, "<", $ARGV[1] or die; <$f> };
my $bytes = compress($json);
printf "tickwise-report:%s:%d:%08x:%s\n", $token, length $bytes, crc32($bytes),
	encode_base64($bytes, "");
END
if ! perl -c send.pl 2>/dev/null; then
	skip "perl's Compress::Zlib is not there"
	done_testing
	exit
fi
# shellcheck disable=SC2016	# in the fake
FAKE_DO='printf "<box> "; perl send.pl "$SEEN/1" full.json; echo more'
fio_run --client=one --client=two job.fio
is "$status $(tr '\n' ' ' <"$out")" "0 fio's output more " "fio's output without the report"
is "$(ls ./*.tickwise.json | wc -l)" 1 'which is a file'
grep -q '"host": "one"' ./one.*.1.*.tickwise.json
ok $? 'of the host'
has "$err" '2 hosts: 1 report sent, 1 received, 0 broken' 'the numbers are told'
has "$err" 'tickwise run: one: 2 of 3 reports did not come' 'what is missing'
has "$err" 'tickwise run: two: no report came: ' 'and a host without any'
rm -f ./*.tickwise.json

page='' fio_run --client=one job.fio
is "$(tail -n 1 "$out")" '1 host: 1 report sent, 1 received, 0 broken' \
	'they are below the page'
is "$(sed -n '/^$/{n;p;q;}' "$out")" 'one: 2 of 3 reports did not come' \
	'what is missing is above it'
grep -q '^read ' "$out"
ok $? 'which is there'
has "$err" 'tickwise report --all --merge-hosts one.' 'and how to read it again'
rm -f ./*.tickwise.json

for bytes in 409600 '"18446744073709551615"'; do
	sed "s/\"ios\": {/\"bytes\": {\"read\": $bytes, \"write\": 0, \"trim\": 0}, &/" full.json \
		>"$(echo $bytes | tr -d \")"
done
# shellcheck disable=SC2016	# in the fake
FAKE_DO='perl send.pl "$SEEN/1" 409600; perl send.pl "$SEEN/2" 18446744073709551615'
page='' fio_run --client=one --client=two job.fio
is "$status $(grep -c '^read .*100' "$out")" '0 1' 'a host with too large numbers: the page of the others'
has "$out" 'two: 2 of 3 reports did not come; 1 of 1 report broken, the last one: its numbers are too' \
	'and a line'
rm -f ./*.tickwise.json

# shellcheck disable=SC2016	# in the fake
FAKE_DO='file=$(sed -n "s/^--output=//p" "$SEEN/arguments")
	{ perl send.pl "$SEEN/2" full.json; echo in file; } >"$file"'
fio_run --client=one --client=two --output=file job.fio
is "$(tr '\n' ' ' <"$out")$(cat file)" "fio's output in file" 'a report in the file of --output'
is "$(grep -c -e '--output' "$seen/arguments") $(head -n 1 "$seen/arguments" | cut -c1-24)" \
	'1 --output=/proc/self/fd/1' 'servers do not get that option'
rm -f ./*.tickwise.json file
for output in '-mo file' -mofile; do
	# shellcheck disable=SC2086	# words
	fio_run --client=one $output job.fio
	is "$(grep -v '^/proc' "$seen/arguments" | xargs | sed 's/[0-9]* /N /')" \
		'--output=/proc/self/fd/N --client=one -m' "$output: fio gets the other letter"
	rm file
done
fio_run -mCone job.fio
is "$(grep -v '^/proc' "$seen/arguments" | xargs)" '-m --client=one' 'also in front of a host'
# shellcheck disable=SC2016	# in the fake
FAKE_DO='file=$(sed -n "s/^--output=//p" "$SEEN/arguments")
	{ perl send.pl "$SEEN/1" full.json; echo in file; } >"$file"'
page='' fio_run --client=one --output=/dev/full job.fio
is "$status $(grep -c '^read ' "$out")" '74 1' 'a full disk: the page is printed, and it is an error'
has "$err" '--output=/dev/full: it is not whole: No space left on device' 'which is told'
FAKE_DO=
rm -f ./*.tickwise.json
FAKE_EXIT=3 fio_run --client=one job.fio
is "$status" 3 "the exit code is fio's"
rm -f ./*.tickwise.json

FAKE_DO=
refuses 64 '--interval: not with --client' --client=one --interval=1s job.fio
{ cat other.fio; echo tw_interval=1s; } >interval.fio
refuses 65 'interval.fio:3: tw_interval: not with --client' --client=one interval.fio
refuses 64 '--section: only behind the one --client' --section=a --client=one job.fio
refuses 64 '--section: only behind the one --client' --client=one --client=two --section=a job.fio
refuses 64 '--section: only behind the one --client' --client=one --section=a job.fio --client=two other.fio
refuses 64 '--ab: not with --client' --client=one --ab=a --ab=b job.fio
refuses 64 'are in job files' --client=one --name=x --ioengine=io_uring
refuses 64 '--client=two: no job file' --client=one job.fio --client=two
refuses 64 'fio runs one job file on hosts' --client=one --eta=never job.fio other.fio
refuses 64 'fio runs one job file on hosts' --client=list job.fio other.fio
refuses 64 'no host runs this job file' --client=one job.fio --eta=never other.fio
refuses 64 'is given twice' --client=one --client=one job.fio
: >list
refuses 64 'no list of hosts' --client=list job.fio
echo job.fio >list
refuses 64 'no list of hosts' --client=list job.fio
done_testing
