#!/bin/sh
# SPDX-License-Identifier: MIT
# Tests: core/latency core/report core/command/answers
#
# Behaviour: each row of core/report/rows.h, and each stage, is in the manual and in the
# schemas as they are built, at its path and with its type. What is always there is
# marked. Each stage of core/latency/stages.h is a value of STAGE in the manual, and has a
# row in plugin/README.md. Fails if a kind of rows is left out, or gets another type or place.
. "$(dirname "$0")/../../../tap.sh"

build=${TW_BUILD:-$root/build}
page=$build/man/tickwise-report.5
rows=$root/core/report/rows.h

# rows_of KIND: prints the paths of the rows of a kind: COUNT, SCALAR or TIME
rows_of()
{
	perl -0777 -ne 'print "$1\n" while /\t'"$1"'\(\w+, (?:"\w+", )?"([\w.]+)"/g' "$rows"
}

{
	rows_of COUNT | sed 's/$/ counts/'
	rows_of SCALAR | sed 's/$/ count/'
	rows_of TIME | sed 's/$/ histograms/'
	sed -n 's/^\tSTAGE([A-Z]*, \([a-z]*\),.*/stages.\1 histograms/p' \
		"$root/core/latency/stages.h"
} | sort >"$scratch/rows"
[ "$(wc -l <"$scratch/rows")" -ge 50 ]
ok $? "$(wc -l <"$scratch/rows") rows"

grep -o '[a-z_.]* " ([a-z]*[,)]' "$page" | sed 's/ " (/ /; s/[,)]$//' | sort >"$scratch/page"
is "$(comm -23 "$scratch/rows" "$scratch/page")" '' 'each has an item in the manual'
stages=$(sed -n 's/^	STAGE([A-Z_]*, \([a-z_]*\),.*/\1/p' "$root/core/latency/stages.h")
# shellcheck disable=SC2046,SC2086	# words
is "$(echo $(sed -n '/^STAGE is one of$/,/^\.S/{/^\.BR/{s/^\.BR//;s/[".,]/ /g;p}}' "$page"))" \
	"$(echo $stages lat)" 'the manual has these values of STAGE'
for stage in $stages; do
	grep -q "^| \`$stage\` |" "$root/plugin/README.md" || echo "$stage"
done >"$scratch/missing"
is "$(cat "$scratch/missing")" '' "the engine's README has a row for each"
is "$(grep -c '@ROWS' "$page")" 0 'and no place for rows is left'
grep -q '^\.BR ios " (counts, always)"$' "$page" &&
	grep -q '^\.BR stages.lat " (histograms, always)"$' "$page" &&
	grep -q '^\.BR stages " (object, always), " stages.queue " (histograms)"$' "$page" &&
	grep -q '^\.BR errors " (counts)"$' "$page"
ok $? 'what is always there is marked'
mandoc -T lint -W warning "$page" >"$scratch/lint" 2>&1
is "$(cat "$scratch/lint")" '' 'the page is good roff'

for name in report intervals; do
	perl -MJSON::PP -0777 -e '
		sub walk {
			my ($schema, $path) = @_;
			my $properties = $schema->{properties} // {};
			my %required = map { $_ => 1 } @{$schema->{required} // []},
				@{$schema->{else}{required} // []};
			for (keys %$properties) {
				my $ref = $properties->{$_}{q($ref)} // "";
				print "$path$_ $1", $required{$_} ? " always" : "", "\n"
					if $ref =~ m{^#/\$defs/(\w+?)(?:_of_moves)?$};
				walk($properties->{$_}, "$path$_.");
			}
		}
		walk(JSON::PP->new->utf8->decode(scalar <>), "")' \
		"$build/schema/tickwise-$name.schema.json" >"$scratch/all"
	sed 's/ always$//' "$scratch/all" | sort >"$scratch/schema"
	is "$(comm -23 "$scratch/rows" "$scratch/schema")" '' "each is in the schema: $name"
	is "$(grep -c '^\(ios counts\|stages.lat histograms\) always$' "$scratch/all")" 2 \
		"and marked as always there: $name"
done
perl -MJSON::PP -0777 -e '
	my $has = JSON::PP->new->utf8->decode(scalar <>)->{properties};
	exit($has->{bytes}{q($ref)} ne q(#/$defs/counts_of_moves) ||
		$has->{bytes}{description} !~ /^Bytes: /)' \
	"$build/schema/tickwise-report.schema.json"
ok $? 'a row without sync has its own type, and its words'

"$build/describe" manual lunch >"$scratch/out" 2>"$scratch/err"
is "$? $(cat "$scratch/err")" '1 describe: no rows are lunch' 'an unknown kind of rows'
"$build/describe" schema "$scratch/none" >"$scratch/out" 2>"$scratch/err"
is "$? $(wc -c <"$scratch/out")" '1 0' 'a schema that cannot be read'
done_testing
