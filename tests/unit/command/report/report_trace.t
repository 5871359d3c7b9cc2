#!/bin/sh
# SPDX-License-Identifier: MIT
#
# --trace writes the slowest I/Os of every job in the Trace Event Format: on one
# track slices nest or stay apart, times are microseconds with every nanosecond,
# names bring no markup. Fails if a stage extends beyond its I/O, if two I/Os cross
# each other, if a time goes through a double, or if a job is left out.
. "$(dirname "$0")/../../../tap.sh"
. "$(dirname "$0")/../../../report_files.sh"

trace=$scratch/trace.json

# slow START LAT STAGES: prints an I/O; @start in ns of CLOCK_MONOTONIC
slow() {
	echo "{\"job\": 0, \"offset\": 8192, \"size\": 4096, \"ddir\": \"read\", \"ticks\":
	\"18446744073709551615\", \"raw_ns\": \"77\", \"monotonic_ns\": \"$1\",
	\"submitting_call_ns\": 8, \"stages\": {$3 \"lat\": $2}}"
}

# report_of FILE THREAD SLOW: writes a report
report_of() {
	write_report "$scratch/plain.json" thread="$2" pid="$2" name="$4"
	sed '/"slowest"/d' "$scratch/plain.json" >"$1"
	echo "\"slowest\": [$3]}" >>"$1"
}

# Two of them overlap; the third begins with the end of the first.
report_of "$scratch/1.json" 1 "$(slow 9007199254740993123 2500 \
	'"queue": 100, "kernel": 1901, "deliver": 499,'), \
	$(slow 9007199254740993623 1000 \
	'"queue": 0, "kernel": 1000, "deliver": 0,'), \
	$(slow 9007199254740995623 10 '"queue": 0, "kernel": 8,')" 'a\"<b>'
report_of "$scratch/2.json" 2 "$(slow 1000 7 '')" other
run report --trace="$trace" "$scratch/1.json" "$scratch/2.json"
is "$status" 0 'a trace'

# ask PERL: runs it, for its output; @e are the events
ask() {
	perl -MJSON::PP -e '
		local $/; open my $f, "<", $ARGV[0];
		our @e = @{JSON::PP->new->allow_bignum->decode(<$f>)->{traceEvents}};
		sub ns { int($_[0] * 1000 + 0.5) }
		eval $ARGV[1]; die $@ if $@' "$trace" "$1"
}

is "$(ask 'print join "|", map { $_->{args}{name} }
	grep { $_->{name} eq "process_name" } @e')" \
	'a"<b>, job 1, pid 1 of box|other, job 2, pid 2 of box' 'a process a job'
is "$(ask 'print join " ", map { "$_->{name}:$_->{tid}" }
	grep { $_->{ph} eq "X" && $_->{pid} == 1 } @e')" \
	'read 4096:1 queue:1 kernel:1 deliver:1 '\
'read 4096:2 queue:2 kernel:2 deliver:2 read 4096:1' \
	'every stage, I/Os that overlap on two tracks, none where one is missing'
is "$(ask 'print join " ", map { ns($_->{ts} - 9007199254740993) }
	grep { ($_->{cat} // "") eq "stage" && $_->{pid} == 1 && $_->{tid} == 1 }
	@e')" '123 223 2124' 'one after another'
has "$trace" '"ts": 9007199254740993.123, "dur": 2.500, "args"' \
	'no digit of the time is lost'
has "$trace" '"ticks": "18446744073709551615"' 'nor of the ticks'
is "$(ask 'print join " ", map { ns($_->{dur}) }
	grep { $_->{ph} eq "X" && $_->{pid} == 1 } @e')" \
	'2500 100 1901 499 1000 0 1000 0 10' 'how long each lasts'
has "$trace" '"lat_ns": 2500, ' 'lat'
has "$trace" '"submitting_call_ns": 8' 'and the submitting call, which overlaps'
is "$(ask 'my $bad = 0; my @x = grep { $_->{ph} eq "X" } @e;
	for my $a (@x) { for my $b (@x) {
		next if $a == $b || $a->{pid} != $b->{pid} || $a->{tid} != $b->{tid};
		my ($a0, $b0) = map { ns($_->{ts}) } $a, $b;
		my ($a1, $b1) = ($a0 + ns($a->{dur}), $b0 + ns($b->{dur}));
		$bad++ if $a0 < $b0 && $b0 < $a1 && $a1 < $b1;
	} } print $bad')" 0 'slices of a track nest or stay apart'

report_of "$scratch/3.json" 3 "$(slow 5000 7 '' | sed 's/"monotonic_ns": "5000",//'),
	$(slow 6000 7 '')" late
run report --trace="$trace" "$scratch/3.json"
is "$(ask 'print join " ", map { ns($_->{ts}) } grep { $_->{ph} eq "X" } @e')" \
	6000 'an I/O without a time is left out'
report_of "$scratch/3.json" 3 '' none
run report --trace="$trace" "$scratch/3.json"
is "$status $(ask 'print scalar grep { $_->{ph} eq "X" } @e')" '0 0' \
	'no slow I/Os: no slices'
run report --trace="$scratch/none/x" "$scratch/3.json"
is "$status $(wc -l <"$err") $(grep -c '^read: lat mean' "$out")" '74 1 1' \
	'what could not be written is reported, and the page is printed'
run report --trace
has "$err" '--trace needs a value' 'a file is wanted'
if [ -w /dev/full ]; then
	run report --trace=/dev/full "$scratch/1.json"
	is "$status $(wc -l <"$err")" '74 1' 'a full disk'
else
	tap_count=$((tap_count + 1))
	echo "ok $tap_count # SKIP no /dev/full"
fi
done_testing
