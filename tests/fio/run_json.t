#!/bin/sh
# SPDX-License-Identifier: MIT
# Tests: core/command/run
#
# Behaviour: tickwise run adds the reports to the JSON of a real fio, and nothing
# else. fio's output is recorded once and given to tickwise run again, with its
# reports. Then fio itself runs. jq and fio's own tool read the result. Defect: a
# value of fio's that is changed or gone; a job without its report, or with
# another's; JSON that its readers refuse.
. "$(dirname "$0")/fio_tap.sh"

real=$FIO
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

# A fio that prints own.json again, and leaves the reports of that run as its own.
cat >again <<'END'
#!/bin/sh
case $1 in --enghelp=* | --cmdhelp=*) exec "$REAL" "$@" ;; esac
cat own.json
for file in own/*.json; do
	sed 's/"run": *"[0-9]*-/"run": "'$$-'/' "$file" >"./${file#own/}"
done
END
chmod +x again
REAL=$real
export REAL

# same: compares own.json and new.json, without the key tickwise of each job
same()
{
	perl -MJSON::PP -MScalar::Util=looks_like_number -e '
		sub read_json {
			local $/; open my $f, "<", $_[0] or die;
			my $text = <$f>; $text =~ s/\A(.*?)^(?=\{)//ms;
			my ($json, $used) = JSON::PP->new->decode_prefix($text);
			return [$1, $json, substr $text, $used];
		}
		sub differ {
			my ($a, $b, $at) = @_;
			return "$at: type" if ref $a ne ref $b;
			if (ref $a eq "HASH") {
				my ($x, $y) = map { join ",", sort keys %$_ } $a, $b;
				return "$at: $x / $y" if $x ne $y;
				return join "", map { differ($a->{$_}, $b->{$_},
					"$at.$_") } sort keys %$a;
			}
			if (ref $a eq "ARRAY") {
				return "$at: size" if @$a != @$b;
				return join "", map { differ($a->[$_], $b->[$_],
					"$at.$_") } 0 .. $#$a;
			}
			return "" if $a eq $b;
			return "" if looks_like_number($a) && $a == $b;
			return "$at: $a, $b\n";
		}
		my ($own, $new) = map { read_json($_) } @ARGV;
		delete $_->{tickwise} for @{$new->[1]{jobs}};
		print differ($own, $new, "");' own.json new.json
}

# jobs FILE: prints of each job of fio's which threads are added, and whether their
# I/Os are as many as fio's latencies
jobs()
{
	from_json "$1" 'print join " | ", map {
		my $job = $_;
		my $added = $job->{tickwise};
		my @reports = $added ? @$added : ();
		my %n = (read => 0, write => 0);
		for my $report (@reports) {
			$n{$_} += $report->{ios}{$_} for keys %n;
		}
		!$added ? "none" : join(" ", map { "$_->{jobs}[0]{name} " . join ",",
			sort map { $_->{thread_number} } @{$_->{jobs}} } @reports) .
			((grep { $n{$_} != $job->{$_}{lat_ns}{N} } keys %n) ?
				": other I/Os" : "")
		} @{$j->{jobs}}'
}

# take_down ARGUMENT...: records the JSON and the reports of a run of fio, for the
# next run
take_down()
{
	rm -rf own ./*.tickwise.json
	sed "s|=io_uring$|=external:$TICKWISE_SO|" job.fio >ours.fio
	timeout -s KILL $hung_s "$real" "$@" ours.fio >own.json 2>err
	code=$?
	mkdir own
	mv ./*.tickwise.json own
}

again()
{
	timeout -s KILL $hung_s "$tickwise" run --fio=./again --engine="$TICKWISE_SO" \
		job.fio "$@" >new.json 2>err
	status=$?
}

for arguments in --output-format=json --output-format=json+ \
		'--output-format=json --group_reporting' '--output-format=normal,json' \
		'--output-format=terse,json+,normal'; do
	# shellcheck disable=SC2086
	take_down $arguments
	# shellcheck disable=SC2086
	again $arguments
	is "$code $status" '0 0' "$arguments: fio, and tickwise run"
	wanted='a 1 | a 2 | none | c 4'
	# The first group of fio's also has the I/Os of b.
	case $arguments in *group*) wanted='a 1,2: other I/Os | c 4' ;; esac
	is "$(same)" '' "every key of fio's is equal, and its text"
	perl -0777 -ne 's/\A.*?^(?=\{)//ms; s/^\}\n.*/}\n/ms; print' new.json >only.json
	is "$(jobs only.json)" "$wanted" 'each job has its report'
done

# ---- fio itself ----

rm -f ./*.tickwise.json
timeout -s KILL $hung_s "$tickwise" run --engine="$TICKWISE_SO" job.fio \
	--output-format=json+ --output=out.json >out 2>err
is "$? $(jobs out.json) $(wc -c <out)" '0 a 1 | a 2 | none | c 4 0' 'into a file'
from_json out.json 'print JSON::PP->new->encode($j->{jobs}[0]{tickwise}[0])' >added.json
is_valid report added.json
if command -v jq >jq.path; then
	perl -0777 -pe 's/\A.*?^(?=\{)//ms' out.json >only.json
	is "$(jq -r '.jobs[3].tickwise[0].stages.lat.read.count ==
		.jobs[3].read.lat_ns.N' only.json)" true 'jq reads it'
else
	skip 'there is no jq'
fi
# Debian's fio does not bring the module that the tool needs.
if ! python3 -c 'import six' 2>six.err; then
	skip "fio's own tool needs python3-six"
elif command -v fio_jsonplus_clat2csv >tool.path; then
	is "$(fio_jsonplus_clat2csv out.json table.csv 2>&1 | grep -c generated)" 4 \
		"fio's own tool reads it"
else
	skip 'there is no fio_jsonplus_clat2csv'
fi
rm -f ./*.tickwise.json
timeout -s KILL $hung_s "$tickwise" run --engine="$TICKWISE_SO" job.fio \
	>out 2>err
is "$? $(grep -c '^a: .*, 2 jobs, ' out)" '0 1' 'text: the page is there'
[ "$(grep -n '^a: .*, 2 jobs, ' out | cut -d: -f1)" -gt \
	"$(grep -n 'Run status' out | tail -n 1 | cut -d: -f1)" ]
ok $? "behind all that fio printed"
done_testing
