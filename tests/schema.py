# SPDX-License-Identifier: MIT
#
# Compares JSON with an installed schema, and the schema with the manual.
#
#	schema.py valid SCHEMA FILE...
#		a line for each file that the schema refuses, or that has a key
#		that the schema does not have; a file may be lines of JSON, or an
#		expected output of a golden test
#	schema.py refused SCHEMA FILE...
#		the names of those that the schema refuses; unknown keys are no reason
#	schema.py keys SCHEMA PART...
#		"PATH (TYPE[, always])" for each key, as tickwise-report(5)
#		names it
#	schema.py names SCHEMA
#		the name of each key, without those that are a pattern
#	schema.py page PAGE PART...
#		the same of the manual's page, of those parts: "histogram",
#		"header", "line"; "report": all others
#	schema.py broken SCHEMA FILE
#		changes the type of each key of FILE in turn; prints those that the
#		schema does not refuse
import json
import re
import sys

import jsonschema

NAMES = {
	'^(read|write|trim|sync)$': 'DIRECTION',
	'^(no_request|missing_stamp|sync_write|no_stamps|waited)$': 'REASON',
	r'^[0-9]+\.[0-9]{6}$': 'PERCENT',
	'^[0-9]+$': 'NS',
	'^[a-z][a-z0-9_]*$': 'OPTION',
	'^[a-z][a-z0-9_ ]*$': 'OPERATION',
}
SHARED = ('counts', 'histograms', 'clock')
# An object that has all of these keys, or four and no others, has one name for them in
# the manual.
TOGETHER = [(pattern[2:-2].split('|'), NAMES[pattern])
	    for pattern in list(NAMES)[:2]]
CLOCKS = ['tickwise', 'fio', 'monotonic']


def alike(together, every):
	return set(together) <= set(every) or \
		(set(every) <= set(together) and len(every) > 3)


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
	if path.endswith('.jsonl'):
		return [json.loads(line) for line in text.splitlines()]
	if path.endswith('.txt'):
		return [json.JSONDecoder().raw_decode(text[text.index('\n{') + 1:])[0]]
	return [json.loads(text)]


# Replace references by what they lead to: resolving each one takes most of the
# time.
def resolved(schema, root):
	if isinstance(schema, list):
		return [resolved(one, root) for one in schema]
	if not isinstance(schema, dict):
		return schema
	if '$ref' in schema:
		return resolved(root['$defs'][schema['$ref'].rpartition('/')[2]], root)
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
	for name in files:
		for document in documents(name):
			for error in judge.iter_errors(fewer_bins(document)):
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


def type_of(schema):
	kind = schema.get('$ref', '').rpartition('/')[2] or schema.get('type')
	if kind in SHARED:
		return 'object'
	if kind is None:
		const = schema.get('const', schema.get('enum', [''])[0])
		return 'count' if isinstance(const, int) else 'string'
	return kind


def keys(root, schema, path, found):
	kind = schema.get('$ref', '').rpartition('/')[2]
	if kind in SHARED:
		schema = root['$defs'][kind]
	required = schema.get('required', [])
	every = list(schema.get('properties', {}).items())
	every += [(NAMES.get(name, 'STAGE'), one) for name, one in
		  schema.get('patternProperties', {}).items()]
	for name, one in every:
		always = name in required
		whole = path + name
		for together, instead in TOGETHER:
			if name in together and alike(together, dict(every)):
				whole = path + instead
		found.add(f'{whole} ({type_of(one)}{", always" if always else ""})')
		keys(root, one, whole + '.', found)
		if one.get('type') == 'array':
			keys(root, one.get('items', {}), whole + '[].', found)


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


# The page describes some objects of the header of intervals only once.
IN_HEADER = ('options.', 'machine.', 'files[].', 'devices[].')


def page(path, parts):
	with open(path) as file:
		all_keys = re.findall(r'^\.BR (\S+) " \((.*)\)"$', file.read(), re.M)
	for key, kind in list(all_keys):
		if 'header' in parts and key.startswith(IN_HEADER):
			all_keys.append(('header.' + key, kind))
	for key, kind in all_keys:
		part = key.split('.')[0]
		if part not in ('histogram', 'header', 'line'):
			part = 'report'
		if part in parts and key != part:
			for clock in CLOCKS if '.CLOCK' in key else ['']:
				yield f'{key.replace("CLOCK", clock)} ({kind})'


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
	elif what == 'names':
		print('\n'.join(sorted(set(names(load(schema))))))
	elif what == 'page':
		print('\n'.join(sorted(set(page(schema, sys.argv[3:])))))
	else:
		found = set()
		root = load(schema)
		for part in sys.argv[3:]:
			if part == 'report':
				keys(root, root, '', found)
			else:
				keys(root, root['$defs'][part], part + '.', found)
		print('\n'.join(sorted(found)))


main()
