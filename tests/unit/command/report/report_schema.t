#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The reader and tickwise-report(5) agree. A report of the manual's version with all
# keys is taken. Without a key that is always there it is refused, without any other
# it is not. Fails if a key becomes mandatory or optional in one of the two only.
. "$(dirname "$0")/../../../tap.sh"
. "$(dirname "$0")/../../../report_files.sh"
. "$(dirname "$0")/../../../schema.sh"

keys=$root/tests/report_keys.pl
manual=${TW_BUILD:-$root/build}/man/tickwise-report.5

write_full "$scratch/b.json"
is "$(perl "$keys" "$manual" "$scratch/b.json")" '' \
	'a full report is as in the manual'
is_valid report "$scratch/b.json"
run report "$scratch/b.json"
is "$status" 0 'and is taken'
is "$(sed -n '/^\.BR version " /{n;p;}' "$manual" | tr -d .)" \
	"$(sed -n 's/^{"schema.*"version": \([0-9]*\),.*/\1/p' "$scratch/b.json")" \
	'of the version that the manual names'

mkdir "$scratch/without"
perl "$keys" "$manual" "$scratch/b.json" "$scratch/without" >"$scratch/list"
[ "$(wc -l <"$scratch/list")" -gt 100 ]
ok $? "$(wc -l <"$scratch/list") keys"
: >"$scratch/wrong"
# Other keys need these. No program reads the unread ones.
needed='stages.lat.read stages_by_lat.read devices[].jobs devices[].ios'
unread='counter.covers counter.covers.end_cpus counter.covers.job_cpus counter.covers.over_ns
	counter.covers.start_cpus jobs[].causes.why jobs[].kernel.why triggers[].io.ticks
	triggers[].why'
while read -r file path; do
	case $file:$path in
	*.may.json:*) should=0; for key in $needed; do [ "$key" != "$path" ] || should=65; done ;;
	*.other.json:*) should=65; for key in $unread; do [ "$key" != "$path" ] || should=0; done ;;
	*) should=65 ;;
	esac
	run report "$file"
	[ "$status" = "$should" ] || echo "$file $path: $status, not $should" >>"$scratch/wrong"
done <"$scratch/list"
is "$(cat "$scratch/wrong")" '' 'each is needed or not, and of a type, as the manual says'

if [ -n "$no_schema" ]; then
	tap_count=$((tap_count + 1))
	echo "ok $tap_count # SKIP $no_schema"
	done_testing
fi
: >"$scratch/wrong"
while read -r file path; do
	case $file in *.may.json) should=taken ;; *) should=refused ;; esac
	echo "$file $should $path"
done <"$scratch/list" >"$scratch/should"
awk '{ print $1 }' "$scratch/should" | xargs "$python" -W ignore \
	"$root/tests/schema.py" refused "$schemas/tickwise-report.schema.json" \
	>"$scratch/refused"
while read -r file should path; do
	is_so=taken
	! grep -qxF "$file" "$scratch/refused" || is_so=refused
	[ $is_so = "$should" ] || echo "$file $path: $is_so" >>"$scratch/wrong"
done <"$scratch/should"
is "$(cat "$scratch/wrong")" '' 'and so does the schema'
done_testing
