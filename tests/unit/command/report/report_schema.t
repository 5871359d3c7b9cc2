#!/bin/sh
# SPDX-License-Identifier: MIT
# Tests: core/latency core/report core/command/analysis
#
# The rows, the reader, the schema and tickwise-report(5) agree. A report with all keys is
# taken. Without a key that is always there it is refused, without any other it is not. Each
# stage is a value of STAGE in the manual, and has a row in plugin/README.md. Fails if a
# key becomes mandatory or optional, or is added, in one of the four only.
. "$(dirname "$0")/../../../tap.sh"
. "$(dirname "$0")/../../../report_files.sh"
. "$(dirname "$0")/../../../schema.sh"
[ -z "$no_schema" ] || { echo "1..0 # SKIP $no_schema"; exit 0; }

cd "$scratch" || exit 1
manual=${TW_BUILD:-$root/build}/man/tickwise-report.5
for name in report intervals; do
	schema keys "$schemas/tickwise-$name.schema.json"
done | sort -u >of_schema
schema keys "$manual" | sort | comm -3 of_schema - >differ
# The manual has one item for all three clocks.
is "$(tr '\n' ';' <differ)" 'fio object;monotonic object;tickwise object;' \
	"$(wc -l <of_schema) keys are in the schemas and in the manual"

# rows_of KIND TYPE: prints the last part of the path of each row of a kind, and the type
rows_of()
{
	perl -0777 -ne 'print "$1 '"$2"'\n" while /\t'"$1"'\(\w+, (?:"\w+", )?"(?:\w+\.)*(\w+)"/g' \
		"$root/core/report/metrics.h"
}
stages=$(sed -n 's/^	STAGE([A-Z_]*, \([a-z_]*\),.*/\1/p' "$root/core/latency/stages.h")
{
	rows_of COUNT counts
	rows_of SCALAR count
	rows_of TIME histograms
	printf '%s histograms\n' $stages
} | sort -u >rows
sed 's/, always$//' of_schema | sort -u | comm -23 rows - >differ
is "$([ "$(wc -l <rows)" -ge 50 ] && cat differ)" '' "$(wc -l <rows) rows are there"
is "$(echo $(sed -n '/^STAGE is one of$/,/^\.S/{/^\.BR/{s/^\.BR//;s/[".,]/ /g;p}}' "$manual"))" \
	"$(echo $stages lat)" 'the manual has these values of STAGE'
for stage in $stages; do
	grep -q "^| \`$stage\` |" "$root/plugin/README.md" || echo "$stage"
done >differ
is "$(cat differ)$(grep '@ROWS' "$manual")" '' "the engine's README has a row for each"
"${TW_BUILD:-$root/build}/describe" manual lunch 2>"$err"
is "$? $(cat "$err")" '1 describe: no metrics are lunch' 'an unknown kind of metrics'
is "$("${TW_BUILD:-$root/build}/describe" schema none "$root/core/schema/types.json" 2>"$err" || echo $?)" 1 \
	'a schema that cannot be read'

write_full b.json
is_valid report b.json
run report b.json
is "$status" 0 'a full report is taken'
is "$(sed -n '/^\.BR version " /{n;p;}' "$manual" | tr -d .)" \
	"$(sed -n 's/^{"schema.*"version": \([0-9]*\),.*/\1/p' b.json)" \
	'of the version that the manual names'

mkdir without
schema changed "$schemas/tickwise-report.schema.json" b.json without >list
[ "$(wc -l <list)" -gt 200 ]
ok $? "$(wc -l <list) changes of keys"
# Other keys need these.
needed=' stages.lat.read devices[].jobs devices[].ios '
# The program shows a page of each that the reader takes.
cut -d ' ' -f 1 list | "${TW_BUILD:-$root/build}/tests/reader/report_reader" >codes
paste -d ' ' codes list | while read -r file status _ verdict path; do
	should=65
	case $verdict in
	without:taken) case "$needed" in *" $path "*) ;; *) should=0 ;; esac ;;
	other:taken) should='an other type is refused' ;;
	esac
	[ "$status" != 0 ] || run report "$file"
	[ "$status" = "$should" ] || echo "$file $path: $status, not $should"
done >wrong
is "$(cat wrong)" '' 'each is needed or not, and of a type, as the schema says'
done_testing
