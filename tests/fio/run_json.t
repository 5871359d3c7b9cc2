#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Behaviour: tickwise run adds the reports to the JSON of a real fio, each to its job,
# and jq and fio's own tool read the result. Defect: a job without its report, or with
# another's; JSON that its readers refuse; a report that is there and is called missing,
# as fio has another name of its job. unit/command/run/command_run_json.t checks that
# nothing else is changed.
. "$(dirname "$0")/fio_tap.sh"

export FIO
cat >job.fio <<'END'
[global]
ioengine=io_uring
filename=data
size=256k
bs=4k
iodepth=4
[a]
rw=randread
numjobs=2
[b]
rw=randwrite
ioengine=psync
[c]
stonewall
description=say "it" \ so
rw=randrw
fsync=8
END

# jobs: prints of each job of fio's which threads are added, and whether their I/Os are
# as many as fio's latencies
jobs()
{
	perl -0777 -pe 's/\A.*?^(?=\{)//ms; s/^\}\n.*/}\n/ms' out.json >only.json
	from_json only.json 'print join " | ", map {
		my $job = $_;
		my @reports = @{$job->{tickwise} // []};
		my %n = (read => 0, write => 0);
		for my $report (@reports) {
			$n{$_} += $report->{ios}{$_} for keys %n;
		}
		!@reports ? "none" : join(" ", map { "$_->{jobs}[0]{name} " . join ",",
			sort map { $_->{thread_number} } @{$_->{jobs}} } @reports) .
			((grep { $n{$_} != $job->{$_}{lat_ns}{N} } keys %n) ?
				": other I/Os" : "")
		} @{$j->{jobs}}'
}

# ran ARGUMENT...: runs it into out.json
ran()
{
	rm -f ./*.tickwise.json
	timeout -s KILL $hung_s "$tickwise" run --engine="$TICKWISE_SO" job.fio "$@" >out 2>err
	status=$?
}

ran --output-format=terse,json+,normal --output=out.json
is "$status $(jobs) $(wc -c <out)" '0 a 1 | a 2 | none | c 4 0' 'into a file'
from_json only.json 'print JSON::PP->new->encode($j->{jobs}[0]{tickwise}[0])' >added.json
is_valid report added.json
if command -v jq >jq.path; then
	is "$(jq -r '.jobs[3].tickwise[0].stages.lat.read.count ==
		.jobs[3].read.lat_ns.N' only.json)" true 'jq reads it'
else
	skip 'there is no jq'
fi
ran --output-format=json+
cp out out.json
is "$status $(jobs)" '0 a 1 | a 2 | none | c 4' 'json+, on standard output'
# Debian's fio does not bring the module that the tool needs.
if ! python3 -c 'import six' 2>six.err; then
	skip "fio's own tool needs python3-six"
elif command -v fio_jsonplus_clat2csv >tool.path; then
	is "$(fio_jsonplus_clat2csv only.json table.csv 2>&1 | grep -c generated)" 4 \
		"fio's own tool reads it"
else
	skip 'there is no fio_jsonplus_clat2csv'
fi
# The first group of fio's also has the I/Os of b.
ran --output-format=json --group_reporting --output=out.json
is "$status $(jobs)" '0 a 1,2: other I/Os | c 4' 'group_reporting'
# Names are not always what a job file has, nor JSON, and keys may be there twice.
cp job.fio plain.fio
{
	printf '[global]\nioengine=io_uring\nrw=read\nsize=64k\nbs=4k\n'
	printf '[{brace}]\nfilename=n0\nfilename=n1\nfilename=n2\n'
	# shellcheck disable=SC2016	# fio puts it in
	printf '["a" \\]\n[b]\nname=x$ncpus\n[c\377]\n[%0150d]\n' 0
} >job.fio
for output in '' --output=odd.json; do
	# shellcheck disable=SC2086	# none or one
	ran --output-format=json,normal $output
	cat out odd.json >text 2>/dev/null
	is "$status $(grep -c '^        "filename" : "n[012]"' text) $(perl -ne '
		$job = /\{brace\}/ ? 1 : /"a\\/ ? 2 : /x\d+"/ ? 3 : /\xff/ ? 4 : /0{120}/ ? 5 : 6
			if /^      "jobname"/;
		print "$job " if /^      "tickwise" : /' text)" '0 3 1 2 3 4 5 ' \
		"odd names, and a key three times: as they are, and none is missed $output"
done
printf '[bad]\nioengine=io_uring\nrw=read\nfilename=missing\nallow_file_create=0\n' >>job.fio
rm odd.json
ran --output-format=json --output=odd.json
is "$status $(head -c 4 odd.json) $(grep -c '^      "tickwise" : ' odd.json)" '1 fio: 5' \
	'an error in front'
cp plain.fio job.fio
ran
is "$status $(perl -ne '$run = $. if /Run status/; $page = $. if /^a.* on .* UTC: /;
	END { print $run < $page ? "behind" : "before" }' out)" '0 behind' \
	'text: the page is behind all that fio printed'
done_testing
