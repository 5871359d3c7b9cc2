#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Behaviour: the schemas that are installed and the manual name the same keys, of the
# same types, and the same ones that are there always. Fails if a key is added to one of
# the two only.
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/../schema.sh"

if [ -n "$no_schema" ]; then
	echo "1..0 # SKIP $no_schema"
	exit 0
fi
manual=$root/core/man/tickwise-report.5

# same NAME PART...: the parts of the page are those of the schema
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
done_testing
