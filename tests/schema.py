# SPDX-License-Identifier: MIT
#
# Compares JSON with an installed schema, and a schema with a manual page.
#
#	schema.py valid SCHEMA FILE...
#		a line for each file that the schema refuses, or that has a key
#		that the schema does not have; a file may have several, and may be
#		an expected output of a golden test. The first line of a file of
#		intervals is compared with the schema of a report, in the same folder
#	schema.py keys FILE
#		"NAME TYPE" and perhaps ", always" for each key of a schema, of a manual page
#		(*.1 to *.7) or of the first object of another file, which has no always
#	schema.py changed SCHEMA FILE DIRECTORY
#		writes the object of FILE once without each of its keys but single bins, and
#		once with a value of another type; prints for each "FILE VERDICT PATH", of which
#		VERDICT is the schema's: without:taken, without:refused, other:taken,
#		other:refused
import json
import re
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


def valid(path, *files):
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


# ---- keys, with the words of the manual for their types ----

TYPES = ('count', 'digits', 'counts', 'histogram', 'histograms', 'windows', 'error')


def type_of(root, schema):
	name = schema.get('$ref', '').rpartition('/')[2]
	name = re.sub('_or_differs|_of_moves', '', name)
	if name in TYPES:
		return name
	schema = referred(root, schema)
	if 'const' in schema or 'enum' in schema:
		return type_in(schema.get('const', schema.get('enum', [''])[0]))
	kind = schema['type']
	return kind if isinstance(kind, str) else kind[0]


def type_in(value):
	kinds = {dict: 'object', list: 'array', bool: 'boolean', str: 'string', int: 'count'}
	return kinds.get(type(value), 'number')


def keys_of_schema(root, schema):
	always = schema.get('required', []) + schema.get('else', {}).get('required', [])
	for name, one in schema.get('properties', {}).items():
		yield name, type_of(root, one) + (', always' if name in always else '')
		yield from keys_of_schema(root, one)
	for part in ('patternProperties', '$defs'):
		for name, one in schema.get(part, {}).items():
			if not name.startswith('counts'):
				yield from keys_of_schema(root, one)
	for one in schema.get('anyOf', []) + [schema[key] for key in schema if key == 'items']:
		yield from keys_of_schema(root, one)


# An item has keys in a .BR, or a list has one a line, after "In" and the object's name.
def keys_of_page(path):
	is_list = False
	for line in open(path):
		of_list = re.match(r'(\S+) {2,}([a-z]+(?:, always)?)(?: |$)', line)
		if re.match(r'\.BR \S+ :$', line):
			is_list = True
		elif re.match(r'\.EE$|\.S[HS]', line):
			is_list = False
		elif line.startswith('.BR '):
			yield from re.findall(r'(\S+) " \(([^)]*)\)[",]', line)
		elif is_list and of_list:
			yield of_list.groups()


# Yield for each key: what has it, the key, and its path.
def places(value, path=''):
	for key in value if isinstance(value, dict) else range(len(value)):
		here = f'{path}.{key}' if isinstance(value, dict) else f'{path}[]'
		if isinstance(value, dict):
			yield value, key, here.lstrip('.')
		if isinstance(value[key], (dict, list)):
			yield from places(value[key], here)


def keys(path):
	if re.search(r'\.[1-7]$', path):
		found = [(name.split('.')[-1], kind) for name, kind in keys_of_page(path)]
		found = [one for one in found if not re.match('[A-Z]+$', one[0])]
	elif path.endswith('.schema.json'):
		found = keys_of_schema(load(path), load(path))
	else:
		found = [(key, type_in(of[key])) for of, key, _ in
			places(documents(path)[0])]
	print('\n'.join(sorted({' '.join(one) for one in found})))


def changed(path, name, directory):
	judge = validator(load(path), False)
	good = documents(name)[0]
	number = 0
	for of, key, place in list(places(good)):
		kept = of[key]
		if key.isdigit():
			continue
		for how in ('without', 'other'):
			number += 1
			of[key] = {} if isinstance(kept, list) else []
			if how == 'without':
				del of[key]
			with open(f'{directory}/{number}.json', 'w') as file:
				file.write(json.dumps(good))
			# Only the part that is changed: all of it takes most of the time.
			top = re.match(r'\w+', place)[0]
			is_valid = judge.is_valid(good) if place == top else judge.evolve(
				schema=judge.schema['properties'][top]).is_valid(good[top])
			verdict = 'taken' if is_valid else 'refused'
			print(f'{directory}/{number}.json {how}:{verdict} {place}')
		of[key] = kept


globals()[sys.argv[1]](*sys.argv[2:])
