#!/bin/sh
# SPDX-License-Identifier: MIT
#
# What a report has about its run (options, bytes, machine, files, devices, fio's
# own lat) is read, merged and passed on. Fails if one of them is lost, if sums of
# several jobs are wrong, or if a value of another type is taken.
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/report_files.sh"

# with_facts FILE [variable=value]...: writes a report with facts
with_facts() {
	file=$1
	shift
	write_report "$file" "$@"
	sed -i '/^"slowest"/d' "$file"
	cat >>"$file" <<-'END'
	"bytes": {"read": 409600, "write": 0, "trim": 0, "sync": 0},
	"fio_lat": {"read": {"count": 100, "mean_ns": 190.5}},
	"options": {"rw": "randread", "bs": "4k", "group_reporting": ""},
	"machine": {"cpu": "C", "cpus": 2, "kernel": "6.1", "hypervisor": "KVM",
		"clocksource": "tsc", "governor": "performance"},
	"files": [{"path": "/a", "size": 8192, "device": "8:0", "filesystem": "ext4"}],
	"devices": [{"device": "8:0", "name": "sda", "model": "M", "scheduler": "none",
		"nr_requests": 64, "queue_depth": 32, "rotational": true,
		"write_cache": "write back", "logical_block_size": 512, "size": 65536,
		"members": ["sdb", "sdc"]}],
	"slowest": []}
	END
}

# merged EXPRESSION FILE...: prints it of the first group in the JSON
merged() {
	expression=$1
	shift
	run report --json "$@"
	perl -MJSON::PP -e '
		local $/;
		my $group = JSON::PP->new->decode(<STDIN>)->{groups}[0];
		my $value = eval $ARGV[0];
		print ref $value ? JSON::PP->new->canonical->encode($value) : $value' \
		"$expression" <"$out"
}

a=$scratch/a.json
b=$scratch/b.json
with_facts "$a"
for key in options machine files devices; do
	is "$(merged "\$group->{facts}{$key}" "$a")" \
		"$(perl -MJSON::PP -e 'local $/;
			print JSON::PP->new->canonical->encode(
				JSON::PP->new->decode(<STDIN>)->{$ARGV[0]})' $key <"$a")" \
		"$key are as in the file"
done
is "$(merged '$group->{bytes}{read}' "$a")" 409600 'bytes'

sed 's/"device": "8:0", "name"/"device": "8:0", "ios": {"read": 1}, "name"/' "$a" >"$b"
is "$(merged 'join ",", sort keys %{$group->{facts}{devices}[0]}' "$b" | grep -c ios)" 0 \
	'of a device what it is, no counts'

with_facts "$b" thread=2
sed -i 's/190\.5/194.5/; s/"count": 100, "mean_ns": 19/"count": 300, "mean_ns": 19/
	s/8:0/8:16/' "$b"
is "$(merged '$group->{fio_lat}' "$a" "$b")" '{"read":{"count":400,"mean_ns":193.5}}' \
	"fio's lat of two jobs"
is "$(merged '$group->{bytes}{read}' "$a" "$b")" 819200 'and their bytes'
is "$(merged 'join " ", map { $_->{device} } @{$group->{facts}{devices}}' "$a" "$b")" \
	'8:0 8:16' 'and the devices of both'
sed -i 's/8:16/8:0/' "$b"
is "$(merged 'scalar @{$group->{facts}{devices}}' "$a" "$b")" 1 'each once'

write_report "$b" thread=2
is "$(merged '$group->{fio_lat} // "null"' "$a" "$b")" null 'no mean without a part of it'
is "$(merged '$group->{bytes} // "null"' "$a" "$b")" null 'nor bytes'
is "$(merged '$group->{facts} // "null"' "$b")" null 'nothing of an older engine'

# refused CHANGE WHAT: passes if the file with that change is no report
refused() {
	sed "$1" "$a" >"$b"
	cmp -s "$a" "$b" && ok 1 "changed: $1"
	run report "$b"
	is "$status" 65 "refused: $2"
	has "$err" "$2" 'with that reason'
}

refused 's/"bs": "4k"/"bs": 4096/' 'options.bs is not a string'
refused 's/"cpus": 2/"cpus": "two"/' 'machine.cpus is not a whole number'
refused 's/"kernel": "6.1"/"kernel": []/' 'machine.kernel is not a string'
refused 's/"path": "\/a",//' 'files[].path is missing'
refused 's/"files": \[{/"files": [7, {/' 'files[] is not an object'
refused 's/"rotational": true/"rotational": 1/' 'devices[].rotational is not true or false'
refused 's/"members": \[/&7, /' 'devices[].members is not an array of strings'
refused 's/"mean_ns": 190.5/"mean_ns": -1/' 'fio_lat.DIRECTION.mean_ns is negative'
refused 's/"bytes": {"read": 409600/"bytes": {"read": -1/' 'bytes.read is not a whole number'
refused 's/"machine": {/"machine": 5, "nothing": {/' 'machine is not an object'
done_testing
