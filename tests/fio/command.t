#!/bin/sh
# SPDX-License-Identifier: MIT
# Tests: plugin
#
# Behaviour: the passthrough engine loads into this fio and knows the options of
# fio's io_uring_cmd. It refuses what is no NVMe namespace and what it does not do,
# in one line and before anything is written. (tests/vm tests what it does to a
# device.) Defect: a symbol that this fio lacks, a job that ends over an option's
# name, a file written to as if it were a device.
. "$(dirname "$0")/fio_tap.sh"

command_so=$TW_BUILD/tickwise-cmd.so
"$FIO" --enghelp=io_uring_cmd 2>/dev/null | awk '/ : / { print $1 }' |
	sort >fio.names
"$FIO" --enghelp="$command_so" 2>err | awk '/ : / { print $1 }' |
	sort >our.names
[ -s fio.names ] && [ -z "$(comm -23 fio.names our.names)" ]
ok $? "it loads and knows every option of this fio's io_uring_cmd"

# refuses WHAT TEXT ARGUMENT...: passes if one line is ours and has the text
refuses()
{
	what=$1
	text=$2
	shift 2
	timeout -s KILL $hung_s "$FIO" "$plain_clock" --name=c --ioengine="external:$command_so" \
		--rw=write --bs=4k --size=64k "$@" >out 2>err
	status=$?
	[ "$status" -ne 0 ] && [ "$status" -lt 128 ]
	ok $? "$what: failing exit ($status)"
	[ "$(messages | grep -c '^tickwise')" -eq 1 ] && messages | grep '^tickwise' |
		grep -qF "$text" || { sed 's/^/# /' err; false; }
	ok $? "$what: one line of ours: $text"
}

head -c 65536 /dev/urandom >file
cp file before
for mode in --thread=0 --thread=1; do
	refuses "a file $mode" "/dev/ngXnY" --filename=file $mode
	cmp -s file before
	ok $? "it is as it was"
	refuses "no file yet $mode" "/dev/ngXnY" --filename=new $mode
	[ ! -e new ]
	ok $? "it is not made"
done
# Another character device: fio's own helper reports what it is not.
timeout -s KILL $hung_s "$FIO" "$plain_clock" --name=c --ioengine="external:$command_so" \
	--filename=/dev/null --rw=read --size=64k >out 2>err
[ $? -eq 1 ]
ok $? "a character device of another kind is refused"
# tests/unit/plugin/engine/engine_command.c has the others.
refuses cdb_len=16 "cdb_len: refused" --filename=file --cdb_len=16
refuses "a mix" "write_mode: refused" --filename=file --write_mode=write/60:zeroes/40
is "$(awk -F'  +' '/^[a-z_]+  +3[.]/ && $4 == "refused" { print $1 }' \
		"$root/core/man/fio-tickwise.7" | sort | tr '\n' ' ')" \
	"cdb_len read_mode verify_bytchk " "these are what the table says is refused"
# Where fio has metadata, the file is refused and not the option.
if grep -q md_per_io_size fio.names; then
	refuses md_per_io_size=8 "/dev/ngXnY" --filename=file --md_per_io_size=8
else
	refuses md_per_io_size=8 "md_per_io_size: refused" --filename=file \
		--md_per_io_size=8
fi
# fio refuses placement itself: the engine has no function for it.
if "$FIO" --cmdhelp=fdp 2>/dev/null | grep -q '^ *fdp'; then
	timeout -s KILL $hung_s "$FIO" "$plain_clock" --name=c --ioengine="external:$command_so" \
		--filename=file --rw=write --size=64k --fdp=1 >out 2>err
	[ $? -eq 1 ]
	ok $? "fdp=1 is refused"
fi
[ -z "$(ls ./*.tickwise.json 2>/dev/null)" ]
ok $? "no report of what never began"
done_testing
