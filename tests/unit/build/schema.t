#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Behaviour: the output of `tickwise report --json` and `tickwise diff --json` matches the
# installed schemas, which have no key that the manual lacks. The schemas and the manual of
# reports come from the same rows; tests/report_keys.pl compares reports with the manual.
# Fails if a key is added to a schema or an output only.
. "$(dirname "$0")/../../tap.sh"
. "$(dirname "$0")/../../schema.sh"

if [ -n "$no_schema" ]; then
	echo "1..0 # SKIP $no_schema"
	exit 0
fi

# A comparison has no list of paths in the manual. Each name is there in bold: a word of a
# sentence may happen to be a key's name, such as "a".
sed -n '/^\.SH JSON/,/^\.SH [^J]/s/^\.\(B\|BR\|RB\) //p' "$root/core/man/tickwise-diff.1" |
	tr -cs 'a-z0-9_' '\n' | sort -u >"$scratch/words"
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
