#!/bin/sh
# SPDX-License-Identifier: MIT
# Tests: core/man/tickwise-sync.7 core/report/metrics.h core/command/report
#
# The reports in tickwise-sync(7) are such as the program prints: each word of them is one that
# the golden pages have, or a name of that run. Each part of a sync is explained, and what is
# explained is in a report. The job files are as the page says. Fails if a row, a part or a
# sentence of a report gets other words, and the manual keeps the old ones.
# shellcheck disable=SC2016	# Perl

. "$(dirname "$0")/../tap.sh"

page=$root/core/man/tickwise-sync.7
# The reports: .EX blocks that begin with a command at a prompt.
sed 's/\\-/-/g; s/\\e/\\/g' "$page" | perl -ne '
	if (/^\.EX/) { $new = 1; next }
	$in = /^[\$#] tickwise/, $new = 0 if $new;
	$in = 0 if /^\.EE/;
	print if $in && !/^[\$#] /' >"$scratch/reports"
is "$(grep -c ' slowest .*syncs' "$scratch/reports")" 3 'the page has three whole reports'

# Names of those runs: jobs, files, devices, programs and calls.
cat >"$scratch/names" <<-END
	etcd fdatasync loop0 postgres-wal.data etcd.data backup wal snap db
	vm ext4
END
# words FILE...: prints each word, without what is a number or a path
words() {
	cat "$@" | perl -pe 's{/\S+}{}g; s/\b\d[\w.:-]*//g' | grep -oE '[A-Za-z][A-Za-z/_.-]*' |
		sed 's/[.-]*$//' | sort -u
}
words "$scratch/reports" >"$scratch/is"
words "$root"/tests/golden/expected/report_*.txt "$scratch/names" >"$scratch/may_be"
comm -23 "$scratch/is" "$scratch/may_be" >"$scratch/wrong"
empty "$scratch/wrong" "their $(wc -l <"$scratch/is") words are those of golden pages"

# A part or stage that a report has as a row, and its explanation.
perl -ne 'print "$1\n" if /^([a-z]+) .*\d+[nmu]?s( +\S+){5}$/' \
	"$scratch/reports" | grep -vxE 'write|sync|fdatasync' | sort -u >"$scratch/rows"
is "$(tr '\n' ' ' <"$scratch/rows")" 'data deliver flush journal lat queue wake worker ' \
	'the rows of the reports'
while read -r row; do
	grep -qx "\.B $row" "$page" || echo "$row"
done <"$scratch/rows" >"$scratch/wrong"
empty "$scratch/wrong" 'each of them is explained'

tr '\n' ' ' <"$scratch/reports" | tr -s ' ' >"$scratch/line"
perl -ne 'last if /WHAT TO DO/; s/\\-/-/g; print "$1\n" if $tag && /^\.B (.*)/; $tag = /^\.TP/' \
	"$page" | while read -r label; do
	grep -qF -- "$label" "$scratch/line" || echo "$label"
done >"$scratch/wrong"
empty "$scratch/wrong" 'what is explained is in a report'

examples=$root/plugin/examples
works 'etcd.fio: as the page says' sh -c 'grep -qx bs=2300 "$1/etcd.fio" &&
	grep -qx fdatasync=1 "$1/etcd.fio"' sh "$examples"
works 'postgres-wal.fio: as the page says' sh -c 'grep -qx bs=8k "$1/postgres-wal.fio" &&
	grep -qx overwrite=1 "$1/postgres-wal.fio" && grep -qx "\[open-datasync\]" "$1/postgres-wal.fio" &&
	grep -qx "\[fdatasync\]" "$1/postgres-wal.fio"' sh "$examples"
done_testing
