#!/bin/sh
# SPDX-License-Identifier: MIT
#
# What tickwise memlat can't do is one line on stderr and an exit code, before
# anything is measured; what it does is whole in every form. Fails if a size of
# 0 or a missing node is measured all the same, if a page that can't be written
# is only missed after a minute, or if Ctrl-C loses what was measured. No figure
# is judged here: see tests/bench/memlat_agreement.sh.

. "$(dirname "$0")/../tap.sh"

# refuses STATUS TEXT ARGUMENT...
refuses() {
	wanted=$1 text=$2
	shift 2
	run memlat "$@"
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
refuses 64 "--point takes 1 to 60000" --point=0
refuses 64 "--batch takes 10 to 10000000" --batch=9
refuses 64 "--cpu takes a whole number" --cpu=-1
refuses 64 "--node takes a whole number" --node=x
refuses 64 "--curves knows no 'rnadom'" --curves=random,rnadom
refuses 64 "--pages knows no ''" --pages=
refuses 64 "unknown option --jsn" --jsn
refuses 70 "64T of memory are wanted and" --max=64T
refuses 70 "there is no memory on a NUMA node 1023" --node=1023
refuses 70 "can't run on CPU 65535" --cpu=65535
refuses 74 "$scratch/none/page.html: No such file" --html="$scratch/none/page.html"

# Small pages and one size are quick, also under sanitizers.
quick='--min=4K --max=16K --steps=1 --point=1 --curves=random,window --pages=small'

# The pool of reserved pages is empty nearly everywhere.
if [ "$(cat /proc/sys/vm/nr_hugepages 2>/dev/null || echo 0)" = 0 ]; then
	refuses 70 'no reserved pages: ' --max=16K --pages=reserved
else
	tap_count=$((tap_count + 1))
	echo "ok $tap_count # SKIP there are reserved pages"
fi

# measured DESCRIPTION: 2 where others kept the CPU busy all the time
measured() {
	[ "$status" -eq 0 ] || [ "$status" -eq 2 ]
	ok $? "$1: measured, or too disturbed (exit code $status)"
}

# shellcheck disable=SC2086
{
	run memlat $quick
	measured 'a page'
	has "$out" 'Minimum and median of ns a load' 'with its curves'
	run memlat $quick --json
	measured '--json'
	cp "$out" "$scratch/json"
	run memlat $quick --csv --html="$scratch/page.html"
	measured '--csv and --html'
	cp "$out" "$scratch/csv"
}

perl -MJSON::PP -0ne '
	my $root = decode_json($_);
	my @keys = qw(caches counter_hz counter_uncertainty_ppb cpu curves
		interrupted levels nodes schema skipped_pages took_ns
		translation version);
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
# All that is opened is closed, in order.
perl -0ne 's/<!DOCTYPE html>//; my @open;
	while (m{<(/?)([a-z0-9]+)[^>]*?(/?)>}g) {
		next if $3;
		if (!$1) { push @open, $2; next }
		die "</$2> in <@open>" if pop(@open) ne $2;
	}
	die "open: @open" if @open' "$scratch/page.html" 2>"$err"
ok $? 'well-formed'
sed 's/^/# /' "$err"

# What stands in a file stays when nothing could be measured.
echo kept >"$scratch/kept.html"
refuses 70 "64T of memory are wanted" --max=64T --html="$scratch/kept.html"
is "$(cat "$scratch/kept.html")" kept 'an earlier page is kept'
refuses 70 "64T of memory are wanted" --max=64T --html="$scratch/new.html"
[ ! -e "$scratch/new.html" ]
ok $? 'and no empty one made'

# Of 33 sizes of two seconds each one or two are measured when the signal comes. A
# shell's background jobs ignore SIGINT; this one shall not.
perl -e '$SIG{INT} = "DEFAULT"; exec @ARGV' "$tickwise" memlat --min=4K \
	--max=1M --steps=4 --point=2000 --curves=random --pages=small --json \
	>"$out" 2>"$err" &
pid=$!
sleep 3
kill -INT "$pid"
wait "$pid"
status=$?
case $status in
2)
	has "$err" 'tickwise memlat: interrupted' 'SIGINT: says so'
	[ ! -s "$out" ] || perl -MJSON::PP -0ne 'my $root = decode_json($_);
		exit !($root->{interrupted} && @{$root->{curves}} == 1 &&
		       @{$root->{curves}[0]{points}} < 30)' "$out"
	ok $? 'and what was measured is whole'
	;;
130)
	tap_count=$((tap_count + 1))
	echo "ok $tap_count # SKIP the signal came before anything was begun"
	;;
*)
	ok 1 "SIGINT: exit code $status"
	;;
esac
done_testing
