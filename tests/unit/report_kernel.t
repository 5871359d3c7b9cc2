#!/bin/sh
# SPDX-License-Identifier: MIT
#
# I/Os may be split inside the kernel: submit, blockq, device, complete and reap take
# the place of the stage kernel, of all I/Os or of some. Fails if one of them is left
# out anywhere, if they are out of order, or if a row of some I/Os does not say so.
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/../well_formed.sh"
. "$(dirname "$0")/report_files.sh"

all=$scratch/all.json
most=$scratch/most.json
inside='submit blockq device complete reap'

# The slowest is the one that was not split.
write_report "$all" split=all
write_report "$scratch/m.json" split=most thread=2
sed '/^"slowest"/d' "$scratch/m.json" >"$most"
cat >>"$most" <<END
"slowest": [{"offset": 8192, "size": 4096, "ddir": "read", "monotonic_ns": "7000",
"stages": {"queue": 50, "kernel": 750, "deliver": 200, "lat": 1000}},
{"offset": 4096, "size": 512, "ddir": "read", "monotonic_ns": "9000",
"stages": {"queue": 160, "submit": 30, "blockq": 60, "device": 400,
	"complete": 100, "reap": 50, "deliver": 100, "lat": 900}}]}
END

# rows: the first words of the table's rows
rows() {
	sed -n '/^stage  /,/^$/p' "$out" | awk 'NR > 1 { print $1 }' | tr '\n' ' '
}

# ---- the page ----

run report "$all"
is "$status $(rows)" "0 queue $inside deliver lat  " 'rows of the five'
is "$(awk '$1 == "device" { print $2, $3, $9; exit }' "$out")" \
	'40ns 81.90ns 630ns' 'with their numbers'
has_not "$out" 'of 99' 'of all I/Os'
for stage in $inside; do
	grep -qE "^  $stage +from (there|that call) until " "$out"
	ok $? "and what $stage is"
done
is "$(awk 'length > 80' "$out")" '' 'nothing wider than 80 columns'

run report "$most"
is "$(rows | sed 's/(of/(of)/g')" "queue $(for stage in $inside; do
	printf '%s (of) ' "$stage"; done)kernel (of) deliver lat  " 'rows of some I/Os'
is "$(sed -n '/^stage /,/^$/s/^ *(of/(of/p' "$out" | tr '\n' ' ')" \
	'(of 99) (of 99) (of 99) (of 99) (of 99) (of 1) ' 'say of how many'
is "$(sed -n '/^slowest/,/^$/p' "$out" | sed -n '2,$p' | tr -s ' \n' ' ')" \
" 1.000 us read of 4096 bytes at 8192, queue 50 ns, kernel 750 ns, deliver 200 ns, \
job 2, began at 7000 ns of CLOCK_MONOTONIC 900 ns read of 512 bytes at 4096, queue \
160 ns, submit 30 ns, blockq 60 ns, device 400 ns, complete 100 ns, reap 50 ns, \
deliver 100 ns, job 2, began at 9000 ns of CLOCK_MONOTONIC " 'the slowest, too'

# ---- merged ----

run report "$most" "$all"
is "$(sed -n '/^stage /,/^$/s/^ *(of/(of/p' "$out" | tr '\n' ' ')" \
	'(of 199) (of 199) (of 199) (of 199) (of 199) (of 1) ' 'jobs are merged'
run report --json "$most" "$all"
is "$(perl -MJSON::PP -e 'local $/;
	my $s = decode_json(<STDIN>)->{groups}[0]{stages};
	print join " ", map { "$_ $s->{$_}{read}{sum_ns}" } qw(submit blockq device
		complete reap kernel)' <"$out")" \
	'submit 1510 blockq 3000 device 15750 complete 3830 reap 1920 kernel 750' \
	'their sums'
is "$(grep -oE '"(queue|submit|blockq|device|complete|reap|kernel|deliver|lat)": \{"read"' \
	"$out" | sed 's/: .*//' | tr -d '\n')" \
	'"queue""submit""blockq""device""complete""reap""kernel""deliver""lat"' 'in order'

# ---- files ----

run report --html="$scratch/page" --trace="$scratch/trace" \
	--percentiles="$scratch/p." "$most"
well_formed "$scratch/page" 'the HTML'
for stage in $inside kernel; do
	has "$scratch/page" "<tr><td>$stage</td><td>$([ $stage = kernel ] && echo 1 ||
		echo 99)</td>" "has a row for $stage"
done
has "$scratch/page" '<td>50 ns</td><td>-</td><td>-</td><td>-</td><td>-</td><td>-</td>'\
'<td>750 ns</td><td>200 ns</td>' 'a slow I/O without the five'
has "$scratch/page" '<td>160 ns</td><td>30 ns</td><td>60 ns</td><td>400 ns</td>'\
'<td>100 ns</td><td>50 ns</td><td>-</td><td>100 ns</td>' 'and one with them'
: >"$scratch/wrong"
# Colours of the legend: each of its own, and all in the page's style.
grep -o '<path class="s[0-9]*" d="M0 5H28"' "$scratch/page" |
	sed 's/.*class="\(s[0-9]*\)".*/\1/' >"$scratch/colors"
while read -r color; do
	grep -qE "\.$color\{stroke:" "$scratch/page" || echo "$color" >>"$scratch/wrong"
done <"$scratch/colors"
is "$(wc -l <"$scratch/colors") $(sort -u "$scratch/colors" | wc -l) \
$(cat "$scratch/wrong")" '9 9 ' 'each row has a colour of its own'
is "$(cd "$scratch" && echo p.*)" "$(for stage in blockq complete deliver device kernel \
	lat queue reap submit submitting_call; do
	printf 'p.randread.read.%s.hgrm ' $stage; done | sed 's/ $//')" 'percentile files'
is "$(perl -MJSON::PP -e 'local $/;
	my $end = 0;
	for (grep { ($_->{cat} // "") eq "stage" } @{decode_json(<STDIN>)->{traceEvents}}) {
		print $_->{name}, abs($_->{ts} - $end) < 1e-6 ? " " : "! ";
		$end = $_->{ts} + $_->{dur};
	}' <"$scratch/trace")" \
	"queue! kernel deliver queue! $inside deliver " \
	'slices of the trace follow each other'

# ---- refused ----

{
	sed '/^"reap"/,$d' "$all"
	echo "\"reap\": {\"read\": $(values 5 50 31)},"
	sed -n '/^"deliver"/,$p' "$all"
} >"$scratch/over.json"
run report "$scratch/over.json"
is "$status" 65 'one nanosecond more than lat'
has "$err" 'the stages of read add up to more than stages.lat.read' 'is refused'
sed 's/"deliver": 100, "lat": 900/"deliver": 101, "lat": 900/' "$most" \
	>"$scratch/over.json"
run report "$scratch/over.json"
is "$status" 65 'also in one of the slowest'
for stage in $inside; do
	sed "/^\"$stage\"/,/^\"bins\"/d" "$most" >"$scratch/less.json"
	run report "$scratch/less.json"
	is "$status $(rows | grep -c "$stage")" '0 0' "without $stage"
done
done_testing
