#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Behaviour: the page of several hosts tells each fact in which they differ, with the hosts, and
# which of them began or ended apart from the others by their own clocks. Defect: a difference is
# not told or is of another host; equal hosts seem to differ; rows of hosts are missing if there
# are several groups.
. "$(dirname "$0")/../../../tap.sh"

cd "$scratch" || exit 1

# host NAME PERL: writes NAME.json, the report of a job on this host. PERL changes the report $r
# with its job $j, machine $m and device $d.
host()
{
	perl "$root/tests/device_reports.pl" name=same "host=$1" 8:0,sda,100000,300000 |
		perl -MJSON::PP -0777 -e 'my ($host, $change) = @ARGV;
			my $r = decode_json(<STDIN>);
			$r->{machines} = [{ host => $host, kernel => "6.1", cpu => "x" }];
			my ($j, $m, $d) = map { $_->[0] } @{$r}{qw(jobs machines devices)};
			eval $change; die $@ if $@;
			print JSON::PP->new->canonical->encode($r)' \
			"$1" "$2" >"$1.json"
}

# tells TEXT DESCRIPTION FILE...
tells()
{
	tells_text=$1 tells_why=$2
	shift 2
	run report --merge-hosts "$@"
	tr -s ' \n' ' ' <"$out" >text
	has text "$tells_text" "$tells_why"
}

for name in h1 h2 h4 h5 h6; do
	host $name ''
done
run report --merge-hosts h1.json h2.json
grep -q 'hosts differ\|not together' "$out"
[ $? = 1 ]
ok $? 'of equal hosts nothing is told'
has "$out" 'odd: none of 2 hosts' 'each has a row'
run report h1.json h2.json
has "$out" 'their sum: report --merge-hosts' 'without --merge-hosts it is named'

host h3 '$m->{kernel} = "6.8"; $d->{scheduler} = "none"'
tells 'hosts differ in kernel: 6.1 on h1, h2; 6.8 on h3 ' 'which has which kernel' h[123].json
has text 'hosts differ in scheduler: unknown on h1, h2; none on h3 ' \
	'a fact that some hosts do not tell is a difference'
tells 'kernel: 6.1 on h1, h2, h4 and 2 more; 6.8 on h3 ' 'a long list is cut' h?.json
host h3 '$d->{scheduler} = "none"; $d->{model} = "B"; $r->{counter}{verdict} = "undecided";
	$j->{fio_version} = "fio-3.33"; $j->{tickwise_version} = "8"; $j->{kernel} = { state => "on" }; $m->{governor} = "a"'
host h2 '$d->{scheduler} = "bfq"; $d->{model} = "A"; $m->{governor} = "b";
	$j->{kernel} = { state => "off", why => "x" }'
tells 'hosts differ in governor: unknown on h1; b on h2; a on h3 ' 'the governor' h[123].json
has text 'hosts differ in scheduler: unknown on h1; bfq on h2; none on h3 ' 'the scheduler'
grep -q 'hosts differ in Tickwise: [^;]* on h1, h2; 8 on h3 ' text
ok $? 'the version of Tickwise'
has text 'hosts differ in drive: unknown on h1; A on h2; B on h3 ' 'the drive'
has text 'hosts differ in stages inside the kernel: no on h1, h2; yes on h3 ' 'the stages'
has text 'hosts differ in counter: reliable on h1, h2; undecided on h3 ' 'the verdict'

host h2 ''
host h3 '$j->{start} += 4000000; $j->{start} .= ""'
tells "not together, by the hosts' own clocks, if these agree: h3 began 4 ms after h1" \
	'one that began later' h[123].json
has text "after h1, h1 ended 4 ms before h3, h2 ended 4 ms before h3" 'so the others ended earlier'
host h3 '$j->{start} += 100000; $j->{start} .= ""'
run report --merge-hosts h[123].json
has_not "$out" 'not together' 'a little later is together'
# Seven seconds, and thus no sum.
host h3 '$j->{start} += 7000000000; $j->{start} .= ""'
tells "h3 began 7 s after h1" 'or so much later that there is no sum' h[123].json

for name in h1 h2 h3; do
	host $name '$j->{run} = "c"'
done
host h3 '$j->{run} = "c"; $j->{start} += 7000000000; $j->{start} .= ""'
tells 'same on h1 and 2 more, ' 'but hosts that share a run have a sum' h[123].json
has text "h3 began 7 s after h1" 'and that they did not run together is told, too'

host h1 ''
host h2 ''
host h3 ''
for name in h1 h2 h3; do
	sed 's/"groupid":0/"groupid":1/; s/"thread_number":1/"thread_number":2/
		s/"name":"same"/"name":"second"/' $name.json >${name}_second.json
done
tells 'second, by host: lat host: read ' 'of several groups each has a row for each host' \
	h[123].json h?_second.json

# verdict_is VERDICT DESCRIPTION [PERL [LAST]]: of a job of h1 that ended before the last one, whose
# report PERL changes; LAST changes that of the last one
verdict_is()
{
	host h1 '$j->{run} = "c"; $j->{thread_number} = 2; $r->{counter} = { reasons => [],
		verdict => "reliable" };'"${4-}"
	mv h1.json last.json
	host h1 '$j->{run} = "c"; $r->{counter} = { verdict => "undecided",
		reasons => [{ code => "end_cpus_not_compared", text => "x" }] };'"${3-}"
	run report --json --merge-hosts h1.json last.json
	is "$(perl -0777 -ne 'print((sort /"verdict": *"(\w+)"/g)[-1])' "$out")" "$1" "$2"
}
verdict_is reliable 'the last job tells of the CPUs for those before it'
verdict_is undecided 'not for one of another run' '$j->{run} = "d"'
verdict_is undecided 'not if the last one did not compare all' '' \
	'$r->{counter}{verdict} = "undecided";
	push @{$r->{counter}{reasons}}, { code => "end_cpus_not_covered", text => "y" }'
verdict_is undecided 'not if something else is open' \
	'push @{$r->{counter}{reasons}}, { code => "cpus_not_covered", text => "y" }'
done_testing
