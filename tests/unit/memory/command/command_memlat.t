#!/bin/sh
# SPDX-License-Identifier: MIT
#
# What tickwise memlat can't do is one line on stderr and an exit code, before
# anything is measured. What it does is whole in every form. Fails if a size of 0 or
# a missing node is measured, or if a page that can't be written is only noticed
# after a minute. Fails also if Ctrl-C loses what was measured. No figure is judged
# here: see tests/bench/memlat_agreement.sh at d20ef3b3.

. "$(dirname "$0")/../../../tap.sh"

# refuses STATUS TEXT ARGUMENT...: passes if the command is refused with this text
refuses() {
	wanted=$1 text=$2
	shift 2
	run_calibrated memlat "$@"
	is "$status" "$wanted" "memlat $*: exit code $wanted"
	is "$(wc -l <"$err") $(wc -c <"$out")" '1 0' 'one line, no output'
	has "$err" "tickwise memlat: $text" "$text"
}

refuses 64 "--min takes a size of at least 4096 bytes" --min=0
refuses 64 "--max takes a size of at least 4096 bytes" --max=0
refuses 64 "--max takes a size" --max=1X
refuses 64 "--max takes a size" --max=-1M
refuses 64 "--max takes a size" --max=nan
refuses 64 "--min is more than --max" --min=2M --max=1M
refuses 64 "--stride takes" --stride=0
refuses 64 "--stride takes a multiple of 8 bytes" --stride=12
refuses 64 "--window takes a multiple of the stride" --window=5000
refuses 64 "--passes takes a whole number, 1 to 64" --passes=65
refuses 64 "--steps takes a whole number, 1 to 16" --steps=2.5
refuses 64 "--point takes milliseconds, 1 to 60000" --point=0
refuses 64 "--batch takes microseconds, 10 to 10000000" --batch=9
refuses 64 "--cpu takes a whole number" --cpu=-1
refuses 64 "--node takes a whole number" --node=x
refuses 64 "--curves takes sequential, random, window or page, not 'rnadom'" --curves=random,rnadom
refuses 64 "--pages takes small, transparent or reserved, not ''" --pages=
refuses 64 "unknown option --jsn" --jsn
refuses 70 "64T of memory are wanted and" --max=64T
refuses 70 "there is no memory on a NUMA node 1023" --node=1023
refuses 70 "can't run on CPU 65535" --cpu=65535
refuses 70 "64T of memory are wanted and" --min=64T
refuses 70 "can't run on CPU 65535" --seed-table --cpu=65535
refuses 70 "there is no memory on a NUMA node 1023" --seed-table --node=1023
refuses 74 "can't write $scratch/none/page.html: No such file" --html="$scratch/none/page.html"

# Small pages and one size are quick, also under sanitizers.
quick='--min=4K --max=16K --steps=1 --point=1 --curves=random,window --pages=small'

# The pool of reserved pages is empty nearly everywhere.
if [ "$(cat /proc/sys/vm/nr_hugepages 2>/dev/null || echo 0)" = 0 ]; then
	refuses 70 'no reserved pages: ' --max=16K --pages=reserved
else
	tap_count=$((tap_count + 1))
	echo "ok $tap_count # SKIP there are reserved pages"
fi

# There are no transparent pages either for a process that is kept off them.
small=${TW_BUILD:-$root/build}/tests/bench/small_pages
if [ -x "$small" ] && [ -e /sys/kernel/mm/transparent_hugepage/enabled ]; then
	real=$tickwise
	small_tickwise() { "$small" "$real" "$@"; }
	tickwise=small_tickwise
	run_calibrated memlat --max=128K --window=64K --steps=1 --point=1 --json
	has "$out" '"no_translation": "there are too few huge pages' \
		'no transparent pages: no cost of translations'
	run_calibrated memlat --max=16K --pages=transparent
	tickwise=$real
	is "$status $(wc -l <"$err") $(wc -c <"$out")" '70 1 0' \
		'no transparent pages: exit code 70, one line, no output'
	has "$err" 'tickwise memlat: no transparent pages: none is available' \
		'which says so'
else
	tap_count=$((tap_count + 1))
	echo "ok $tap_count # SKIP no transparent pages to be kept off"
fi

# measured DESCRIPTION: passes with 0, or with 2 if others kept the CPU busy all the time
measured() {
	[ "$status" -eq 0 ] || [ "$status" -eq 2 ]
	ok $? "$1: measured, or too disturbed (exit code $status)"
}

# shellcheck disable=SC2086
{
	run_calibrated memlat $quick
	measured 'a page'
	has "$out" 'Minimum and median of ns a load' 'with its curves'
	run_calibrated memlat $quick --json
	measured '--json'
	cp "$out" "$scratch/json"
	run_calibrated memlat $quick --csv --html="$scratch/page.html"
	measured '--csv and --html'
	cp "$out" "$scratch/csv"
}

perl -MJSON::PP -0ne '
	my $root = decode_json($_);
	my @keys = qw(caches counter_hz counter_uncertainty_ppb cpu curves
		interrupted levels levels_from no_translation nodes schema skipped_pages
		took_ns translation version);
	my @curve = qw(huge_share kind node page_bytes pages passes points seed
		stride_bytes window_bytes);
	my @point = qw(batches disturbed elements footprint_bytes
		loads_per_batch size_bytes warm_passes);
	my @figures = qw(core_hz median_high_ns median_low_ns
		median_ns min_cycles min_ns p90_ns);
	die "root: @{[sort keys %$root]}" if "@keys" ne "@{[sort keys %$root]}";
	die "schema" if $root->{schema} ne "tickwise-memlat" || $root->{version} != 1;
	die "curves" if @{$root->{curves}} != 2;
	for my $curve (@{$root->{curves}}) {
		die "curve" if "@curve" ne "@{[sort keys %$curve]}";
		die "sizes" if @{$curve->{points}} < 3;
		die "huge" if $curve->{huge_share} != 0;
		for my $point (@{$curve->{points}}) {
			my @all = sort(@point, $point->{batches} ? @figures : ());
			die "point" if "@all" ne "@{[sort keys %$point]}";
			next if !$point->{batches};
			die "order" if $point->{min_ns} > $point->{median_ns} ||
				$point->{median_ns} > $point->{p90_ns} ||
				$point->{median_low_ns} > $point->{median_ns} ||
				$point->{median_high_ns} < $point->{median_ns};
		}
	}' "$scratch/json" 2>"$err"
ok $? '--json: its keys, and figures in their order'
sed 's/^/# /' "$err"

is "$(awk -F, '{ print NF }' "$scratch/csv" | sort -u)" 16 \
	'--csv: 16 columns in each line'
is "$(awk -F, 'NR > 1 { print $1 }' "$scratch/csv" | sort -u | xargs)" \
	'random window' 'both curves'

is "$(head -n 1 "$scratch/page.html") $(tail -n 1 "$scratch/page.html")" \
	'<!DOCTYPE html> </html>' '--html: whole'
has_not "$scratch/page.html" '<script' 'no script'
has_not "$scratch/page.html" 'src=' 'nothing from elsewhere'
# Every element that is opened is closed, in order.
perl -0ne 's/<!DOCTYPE html>//; my @open;
	while (m{<(/?)([a-z0-9]+)[^>]*?(/?)>}g) {
		next if $3;
		if (!$1) { push @open, $2; next }
		die "</$2> in <@open>" if pop(@open) ne $2;
	}
	die "open: @open" if @open' "$scratch/page.html" 2>"$err"
ok $? 'well-formed'
sed 's/^/# /' "$err"

# A file keeps its content if nothing could be measured.
echo kept >"$scratch/kept.html"
refuses 70 "64T of memory are wanted" --max=64T --html="$scratch/kept.html"
is "$(cat "$scratch/kept.html")" kept 'an earlier page is kept'
refuses 70 "64T of memory are wanted" --max=64T --html="$scratch/new.html"
[ ! -e "$scratch/new.html" ]
ok $? 'and no empty one made'

# Six sizes are enough to search for levels.
run_calibrated memlat --min=4K --max=128K --steps=1 --point=1 --curves=window \
	--pages=small --json
measured 'levels'
perl -MJSON::PP -0ne '
	my $from = decode_json($_)->{levels_from};
	exit !($from->{kind} eq "window" && $from->{pages} eq "small" &&
		$from->{visits} == 6 && @{$from->{points}} >= 6 &&
		$from->{visited_up_to_bytes} == 1 << 17)' "$out"
ok $? 'and what they were found in: the fastest of six measurements'

# cpu_ticks PID: prints its CPU time, in 1/CLK_TCK s
cpu_ticks() {
	awk '{ print $14 + $15 }' "/proc/$1/stat" 2>/dev/null || echo 0
}

# There are some 200 sizes of 0.2 s each. The signal comes when the program has had
# two seconds of a CPU, however long that takes: by then it has measured some of
# them, and by far not all. A shell's background jobs ignore SIGINT; this one must
# not.
enough=$((2 * $(getconf CLK_TCK)))
for try in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
	: >"$err"
	perl -e '$SIG{INT} = "DEFAULT"; exec @ARGV' "$tickwise" memlat \
		--min=4K --max=16M --steps=16 --point=200 --curves=random \
		--pages=small --json >"$out" 2>"$err" &
	pid=$!
	waited=0
	while [ ! -s "$err" ] && [ "$(cpu_ticks $pid)" -lt $enough ] &&
	      [ $waited -lt 3000 ]; do
		sleep 0.1
		waited=$((waited + 1))
	done
	kill -INT "$pid" 2>/dev/null
	wait "$pid"
	status=$?
	grep -q 'Resource temporarily unavailable' "$err" || break
done
if [ $waited -ge 3000 ]; then
	tap_count=$((tap_count + 1))
	echo "ok $tap_count # SKIP two seconds of a CPU are not to be had in 300"
else
	is "$status $(wc -l <"$err")" '2 1' 'SIGINT: exit code 2, one line'
	has "$err" \
		'tickwise memlat: interrupted: this is what was measured until' \
		'says so'
	perl -MJSON::PP -0ne 'my $root = decode_json($_);
		my $points = @{$root->{curves}[0]{points}};
		exit !($root->{interrupted} && @{$root->{curves}} == 1 &&
		       $points > 0 && $points < 150)' "$out"
	ok $? 'and what was measured is whole'
fi
done_testing
