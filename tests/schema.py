# SPDX-License-Identifier: MIT
#
# Compares JSON with an installed schema.
#
#	schema.py valid SCHEMA FILE...
#		a line for each file that the schema refuses, or that has a key
#		that the schema does not have; a file may have several, and may be
#		an expected output of a golden test. The first line of a file of
#		intervals is compared with the schema of a report, in the same folder
#	schema.py refused SCHEMA FILE...
#		the names of those that the schema refuses; unknown keys are no reason
#	schema.py names SCHEMA
#		the name of each key, without those that are a pattern
#	schema.py broken SCHEMA FILE
#		changes the type of each key of FILE in turn; prints those that the
#		schema does not refuse
import json
import sys

import jsonschema

def load(path):
	with open(path) as file:
		return json.load(file)


# Readers ignore keys that they do not know, but each key that our programs write is
# documented.
def strict(schema):
	if isinstance(schema, list):
		return [strict(one) for one in schema]
	if not isinstance(schema, dict):
		return schema
	result = {key: strict(value) for key, value in schema.items()}
	if 'properties' in schema or 'patternProperties' in schema:
		# A key of the report that is called "properties" is no keyword.
		if isinstance(schema.get('type', ''), (str, list)):
			result.setdefault('additionalProperties', False)
	return result


# All bins of an object are alike. Two are enough; thousands take seconds.
FEW = ('bins', 'percentiles')


def fewer_bins(value):
	if isinstance(value, list):
		return [fewer_bins(one) for one in value]
	if not isinstance(value, dict):
		return value
	return {key: dict(list(one.items())[:2]) if key in FEW and
		isinstance(one, dict) else fewer_bins(one)
		for key, one in value.items()}


def documents(path):
	with open(path) as file:
		text = file.read()
	if path.endswith('.txt'):
		text = text[text.index('\n{') + 1:]
	found = []
	while text.startswith('{'):
		document, end = json.JSONDecoder().raw_decode(text)
		found.append(document)
		text = text[end:].lstrip()
	return found


def referred(root, schema):
	return root['$defs'][schema['$ref'].rpartition('/')[2]] if '$ref' in schema \
		else schema


# Replace references by what they lead to: resolving each one takes most of the
# time.
def resolved(schema, root):
	if isinstance(schema, list):
		return [resolved(one, root) for one in schema]
	if not isinstance(schema, dict):
		return schema
	if '$ref' in schema:
		return resolved(referred(root, schema), root)
	return {key: resolved(one, root) for key, one in schema.items()
		if key != '$defs'}


def validator(schema, is_strict):
	kind = jsonschema.Draft202012Validator
	if not is_strict:
		kind.check_schema(schema)
	schema = resolved(schema, schema)
	return kind(strict(schema) if is_strict else schema)


def valid(path, files):
	judge = validator(load(path), True)
	of_header = validator(load(path.replace('-intervals', '-report')), True)
	for name in files:
		for i, document in enumerate(documents(name)):
			is_header = name.endswith('.jsonl') and i == 0
			for error in (of_header if is_header else judge).iter_errors(
					fewer_bins(document)):
				deepest = error
				while deepest.context:
					deepest = max(deepest.context, key=lambda one:
						len(one.absolute_path))
				where = '.'.join(map(str, deepest.absolute_path))
				print(f'{name}: {where}: {deepest.message[:200]}')


def refused(path, files):
	judge = validator(load(path), False)
	for name in files:
		if not judge.is_valid(fewer_bins(documents(name)[0])):
			print(name)


def names(schema):
	for name, one in schema.get('properties', {}).items():
		yield name
		yield from names(one)
	for part in ('patternProperties', '$defs'):
		for one in schema.get(part, {}).values():
			yield from names(one)
	for one in schema.get('anyOf', []) + [schema.get('items')]:
		if one:
			yield from names(one)


# Return the paths of all keys, down to the leaves.
def places(value, path=()):
	if isinstance(value, dict):
		for key, one in value.items():
			yield path + (key,)
			yield from places(one, path + (key,))
	elif isinstance(value, list):
		for i, one in enumerate(value):
			yield from places(one, path + (i,))


def at(value, path):
	for key in path:
		value = value[key]
	return value


def broken(path, name):
	schema = load(path)
	judge = validator(schema, False)
	good = fewer_bins(documents(name)[0])
	for place in list(places(good)):
		parent = at(good, place[:-1])
		kept = parent[place[-1]]
		parent[place[-1]] = -1 if isinstance(kept, str) else 'x'
		if judge.is_valid(good):
			print('.'.join(map(str, place)))
		parent[place[-1]] = kept


def main():
	what, schema = sys.argv[1:3]
	if what == 'valid':
		valid(schema, sys.argv[3:])
	elif what == 'refused':
		refused(schema, sys.argv[3:])
	elif what == 'broken':
		broken(schema, sys.argv[3])
	else:
		print('\n'.join(sorted(set(names(load(schema))))))


main()
