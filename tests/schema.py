# SPDX-License-Identifier: MIT
#
# Compares JSON with an installed schema, and the schema with the manual.
#
#	schema.py valid SCHEMA FILE...
#		a line for each file that the schema refuses, or that has a key
#		that the schema does not have; a file may have several, and may be
#		an expected output of a golden test. The first line of a file of
#		intervals is compared with the schema of a report, in the same folder
#	schema.py refused SCHEMA FILE...
#		the names of those that the schema refuses; unknown keys are no reason
#	schema.py keys SCHEMA PART...
#		"PATH (TYPE[, always])" for each key, as tickwise-report(5)
#		names it; a part is "", all of it, or one of $defs
#	schema.py names SCHEMA
#		the name of each key, without those that are a pattern
#	schema.py page PAGE PART...
#		the same of the manual's page, of those parts: "histogram",
#		"windows", "line"; "": all others
#	schema.py broken SCHEMA FILE
#		changes the type of each key of FILE in turn; prints those that the
#		schema does not refuse
import json
import re
import sys

import jsonschema

NAMES = {
	'^(read|write|trim|sync)$': 'DIRECTION',
	r'^[0-9]+\.[0-9]{6}$': 'PERCENT',
	'^[0-9]+$': 'NS',
	'^[a-z][a-z0-9_]*$': 'OPTION',
	'^[a-z][a-z0-9_ ]*$': 'OPERATION',
	'^(?!(ring|operation|file|stages)$)[a-z_]+$': 'COUNT',
}
# What has a name as a type in the manual, and is described once there.
SHARED = {
	'count': 'count', 'count_or_differs': 'count', 'digits': 'digits',
	'boolean_or_differs': 'boolean', 'counts': 'counts',
	'counts_of_moves': 'counts', 'histogram': 'histogram',
	'histograms': 'histograms', 'windows': 'windows', 'error': 'error',
}
PARTS = ('histogram', 'windows', 'line')
CLOCKS = ['tickwise', 'fio', 'monotonic']


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


def is_shared(schema):
	return schema.get('$ref', '').rpartition('/')[2] in SHARED


def type_of(schema):
	if is_shared(schema):
		return SHARED[schema['$ref'].rpartition('/')[2]]
	kind = schema.get('type')
	if kind is None:
		const = schema.get('const', schema.get('enum', [''])[0])
		return {bool: 'boolean', int: 'count', str: 'string'}[type(const)]
	return kind[0] if isinstance(kind, list) else kind


def keys(root, schema, path, found):
	required = schema.get('required', []) + \
		schema.get('else', {}).get('required', [])
	every = list(schema.get('properties', {}).items())
	every += [(NAMES.get(name, 'STAGE'), one) for name, one in
		  schema.get('patternProperties', {}).items()]
	for name, one in every:
		if not is_shared(one):
			one = referred(root, one)
		always = ', always' if name in required else ''
		found.add(f'{path}{name} ({type_of(one)}{always})')
		keys(root, one, path + name + '.', found)
		keys(root, referred(root, one.get('items', {})), path + name + '[].',
		     found)


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


# Yield the keys of the manual's page with their types. An item has them in a .BR,
# or a list has one a line, after "In" and the object's name.
def of_page(path):
	prefix = None
	with open(path) as file:
		lines = file.read().splitlines()
	for line in lines:
		in_object = re.match(r'\.BR (\S+) :$', line)
		if in_object:
			prefix = in_object[1] + '.'
		elif line == '.EE' or line.startswith('.S'):
			prefix = None
		elif line.startswith('.BR '):
			yield from re.findall(r'(\S+) " \((.*?)\)(?:"|, (?="))', line)
		elif prefix:
			entry = re.match(r'(\S+) {2,}([a-z]+(?:, always)?)(?: |$)', line)
			if entry:
				yield prefix + entry[1], entry[2]


def page(path, parts):
	for key, kind in of_page(path):
		part = key.split('.')[0]
		if (part if part in PARTS else '') in parts:
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
			whole = root['$defs'][part] if part else root
			keys(root, whole, part + '.' if part else '', found)
		print('\n'.join(sorted(found)))


main()
