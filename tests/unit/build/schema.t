#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Behaviour: the installed schemas and the manual name the same keys, of the same
# types, and agree on which are always there; a line of intervals has all numbers of a
# report. The output of `tickwise report --json` and `tickwise diff --json` matches
# their schemas. Fails if a key is added to one of them only.
. "$(dirname "$0")/../../tap.sh"
. "$(dirname "$0")/../../schema.sh"

if [ -n "$no_schema" ]; then
	echo "1..0 # SKIP $no_schema"
	exit 0
fi
manual=${TW_BUILD:-$root/build}/man/tickwise-report.5

# Compare a report first. A line of intervals has the same numbers, and some keys of
# its own.
schema page "$manual" '' histogram windows >"$scratch/page"
schema keys "$schemas/tickwise-report.schema.json" '' histogram windows >"$scratch/report"
[ -s "$scratch/page" ]
ok $? "a report: the manual has $(wc -l <"$scratch/page") keys"
is "$(diff "$scratch/page" "$scratch/report")" '' 'and so has the schema'
schema keys "$root/core/schema/tickwise-report.schema.json" '' histogram windows \
	>"$scratch/by_hand"
schema keys "$schemas/tickwise-intervals.schema.json" '' >"$scratch/line"
comm -13 "$scratch/by_hand" "$scratch/report" | grep -v '^attached' >"$scratch/rows"
[ "$(wc -l <"$scratch/rows")" -gt 50 ]
ok $? "a line of intervals: there are $(wc -l <"$scratch/rows") rows"
is "$(comm -23 "$scratch/rows" "$scratch/line")" '' 'it has all of them'
is "$(comm -13 "$scratch/report" "$scratch/line" | grep -v '^attached (' | sed 's/^/line./')" \
	"$(schema page "$manual" line)" 'and has the keys that the manual names'

# bold_words PAGE SECTION...: prints what is in bold there. Keys are; a word of a
# sentence that happens to be a key's name, such as "a", is not.
bold_words()
{
	perl -ne '
		BEGIN { our ($page, @wanted) = splice @ARGV; @ARGV = $page }
		$is_wanted = grep { $1 eq $_ } @wanted if /^\.SH (.*)/;
		next unless $is_wanted && /^\.(B|BR|RB) (.*)/;
		my ($macro, $at, @texts) = ($1, 0, $2 =~ /"[^"]*"|\S+/g);
		for my $text (@texts) {
			my $is_bold = $macro eq "B" || ($at++ % 2 == ($macro eq "RB"));

			print "$_\n" for $is_bold ? $text =~ /[a-z0-9_]+/g : ();
		}' "$@" | sort -u
}

# A comparison has no list of paths in the manual: each name is there.
bold_words "$root/core/man/tickwise-diff.1" JSON >"$scratch/words"
schema names "$schemas/tickwise-diff.schema.json" | sort >"$scratch/names"
[ -s "$scratch/names" ]
ok $? "a comparison: $(wc -l <"$scratch/names") names of keys"
is "$(comm -23 "$scratch/names" "$scratch/words")" '' 'all are in the manual'

expected=$root/tests/golden/expected
is_valid report "$expected"/report_*_json.txt
is_valid diff "$expected"/diff_*_json.txt
for name in report:report_split report:report_caused diff:diff_slower; do
	is "$(schema broken "$schemas/tickwise-${name%:*}.schema.json" \
		"$expected/${name#*:}_json.txt")" '' \
		"a key of another type is refused: ${name#*:}"
done
done_testing
