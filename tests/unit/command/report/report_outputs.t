#!/bin/sh
# SPDX-License-Identifier: MIT
# Tests: core/command/analysis
#
# What --html, --trace and --percentiles write, of any report: well-formed HTML that asks
# for nothing from outside, slices that nest or stay apart, names that are no path. No
# text of a report becomes markup or moves a cursor. What can't be written is told, and the
# page is printed. tests/golden/report.t has whole files.
. "$(dirname "$0")/../../../tap.sh"
. "$(dirname "$0")/../../../well_formed.sh"
. "$(dirname "$0")/../../../report_files.sh"

cd "$scratch" || exit 1
case $tickwise in /*) ;; *) tickwise=$OLDPWD/$tickwise ;; esac
escape=$(printf '\033')
write_report one.json
write_report all.json split=all
write_full full.json

# ---- any text ----
# Each text of a full report has markup and bytes that control a terminal.
cat >cases <<'CASES'
full @ one.json
	my $bad = "<script>alert(1)</script>&amp;'\"]]>\e[2J\x{9b}2J\n\x{7f}";
	$j->{$_} .= $bad for qw(name host run fio_version engine);
	$r->{machines}[0]{$_} .= $bad for qw(host cpu kernel hypervisor governor clocksource);
	$r->{devices}[0]{$_} .= $bad for qw(host name model scheduler write_cache);
	$r->{devices}[0]{members} = [$bad]; $r->{options}{$bad} = $bad;
	$r->{files}[0]{$_} .= $bad for qw(host path filesystem); $s->[0]{ddir} = $bad;
	$r->{counter} = { verdict => "unreliable", reasons => [{ code => "x", text => $bad }] };
	$_->{against} = $bad for values %{$r->{clocks}}; $r->{clocks}{fio}{clocksource} = $bad;
	$r->{clocks}{tickwise}{source} = $bad; $r->{stages}{$bad} = {};
	my $t = $r->{triggers}[0]; $t->{events}[0]{$_} .= $bad for qw(task event args);
	$s->[1]{in_flight_of_others}{who}{name} .= $bad; $r->{in_flight_of_others}[0]{who}{name} .= $bad;
	$r->{in_flight_of_others}[0]{kind} .= $bad; $s->[0]{causes}{had_cpu}[0]{name} .= $bad; $s->[0]{causes}{stage} = $bad;
	delete $r->{attached}
full
	my $bad = "<b>&amp;'\"]]>\e[2J\x{9b}2J\n"; my $a = $r->{attached};
	@{$a->{operations}[0]}{qw(operation file)} = ($bad, $bad); $s->[0]{file} = $bad;
	$a->{rings}[0]{program} = $bad; $a->{others}{$bad} = 7; $j->{name} = $bad
full @ one.json
	$j->{name} = "\x{1}x\x{ffff}\x{85}"; $j->{run_ns} = 0; $j->{groupid} = 3;
	@{$r->{clocks}{fio}}{qw(error_ns error_ppb)} = (-1e300, 1e300); delete $r->{attached}
one
	$r->{errors}{write} = 7
CASES
changes <cases
while read -r number arguments && read -r text; do
	changed "$number" --html=page.html --trace=trace "$arguments"
	is "$status$(cat "$err")" 0 "case $number"
	well_formed page.html "case $number"
	! grep -q "$escape" "$out" page.html
	ok $? 'no escape'
	is "$(grep -cE "<script|$(printf '\302\233')|[=\"LM ](-?nan|-?inf)" page.html)" 0 \
		'no markup, no coordinate that is no number'
	is "$(grep -oE '(src|href|url|@import)[=(][^ >]*' page.html | grep -v '^href="#part')" '' \
		'nothing is asked from outside'
	has page.html "default-src 'none'" 'and the page forbids itself to ask'
	perl -MJSON::PP -0777 -e 'JSON::PP->new->decode(<STDIN>)' <trace
	ok $? 'the trace is JSON'
done <changes/list
bytes=$(printf 'b\233%s[2J.json' "$escape")
cp all.json "$bytes"
run report --all "$bytes"
is "$(grep -c 'report  *b??\[2J.json' "$out")" 1 'nor does the name of a file'
rm "$bytes"
run report "$bytes"
is "$status $(grep -c "b??\[2J.json: No such" "$err")" '66 1' 'also in a message'
# A row has one of TW_PLOT_COLORS. Each is for light and dark, lines and areas.
colors=$(sed -n 's/^#define TW_PLOT_COLORS[^0-9]*//p' "$root/core/command/output/page.h")
lacking=
for i in $(seq 0 $((${colors:?} - 1))); do
	[ "$(grep -o -e "--c$i:#" page.html | wc -l)" -eq 2 ] &&
		grep -qF ".s$i{stroke:var(--c$i)" page.html &&
		grep -qF ".f$i{fill:var(--c$i)" page.html || lacking="$lacking $i"
done
is "$lacking" '' 'the style has each colour'
run report --html=page.html all.json
is "$(grep -o '<path class="s[0-9]*" d="M0 5H28"' page.html | sort -u | wc -l)" 8 \
	'each row has a colour of its own'

# ---- the top of a page: of several jobs, which the golden page does not have ----
write_report slow.json name=slow group=1 slow=100000 deliver=99000
write_report fast.json name=fast split=all
# top_of PAGE: prints its title, its first sentence, and the names and labels of the bars
top_of()
{
	perl -0777 -ne 's/<h2.*//s; print "$1\n" while
		/<(?:h1|p|p class="row"|text [^>]*)>([^<]*)<\/(?:h1|p|text)>/g' "$1"
}
run report --html=page.html slow.json fast.json
is "$(top_of page.html | sed '2,/^fast$/d')" 'slow, fast on box, 2023-11-14 22:13 UTC
slow, read: mean 1.179 us
kernel
12 %
stage deliver: 86 %
fast, read: mean 189 ns
device
43 %
odd: none of 2 jobs, by a factor only' 'several jobs are compared in one plot'
run report --html=page.html fast.json
is "$(top_of page.html | head -n 3)" 'fast on box, 2023-11-14 22:13 UTC
iodepth 32, 10 s
read, mean: 189 ns, of 100 I/Os' 'of one job its own parts, and no sentence before them'
perl -pe 's/"options": \{/$&"verify": "sha512", / or s/"name": "fast",/$& "options": {"verify": "sha512"},/' \
	fast.json >verify.json
run report --html=page.html verify.json
has page.html 'deliver: fio verifies each I/O (verify=sha512)' 'why deliver is large'
write_report cached.json name=cached group=1 split=all kernel="$(on_or_off)" \
	kernel_stages="$(on_of 1 99 0 0)" run='"options": {"direct": "1"},'
for files in cached.json 'cached.json slow.json'; do
	# shellcheck disable=SC2086
	run report --html=page.html $files
	is "$(perl -0777 -ne 's/<(figure|table).*//s; print /did not reach the device/ + 0' page.html)" 1 \
		"$files: a warning comes before the figures and the bars"
	is "$(grep -c 'did not reach the device' page.html)" 1 "$files: and only once"
done
rm cached.json
# with_wait NS: prints the first share of the slowest, if the slowest read of 8 us may have waited
# for a CPU that long
with_wait()
{
	perl -MJSON::PP -0777 -e 'my $j = JSON::PP->new->decode(<STDIN>);
		$j->{slowest} = [{ offset => 0, size => 4096, ddir => "read", job => 0,
			monotonic_ns => "8", waited_at_most_ns => $ARGV[0] + 0, stages => {
			queue => 1000, kernel => 1000, deliver => 6000, lat => 8000 } }];
		print JSON::PP->new->encode($j)' "$1" <fast.json >wait.json
	run report wait.json
	tr '\n' ' ' <"$out" | sed -n 's/.*time of the slowest read (8.000 us): \([^;]*\);.*/\1/p'
}
is "$(with_wait 5000)" 'up to 63 % in deliver, waiting for a CPU' \
	'the cause of most of the time of the slowest'
is "$(with_wait 3500)" 'up to 44 % in deliver, waiting for a CPU' \
	'also a cause of less than half'

# An I/O of an open loop was due long before its turn came: an earlier one was slow.
for causes in '' ', "causes": {"stage": "kernel", "ran_ns": 1000,
		"waited_ns": 0, "interrupts_ns": 0, "woken_late_ns": 0, "asleep_ns": 0,
		"unexplained_ns": 0, "since_interrupt_ns": 0, "stolen_at_most_ns": 0,
		"lost": false, "had_cpu": [], "stall": {"from_ns": "8", "ns": 6000}}'; do
	perl -pe 's/"slowest": \[\]/"slowest": [{"offset": 0, "size": 4096, "ddir": "read", "job": 0,
		"monotonic_ns": "8", "waited_at_most_ns": 500, "stages": {"backlog": 6000,
		"queue": 500, "kernel": 1000, "deliver": 500, "lat": 8000}'"$causes"'}]/' \
		fast.json >late.json
	run report --json late.json
	is "$(of_json 'scalar @{$r->{analysis}{stalls} || []}')" 0 'a backlog is no stall'
	run report late.json
	tr -s ' \n' ' ' <"$out" >"late${causes:+_caused}"
done
has late '75 % in backlog; 6 % in queue; up to 6 % in kernel, waiting for a CPU' \
	'the wait for a CPU is in the longest of the other stages'
has late_caused "75 % in backlog; 13 % in kernel, the job's thread was running" \
	'and a backlog needs no cause'

perl -MJSON::PP -0777 -e 'my $j = JSON::PP->new->decode(<STDIN>);
	$j->{slowest} = [{ offset => 0, size => 4096, ddir => "read", job => 0,
		stages => { lat => 8000 } }];
	print JSON::PP->new->encode($j)' <fast.json >unknown.json
run report unknown.json
has_not "$out" 'time of the slowest' 'no line on slow I/Os whose stages are not known'

perl -MJSON::PP -0777 -e 'my $j = JSON::PP->new->decode(<STDIN>);
	$j->{stages}{backlog} = delete $j->{stages}{queue};
	print JSON::PP->new->encode($j)' <fast.json >late.json
run report late.json
is "$(sed -n '/^stage /{n;s/ .*//p;}' "$out")" backlog 'the first stage in time is the first in the table'

# ---- I/Os that reach no device ----
for known in '1 99' '20 80'; do
	for direct in 0 1; do
		write_report cached.json split=all kernel="$(on_or_off)" \
			kernel_stages="$(on_of $known 0 0)" run="\"options\": {\"direct\": \"$direct\"},"
		run report cached.json
		tr -s ' \n' ' ' <"$out" >"known $known$([ $direct = 1 ] || echo ', buffered')"
	done
done
has_not 'known 1 99, buffered' 'did not reach' \
	'reads through the page cache have no requests of their own, also if they reach the device'
has 'known 1 99' '99 % of the reads did not reach the device: a cache or holes answered them.' \
	'it is told before the numbers that hardly any read reached the device'
has_not 'known 20 80' 'did not reach' 'but not if some did'
# from_storage BYTES [PERL]: a report of reads of 4096 bytes that were not split
from_storage()
{
	write_report cached.json
	perl -MJSON::PP -0777 -e 'my $r = JSON::PP->new->decode(<STDIN>);
		$r->{jobs}[0]{storage_read_bytes} = $ARGV[0] + 0;
		$r->{bytes} = { read => 4096 * $r->{ios}{read}, write => 0, trim => 0 };
		$r->{devices} = [{ host => "box", device => "8:0", name => "sda" }];
		eval $ARGV[1]; print JSON::PP->new->encode($r)' "$@" <cached.json >storage.json
	run report storage.json
	tr -s ' \n' ' ' <"$out" >storage
}
from_storage 4096 ''
has storage '99 % of the bytes that were read did not come from the device: a cache or holes had them.' \
	'nor was much read from storage by reads that were not split'
for kernel in 5.12.0-x 6.1; do
	from_storage 4096 '$r->{jobs}[0]{options}{force_async} = "4"; $r->{machines} = [{ host => "box",
		kernel => "'$kernel'" }]'
	has storage 'did not come from the device' "threads of io_uring count on Linux $kernel"
done
for other in '4096 $r->{jobs}[0]{options}{force_async}="4";$r->{machines}=[{host=>"box",kernel=>"5.11.9"}]' '40961' '0 $r->{devices}=[]' '0 $r->{devices}[0]{name}="zram0"' \
	'0 $r->{devices}[0]{device}="0:27"'; do
	from_storage "${other%% *}" "${other#* }"
	has_not storage 'did not come' "not told: $other"
done

# written OPTIONS [PERL]: a report of writes with these options, as lines of Perl's hash
written()
{
	write_report written.json
	perl -MJSON::PP -0777 -pe 's/"(read|write)"/$1 eq "read" ? "\"write\"" : "\"read\""/ge;
		BEGIN { ($options, $more) = splice @ARGV, 0, 2 }
		my $r = JSON::PP->new->decode($_); $r->{jobs}[0]{options} = { eval $options };
		$r->{devices} = [{ host => "box", device => "8:0", name => "sda" }];
		eval $more; $_ = JSON::PP->new->encode($r)' "$@" <written.json >storage.json
	run report storage.json
	tr -s ' \n' ' ' <"$out" >written
}
for none in 'direct => "0"' 'direct => "0", fsync => "0", sync => "none"' \
	'direct => "1", rw => "randtrimwrite"'; do
	written "$none" ''
	has written 'the writes are buffered, and nothing waits until they are on the device' "$none"
done
for other in '' 'direct => "1"' 'direct => "0", sync => "dsync"' 'direct => "0", fdatasync => "32"' \
	'direct => "0", end_fsync => "1"'; do
	written "$other" ''
	has_not written 'nothing waits' "not told: $other"
done
for other in '$r->{devices}[0]{device} = "0:27"' '$r->{jobs}[0]{test_nop} = JSON::PP::true' \
	'$r->{ios}{sync} = 1'; do
	written 'direct => "0"' "$other"
	has_not written 'nothing waits' "not told: $other"
done

# ---- tables of HTML that no golden page has ----
cat >cases <<'CASES'
full
	delete $r->{attached}; $s->[1]{monotonic_ns} = "8"; $s->[1]{stages}{queue} = 1500000;
	$s->[1]{stages}{lat} = 1500006; @{$s->[2]}{qw(job offset size ddir stages)} = (0, 0, 0,
	"sync",
	{ lat => 3 }); $r->{ios}{sync} = 1
full
	@{$s = $r->{attached}{operations}[0]}{qw(split no_request)} = (1, 99);
	$s->{stages}{lat} = reads(100, 99, 900, 1)->{read}
CASES
changes <cases
# rows_of NUMBER: prints the rows of the tables of a case, from the slowest on
rows_of()
{
	changed "$1" --html=page.html @
	perl -0777 -ne 's/.*?<h3>(slowest|I\/Os by ring)/$1/s; while (/<tr>(.*?)<\/tr>/g) { my $row = $1;
		$row =~ s/<\/t[dh]><t[dh][^>]*>/|/g; $row =~ s/<[^>]*>//g;
		print "$row\n" }' page.html
}
is "$(rows_of 1 | head -n 4)" "lat|rw|at, s|offset|size|queue|submit|blockq|device|complete|reap|\
kernel|deliver|submitting call|why|job|MONOTONIC, ns|RAW, ns|ticks
1.500 ms|read|0.000000|0|4096|1.500 ms|1 ns|1 ns|1 ns|1 ns|1 ns|-|1 ns|-|-|1|8|-|-
9 ns|read|-|0|4096|1 ns|-|-|-|-|-|5 ns|3 ns|2 ns|33 % in deliver, not explained; 22 % in \
kernel, waiting for a CPU, which x (7) had for 11 %; 11 % in kernel, the job&#39;s thread was woken \
late; 11 % in kernel, the job&#39;s thread was running; hypervisor up to 11 %|1|7|6|5
3 ns|sync|-|-|-|-|-|-|-|-|-|-|-|-|-|1|-|-|-" 'the slowest'
is "$(rows_of 2 | sed -n 2p)" \
	'1|read|100|108 ns|100 ns|900 ns|-|-|-|x|99 I/Os without a separate block request' \
	'what attach saw'

# ---- traces ----
cat >cases <<'CASES'
one
	$r->{slowest} = [slow("9007199254740993123", qw(queue 100 kernel 1901 deliver 499)),
	slow("9007199254740993623", qw(kernel 1000)), slow("9007199254740995623", qw(queue 8)),
	slow(1, qw(queue 8))]; $r->{slowest}[2]{stages}{lat} = 10;
	$_->{ticks} = "18446744073709551615"
	for @{$r->{slowest}}; delete $r->{slowest}[3]{monotonic_ns}
CASES
changes <cases
changed 1 --trace=trace @
is "$(perl -ne 'print "$1:$2+$3 " if /"tid":\s(\d+),\s"cat":.*"ts":\s9007199254740(\S+),\s
	"dur":\s(\S+?)[,}]/x' trace)" \
	'1:993.123+2.500 1:993.123+0.100 1:993.223+1.901 1:995.124+0.499 2:993.623+1.000 '\
'2:993.623+1.000 1:995.623+0.010 ' 'tracks, times and stages, but not after a missing one'
is "$(grep -c '"ticks": "18446744073709551615"' trace)" 3 'no digit is lost'
for i in $(seq 100 299); do
	sed "s/\"thread_number\": 1,/\"thread_number\": $i,/" one.json >"many$i.json"
done

# ---- files that are not written ----
run report one.json
cp "$out" page
ln -s /dev/full randread.read.queue.hgrm
for option in html=none/x percentiles=none/x trace=none/x html=/dev/full trace=/dev/full \
	percentiles=./; do
	run report --$option one.json
	is "$status $(wc -l <"$err") $(cmp "$out" page)" '74 1 ' "--$option"
done
run report --html="$out" one.json
is "$status $(cat "$out")" '64 ' 'nothing is printed into the file of --html'
run report --html=x --trace=x one.json
is "$status $(wc -l <"$err")" '64 1' 'nor are two options one file'

# ---- names of percentile files ----
long=$(printf '%0100d' 0)
while read -r prefix name wanted; do
	printf 'one\n\t$j->{name} = "%s"; $j->{groupid} = 7\n' "$name" | changes
	mkdir -p in
	changed 1 --percentiles=in/$prefix @ $([ "$wanted" = "${wanted#*,}" ] || echo one.json)
	is "$(cd in && echo *lat* | tr ' ' ,)" "$wanted" "a job named $name"
	rm -r in
done <<END
p. randread p.randread.read.lat.hgrm
- $long$long -$long.read.lat.hgrm
x ../../x/\\x{e4}_y x______x____y.read.lat.hgrm
g randread grandread.1.read.lat.hgrm,grandread.2.read.lat.hgrm
END

# ---- many files, by several threads ----
run report --all many*.json
is "$status $(grep -c ', 200 jobs,\|read: 20000 I/Os\|many103.json, and 196' "$out")" '0 3' \
	'200 reports are one group with all their I/Os'
cp "$out" page
for _ in 1 2 3 4 5; do
	run report --all many*.json
	cmp -s page "$out" || break
done
is "$(cmp page "$out")" '' 'the same each time'
run report --html=page.html many*.json
is "$(grep -o 'many[0-9]*.json' page.html | sort -u | wc -l)" 200 'in the HTML each is named'
# The first fault is behind a long text; the later ones are found at once.
for bad in "$(printf '%02000000d' 0 | tr 0 ' ')x" '[]'; do
	for i in 151 152 153 154 155 156 157; do
		echo '[]' >many$i.json
	done
	echo "$bad" >many150.json
	for _ in 1 2 3 4 5; do
		run report --all many*.json
		grep -q 'many150.json' "$err" || break
	done
	is "$status $(wc -l <"$err") $(wc -c <"$out") $(grep -c many150.json "$err")" '65 1 0 1' \
		'the first bad one is named'
done
done_testing
