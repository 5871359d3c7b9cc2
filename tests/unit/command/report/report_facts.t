#!/bin/sh
# SPDX-License-Identifier: MIT
#
# What a report has about its run (options, bytes, machine, files, devices, fio's
# own lat) is read, merged and passed on. Fails if one of them is lost, if sums of
# several jobs are wrong, or if a value of another type is taken.
. "$(dirname "$0")/../../../tap.sh"
. "$(dirname "$0")/../../../report_files.sh"

# with_facts FILE [variable=value]...: writes a report with facts
with_facts() {
	file=$1
	shift
	write_report "$file" kernel='"options": {},' "$@"
	sed -i '/^"slowest"/d' "$file"
	cat >>"$file" <<-'END'
	"bytes": {"read": 409600, "write": 0, "trim": 0},
	"fio_lat": {"count": {"read": 100, "write": 0, "trim": 0},
		"sum_ns": {"read": 19050, "write": 0, "trim": 0}},
	"options": {"rw": "randread", "bs": "4k", "group_reporting": ""},
	"machines": [{"host": "box", "cpu": "C", "cpus": 2, "kernel": "6.1", "hypervisor": "KVM",
		"clocksource": "tsc", "governor": "performance"}],
	"files": [{"host": "box", "path": "/a", "size": 8192, "device": "8:0",
		"filesystem": "ext4"}],
	"devices": [{"host": "box", "device": "8:0", "name": "sda", "model": "M",
		"scheduler": "none", "nr_requests": 64, "queue_depth": 32, "rotational": true,
		"write_cache": "write back", "logical_block_size": 512, "size": 65536,
		"members": ["sdb", "sdc"]}],
	"slowest": []}
	END
}

# merged PERL FILE...: prints what the expression is for the merged report
merged() {
	expression=$1
	shift
	run report --json "$@"
	of_json "$expression"
}

a=$scratch/a.json
b=$scratch/b.json
with_facts "$a"
for key in options machines files devices; do
	is "$(merged "\$r->{$key}" "$a")" \
		"$(perl -MJSON::PP -e 'local $/;
			print JSON::PP->new->canonical->encode(
				JSON::PP->new->decode(<STDIN>)->{$ARGV[0]})' $key <"$a")" \
		"$key are as in the file"
done
is "$(merged '$r->{bytes}{read}' "$a")" 409600 'bytes'

with_facts "$b" thread=2
sed -i 's/"sum_ns": {"read": 19050/"sum_ns": {"read": 58350/
	s/"fio_lat": {"count": {"read": 100/"fio_lat": {"count": {"read": 300/
	s/8:0/8:16/' "$b"
is "$(merged '$r->{fio_lat}' "$a" "$b")" \
	'{"count":{"read":400,"trim":0,"write":0},"sum_ns":{"read":77400,"trim":0,"write":0}}' \
	"fio's lat of two jobs"
is "$(merged '$r->{bytes}{read}' "$a" "$b")" 819200 'and their bytes'
is "$(merged 'join " ", map { $_->{device} } @{$r->{devices}}' "$a" "$b")" \
	'8:0 8:16' 'and the devices of both'
is "$(merged 'scalar @{$r->{machines}} . " " . scalar @{$r->{files}}' "$a" "$b")" \
	'1 2' 'the machine once, a file on each device'
sed -i 's/8:16/8:0/; s/"nr_requests": 64/"nr_requests": 32/; s/"name": "sda", //' "$b"
is "$(merged 'join " ", @{$r->{devices}[0]}{qw(nr_requests name size)}, scalar @{$r->{devices}}' \
	"$a" "$b")" 'differs sda 65536 1' 'each once, with what is known; and what differs'
sed -i 's/"bs": "4k"/"bs": "8k"/' "$b"
is "$(merged '{ common => $r->{options}, own => [map { $_->{options} } @{$r->{jobs}}] }' \
	"$a" "$b")" \
	'{"common":{"group_reporting":"","rw":"randread"},"own":[{"bs":"4k"},{"bs":"8k"}]}' \
	'options that the jobs have alike are common'

write_report "$b" thread=2
is "$(merged '$r->{fio_lat} // "none"' "$a" "$b")" none 'no sum without a part of it'
is "$(merged '$r->{bytes} // "none"' "$a" "$b")" none 'nor bytes'
is "$(merged 'join " ", @{$r->{lacks}}' "$a" "$b")" 'bytes fio_lat.count fio_lat.sum_ns' \
	'and they are named'
is "$(merged '$r->{options} // "none"' "$b")" none 'nothing where nothing is known'

# refused CHANGE WHAT: passes if the file with that change is no report
refused() {
	sed "$1" "$a" >"$b"
	cmp -s "$a" "$b" && ok 1 "changed: $1"
	run report "$b"
	is "$status" 65 "refused: $2"
	has "$err" "$2" 'with that reason'
}

refused 's/"bs": "4k"/"bs": 4096/' 'options.bs is not a string'
refused 's/"cpus": 2/"cpus": "two"/' 'machines[].cpus is not a whole number'
refused 's/"kernel": "6.1"/"kernel": []/' 'machines[].kernel is not a string'
refused 's/"path": "\/a",//' 'files[].path is missing'
refused 's/"files": \[{/"files": [7, {/' 'files[] is not an object'
refused 's/"rotational": true/"rotational": 1/' 'devices[].rotational is not true or false'
refused 's/"members": \[/&7, /' 'devices[].members is not an array of strings'
refused 's/"read": 19050/"read": -1/' 'fio_lat.sum_ns.read is not a whole number'
refused 's/"bytes": {"read": 409600/"bytes": {"read": -1/' 'bytes.read is not a whole number'
refused 's/"machines": \[/"machines": 5, "nothing": [/' 'machines is not an array'
done_testing
