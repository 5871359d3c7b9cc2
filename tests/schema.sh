# SPDX-License-Identifier: MIT
#
# Compares JSON with the installed schemas. To be sourced after tap.sh.

schemas=${TW_BUILD:-$root/build}/schema

# schema ARGUMENT...: runs schema.py with a Python that has jsonschema. Sets
# no_schema to the reason where there is none.
no_schema='no python3 with jsonschema (Debian: python3-jsonschema)'
for python in python3 /usr/bin/python3; do
	"$python" -c 'import jsonschema; jsonschema.Draft202012Validator' \
		2>/dev/null || continue
	no_schema=
	break
done
schema()
{
	"$python" -W ignore "$root/tests/schema.py" "$@"
}

# is_valid NAME FILE...: checks that the files match the schema of that name, and
# have no key that it lacks. The first line of a file of intervals is a report.
is_valid()
{
	if [ -n "$no_schema" ]; then
		tap_count=$((tap_count + 1))
		echo "ok $tap_count # SKIP $no_schema"
		return
	fi
	schema_name=$1
	shift
	is "$(schema valid "$schemas/tickwise-$schema_name.schema.json" "$@" 2>&1)" \
		'' "as the schema says: $schema_name"
}
