#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Behaviour: the installed schemas and the manual name the same keys, of the same
# types, and agree on which are always there. The output of `tickwise report --json`
# and `tickwise diff --json` matches their schemas. Fails if a key is added to one
# of them only.
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/../schema.sh"

if [ -n "$no_schema" ]; then
	echo "1..0 # SKIP $no_schema"
	exit 0
fi
manual=${TW_BUILD:-$root/build}/man/tickwise-report.5

# same NAME PART...: passes if the parts of the page are those of the schema
same()
{
	name=$1
	shift
	schema page "$manual" "$@" >"$scratch/page"
	schema keys "$schemas/tickwise-$name.schema.json" "$@" >"$scratch/schema"
	[ -s "$scratch/page" ]
	ok $? "$name: the manual has $(wc -l <"$scratch/page") keys"
	is "$(diff "$scratch/page" "$scratch/schema")" '' "$name: and so has the schema"
}
same report report histogram
same intervals header line

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

# These have no list of paths in the manual: each name is there.
for pages in 'report-merged:tickwise-report.5:DESCRIPTION:KEYS:MERGED REPORTS' \
	diff:tickwise-diff.1:JSON; do
	name=${pages%%:*}
	(
		IFS=:
		# shellcheck disable=SC2086	# the sections
		set -- ${pages#*:}
		page=$1
		shift
		bold_words "$root/core/man/$page" "$@"
	) >"$scratch/words"
	schema names "$schemas/tickwise-$name.schema.json" | sort >"$scratch/names"
	[ -s "$scratch/names" ]
	ok $? "$name: $(wc -l <"$scratch/names") names of keys"
	is "$(comm -23 "$scratch/names" "$scratch/words")" '' "$name: all in the manual"
done

expected=$root/tests/golden/expected
is_valid report-merged "$expected"/report_*_json.txt
is_valid diff "$expected"/diff_*_json.txt
for name in report-merged:report_split report-merged:report_caused diff:diff_slower; do
	is "$(schema broken "$schemas/tickwise-${name%:*}.schema.json" \
		"$expected/${name#*:}_json.txt")" '' \
		"a key of another type is refused: ${name#*:}"
done
done_testing
