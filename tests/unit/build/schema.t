#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Behaviour: the output of `tickwise report --json` and `tickwise diff --json` matches the
# installed schemas, which have no key that the manual lacks; of a report see
# report_schema.t. Fails if a key is added to a schema or an output only.
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
schema keys "$schemas/tickwise-diff.schema.json" | cut -d " " -f 1 | sort -u >"$scratch/names"
[ -s "$scratch/names" ]
ok $? "a comparison: $(wc -l <"$scratch/names") names of keys"
is "$(comm -23 "$scratch/names" "$scratch/words")" '' 'all are in the manual'

expected=$root/tests/golden/expected
is_valid report "$expected"/report_*_json.txt
is_valid diff "$expected"/diff_*_json.txt
is "$(schema changed "$schemas/tickwise-diff.schema.json" "$expected/diff_slower_json.txt" \
	"$scratch" | grep other:taken)" '' 'a key of another type is refused'
done_testing
